package acl

// The codes of the application layer and of the runtime, by the names of the
// public headers without their common prefix (ACL for the application layer).
const (
	Success Code = 0

	ACLInvalidParam          Code = 100000
	ACLUninitialize          Code = 100001
	ACLRepeatInitialize      Code = 100002
	ACLInvalidFile           Code = 100003
	ACLParseFile             Code = 100006
	ACLRepeatSubscribe       Code = 100033
	ACLStreamNotSubscribe    Code = 100034
	ACLThreadNotSubscribe    Code = 100035
	ACLWaitCallbackTimeout   Code = 100036
	ACLRepeatFinalize        Code = 100037
	ACLBadAlloc              Code = 200000
	ACLApiNotSupport         Code = 200001
	ACLInvalidDevice         Code = 200002
	ACLResourceNotMatch      Code = 200004
	ACLInvalidResourceHandle Code = 200005
	ACLFeatureUnsupported    Code = 200006
	ACLStorageOverLimit      Code = 300000
	ACLInternalError         Code = 500000
	ACLFailure               Code = 500001
	ACLRtFailure             Code = 500003
	ACLDRVFailure            Code = 500004

	ParamInvalid                Code = 107000
	InvalidDeviceID             Code = 107001
	ContextNull                 Code = 107002
	StreamContext               Code = 107003
	ModelContext                Code = 107004
	StreamModel                 Code = 107005
	EventTimestampInvalid       Code = 107006
	EventTimestampReversal      Code = 107007
	AddrUnaligned               Code = 107008
	FileOpen                    Code = 107009
	FileWrite                   Code = 107010
	StreamSubscribe             Code = 107011
	ThreadSubscribe             Code = 107012
	GroupNotSet                 Code = 107013
	GroupNotCreate              Code = 107014
	StreamNoCBReg               Code = 107015
	InvalidMemoryType           Code = 107016
	InvalidHandle               Code = 107017
	InvalidMallocType           Code = 107018
	WaitTimeout                 Code = 107019
	TaskTimeout                 Code = 107020
	SysParamOptNotSet           Code = 107021
	DeviceTaskAbort             Code = 107022
	StreamAbort                 Code = 107023
	CaptureDependency           Code = 107024
	StreamUnjoined              Code = 107025
	ModelCaptured               Code = 107026
	StreamCaptured              Code = 107027
	EventCaptured               Code = 107028
	StreamNotCaptured           Code = 107029
	CaptureModeNotSupport       Code = 107030
	StreamCaptureImplicit       Code = 107031
	StreamCaptureConflict       Code = 107032
	StreamTaskGroupStatus       Code = 107033
	StreamTaskGroupIntr         Code = 107034
	TaskAbortStop               Code = 107035
	StreamCaptureUnmatched      Code = 107036
	FeatureNotSupport           Code = 207000
	MemoryAllocation            Code = 207001
	MemoryFree                  Code = 207002
	AICoreOverFlow              Code = 207003
	NoDevice                    Code = 207004
	ResourceAllocFail           Code = 207005
	NoPermission                Code = 207006
	NoEventResource             Code = 207007
	NoStreamResource            Code = 207008
	NoNotifyResource            Code = 207009
	NoModelResource             Code = 207010
	NoCDQResource               Code = 207011
	OverLimit                   Code = 207012
	QueueEmpty                  Code = 207013
	QueueFull                   Code = 207014
	RepeatedInit                Code = 207015
	AIVecOverFlow               Code = 207016
	OverFlow                    Code = 207017
	DeviceOOM                   Code = 207018
	FeatureNotSupportUpdateOp   Code = 207019
	LinkTypeNotSupported        Code = 207021
	InternalError               Code = 507000
	TSError                     Code = 507001
	StreamTaskFull              Code = 507002
	StreamTaskEmpty             Code = 507003
	StreamNotComplete           Code = 507004
	EndOfSequence               Code = 507005
	EventNotComplete            Code = 507006
	ContextReleaseError         Code = 507007
	SOCVersion                  Code = 507008
	TaskTypeNotSupport          Code = 507009
	LostHeartbeat               Code = 507010
	ModelExecute                Code = 507011
	ReportTimeout               Code = 507012
	SysDMA                      Code = 507013
	AICoreTimeout               Code = 507014
	AICoreException             Code = 507015
	AICoreTrapException         Code = 507016
	AICPUTimeout                Code = 507017
	AICPUException              Code = 507018
	AICPUDataDumpRspErr         Code = 507019
	AICPUModelRspErr            Code = 507020
	ProfilingError              Code = 507021
	IPCError                    Code = 507022
	ModelAbortNormal            Code = 507023
	KernelUnregistering         Code = 507024
	RingBufferNotInit           Code = 507025
	RingBufferNoData            Code = 507026
	KernelLookup                Code = 507027
	KernelDuplicate             Code = 507028
	DebugRegisterFail           Code = 507029
	DebugUnregisterFail         Code = 507030
	LabelContext                Code = 507031
	ProgramUseOut               Code = 507032
	DevSetupError               Code = 507033
	VectorCoreTimeout           Code = 507034
	VectorCoreException         Code = 507035
	VectorCoreTrapException     Code = 507036
	CDQBatchAbnormal            Code = 507037
	DieModeChangeError          Code = 507038
	DieSetError                 Code = 507039
	InvalidDieID                Code = 507040
	DieModeNotSet               Code = 507041
	AICoreTrapReadOverflow      Code = 507042
	AICoreTrapWriteOverflow     Code = 507043
	VectorCoreTrapReadOverflow  Code = 507044
	VectorCoreTrapWriteOverflow Code = 507045
	StreamSyncTimeout           Code = 507046
	EventSyncTimeout            Code = 507047
	FFTSPlusTimeout             Code = 507048
	FFTSPlusException           Code = 507049
	FFTSPlusTrapException       Code = 507050
	SendMsg                     Code = 507051
	CopyData                    Code = 507052
	DeviceMemError              Code = 507053
	HBMMultiBitECCError         Code = 507054
	SuspectDeviceMemError       Code = 507055
	LinkError                   Code = 507056
	SuspectRemoteError          Code = 507057
	DRVInternalError            Code = 507899
	AICPUInternalError          Code = 507900
	SocketClose                 Code = 507901
	AICPUInfoLoadRspErr         Code = 507902
	StreamCaptureInvalidated    Code = 507903
	CommOpRetryFail             Code = 507904
)

var codeNames = map[Code]string{
	Success:                     "ACL_SUCCESS",
	ACLInvalidParam:             "ACL_ERROR_INVALID_PARAM",
	ACLUninitialize:             "ACL_ERROR_UNINITIALIZE",
	ACLRepeatInitialize:         "ACL_ERROR_REPEAT_INITIALIZE",
	ACLInvalidFile:              "ACL_ERROR_INVALID_FILE",
	ACLParseFile:                "ACL_ERROR_PARSE_FILE",
	ACLRepeatSubscribe:          "ACL_ERROR_REPEAT_SUBSCRIBE",
	ACLStreamNotSubscribe:       "ACL_ERROR_STREAM_NOT_SUBSCRIBE",
	ACLThreadNotSubscribe:       "ACL_ERROR_THREAD_NOT_SUBSCRIBE",
	ACLWaitCallbackTimeout:      "ACL_ERROR_WAIT_CALLBACK_TIMEOUT",
	ACLRepeatFinalize:           "ACL_ERROR_REPEAT_FINALIZE",
	ACLBadAlloc:                 "ACL_ERROR_BAD_ALLOC",
	ACLApiNotSupport:            "ACL_ERROR_API_NOT_SUPPORT",
	ACLInvalidDevice:            "ACL_ERROR_INVALID_DEVICE",
	ACLResourceNotMatch:         "ACL_ERROR_RESOURCE_NOT_MATCH",
	ACLInvalidResourceHandle:    "ACL_ERROR_INVALID_RESOURCE_HANDLE",
	ACLFeatureUnsupported:       "ACL_ERROR_FEATURE_UNSUPPORTED",
	ACLStorageOverLimit:         "ACL_ERROR_STORAGE_OVER_LIMIT",
	ACLInternalError:            "ACL_ERROR_INTERNAL_ERROR",
	ACLFailure:                  "ACL_ERROR_FAILURE",
	ACLRtFailure:                "ACL_ERROR_RT_FAILURE",
	ACLDRVFailure:               "ACL_ERROR_DRV_FAILURE",
	ParamInvalid:                "ACL_ERROR_RT_PARAM_INVALID",
	InvalidDeviceID:             "ACL_ERROR_RT_INVALID_DEVICEID",
	ContextNull:                 "ACL_ERROR_RT_CONTEXT_NULL",
	StreamContext:               "ACL_ERROR_RT_STREAM_CONTEXT",
	ModelContext:                "ACL_ERROR_RT_MODEL_CONTEXT",
	StreamModel:                 "ACL_ERROR_RT_STREAM_MODEL",
	EventTimestampInvalid:       "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID",
	EventTimestampReversal:      "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL",
	AddrUnaligned:               "ACL_ERROR_RT_ADDR_UNALIGNED",
	FileOpen:                    "ACL_ERROR_RT_FILE_OPEN",
	FileWrite:                   "ACL_ERROR_RT_FILE_WRITE",
	StreamSubscribe:             "ACL_ERROR_RT_STREAM_SUBSCRIBE",
	ThreadSubscribe:             "ACL_ERROR_RT_THREAD_SUBSCRIBE",
	GroupNotSet:                 "ACL_ERROR_RT_GROUP_NOT_SET",
	GroupNotCreate:              "ACL_ERROR_RT_GROUP_NOT_CREATE",
	StreamNoCBReg:               "ACL_ERROR_RT_STREAM_NO_CB_REG",
	InvalidMemoryType:           "ACL_ERROR_RT_INVALID_MEMORY_TYPE",
	InvalidHandle:               "ACL_ERROR_RT_INVALID_HANDLE",
	InvalidMallocType:           "ACL_ERROR_RT_INVALID_MALLOC_TYPE",
	WaitTimeout:                 "ACL_ERROR_RT_WAIT_TIMEOUT",
	TaskTimeout:                 "ACL_ERROR_RT_TASK_TIMEOUT",
	SysParamOptNotSet:           "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET",
	DeviceTaskAbort:             "ACL_ERROR_RT_DEVICE_TASK_ABORT",
	StreamAbort:                 "ACL_ERROR_RT_STREAM_ABORT",
	CaptureDependency:           "ACL_ERROR_RT_CAPTURE_DEPENDENCY",
	StreamUnjoined:              "ACL_ERROR_RT_STREAM_UNJOINED",
	ModelCaptured:               "ACL_ERROR_RT_MODEL_CAPTURED",
	StreamCaptured:              "ACL_ERROR_RT_STREAM_CAPTURED",
	EventCaptured:               "ACL_ERROR_RT_EVENT_CAPTURED",
	StreamNotCaptured:           "ACL_ERROR_RT_STREAM_NOT_CAPTURED",
	CaptureModeNotSupport:       "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT",
	StreamCaptureImplicit:       "ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT",
	StreamCaptureConflict:       "ACL_ERROR_STREAM_CAPTURE_CONFLICT",
	StreamTaskGroupStatus:       "ACL_ERROR_STREAM_TASK_GROUP_STATUS",
	StreamTaskGroupIntr:         "ACL_ERROR_STREAM_TASK_GROUP_INTR",
	TaskAbortStop:               "ACL_ERROR_RT_TASK_ABORT_STOP",
	StreamCaptureUnmatched:      "ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED",
	FeatureNotSupport:           "ACL_ERROR_RT_FEATURE_NOT_SUPPORT",
	MemoryAllocation:            "ACL_ERROR_RT_MEMORY_ALLOCATION",
	MemoryFree:                  "ACL_ERROR_RT_MEMORY_FREE",
	AICoreOverFlow:              "ACL_ERROR_RT_AICORE_OVER_FLOW",
	NoDevice:                    "ACL_ERROR_RT_NO_DEVICE",
	ResourceAllocFail:           "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL",
	NoPermission:                "ACL_ERROR_RT_NO_PERMISSION",
	NoEventResource:             "ACL_ERROR_RT_NO_EVENT_RESOURCE",
	NoStreamResource:            "ACL_ERROR_RT_NO_STREAM_RESOURCE",
	NoNotifyResource:            "ACL_ERROR_RT_NO_NOTIFY_RESOURCE",
	NoModelResource:             "ACL_ERROR_RT_NO_MODEL_RESOURCE",
	NoCDQResource:               "ACL_ERROR_RT_NO_CDQ_RESOURCE",
	OverLimit:                   "ACL_ERROR_RT_OVER_LIMIT",
	QueueEmpty:                  "ACL_ERROR_RT_QUEUE_EMPTY",
	QueueFull:                   "ACL_ERROR_RT_QUEUE_FULL",
	RepeatedInit:                "ACL_ERROR_RT_REPEATED_INIT",
	AIVecOverFlow:               "ACL_ERROR_RT_AIVEC_OVER_FLOW",
	OverFlow:                    "ACL_ERROR_RT_OVER_FLOW",
	DeviceOOM:                   "ACL_ERROR_RT_DEVICE_OOM",
	FeatureNotSupportUpdateOp:   "ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP",
	LinkTypeNotSupported:        "ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED",
	InternalError:               "ACL_ERROR_RT_INTERNAL_ERROR",
	TSError:                     "ACL_ERROR_RT_TS_ERROR",
	StreamTaskFull:              "ACL_ERROR_RT_STREAM_TASK_FULL",
	StreamTaskEmpty:             "ACL_ERROR_RT_STREAM_TASK_EMPTY",
	StreamNotComplete:           "ACL_ERROR_RT_STREAM_NOT_COMPLETE",
	EndOfSequence:               "ACL_ERROR_RT_END_OF_SEQUENCE",
	EventNotComplete:            "ACL_ERROR_RT_EVENT_NOT_COMPLETE",
	ContextReleaseError:         "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR",
	SOCVersion:                  "ACL_ERROR_RT_SOC_VERSION",
	TaskTypeNotSupport:          "ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT",
	LostHeartbeat:               "ACL_ERROR_RT_LOST_HEARTBEAT",
	ModelExecute:                "ACL_ERROR_RT_MODEL_EXECUTE",
	ReportTimeout:               "ACL_ERROR_RT_REPORT_TIMEOUT",
	SysDMA:                      "ACL_ERROR_RT_SYS_DMA",
	AICoreTimeout:               "ACL_ERROR_RT_AICORE_TIMEOUT",
	AICoreException:             "ACL_ERROR_RT_AICORE_EXCEPTION",
	AICoreTrapException:         "ACL_ERROR_RT_AICORE_TRAP_EXCEPTION",
	AICPUTimeout:                "ACL_ERROR_RT_AICPU_TIMEOUT",
	AICPUException:              "ACL_ERROR_RT_AICPU_EXCEPTION",
	AICPUDataDumpRspErr:         "ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR",
	AICPUModelRspErr:            "ACL_ERROR_RT_AICPU_MODEL_RSP_ERR",
	ProfilingError:              "ACL_ERROR_RT_PROFILING_ERROR",
	IPCError:                    "ACL_ERROR_RT_IPC_ERROR",
	ModelAbortNormal:            "ACL_ERROR_RT_MODEL_ABORT_NORMAL",
	KernelUnregistering:         "ACL_ERROR_RT_KERNEL_UNREGISTERING",
	RingBufferNotInit:           "ACL_ERROR_RT_RINGBUFFER_NOT_INIT",
	RingBufferNoData:            "ACL_ERROR_RT_RINGBUFFER_NO_DATA",
	KernelLookup:                "ACL_ERROR_RT_KERNEL_LOOKUP",
	KernelDuplicate:             "ACL_ERROR_RT_KERNEL_DUPLICATE",
	DebugRegisterFail:           "ACL_ERROR_RT_DEBUG_REGISTER_FAIL",
	DebugUnregisterFail:         "ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL",
	LabelContext:                "ACL_ERROR_RT_LABEL_CONTEXT",
	ProgramUseOut:               "ACL_ERROR_RT_PROGRAM_USE_OUT",
	DevSetupError:               "ACL_ERROR_RT_DEV_SETUP_ERROR",
	VectorCoreTimeout:           "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT",
	VectorCoreException:         "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION",
	VectorCoreTrapException:     "ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION",
	CDQBatchAbnormal:            "ACL_ERROR_RT_CDQ_BATCH_ABNORMAL",
	DieModeChangeError:          "ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR",
	DieSetError:                 "ACL_ERROR_RT_DIE_SET_ERROR",
	InvalidDieID:                "ACL_ERROR_RT_INVALID_DIEID",
	DieModeNotSet:               "ACL_ERROR_RT_DIE_MODE_NOT_SET",
	AICoreTrapReadOverflow:      "ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW",
	AICoreTrapWriteOverflow:     "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW",
	VectorCoreTrapReadOverflow:  "ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW",
	VectorCoreTrapWriteOverflow: "ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW",
	StreamSyncTimeout:           "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
	EventSyncTimeout:            "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT",
	FFTSPlusTimeout:             "ACL_ERROR_RT_FFTS_PLUS_TIMEOUT",
	FFTSPlusException:           "ACL_ERROR_RT_FFTS_PLUS_EXCEPTION",
	FFTSPlusTrapException:       "ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION",
	SendMsg:                     "ACL_ERROR_RT_SEND_MSG",
	CopyData:                    "ACL_ERROR_RT_COPY_DATA",
	DeviceMemError:              "ACL_ERROR_RT_DEVICE_MEM_ERROR",
	HBMMultiBitECCError:         "ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR",
	SuspectDeviceMemError:       "ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR",
	LinkError:                   "ACL_ERROR_RT_LINK_ERROR",
	SuspectRemoteError:          "ACL_ERROR_RT_SUSPECT_REMOTE_ERROR",
	DRVInternalError:            "ACL_ERROR_RT_DRV_INTERNAL_ERROR",
	AICPUInternalError:          "ACL_ERROR_RT_AICPU_INTERNAL_ERROR",
	SocketClose:                 "ACL_ERROR_RT_SOCKET_CLOSE",
	AICPUInfoLoadRspErr:         "ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR",
	StreamCaptureInvalidated:    "ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED",
	CommOpRetryFail:             "ACL_ERROR_RT_COMM_OP_RETRY_FAIL",
}
