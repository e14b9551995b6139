package abi

var streamCalls = []call{
	{"stream", "aclError aclrtCreateStream(aclrtStream *stream)", "rtCreateStream aclrtCreateStream", "Make a stream in the current context."},
	{"stream", "aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)", "rtCreateStreamWithConfig", "Make a stream with a priority (0 best to 7) and flags."},
	{"stream", "aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)", "", "Make a stream as a configuration says."},
	{"stream", "aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle()", "", "A configuration of default values."},
	{"stream", "aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize)", "", "Set work area, its size, flag or priority of a configuration."},
	{"stream", "aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)", "", "Free a configuration."},
	{"stream", "aclError aclrtDestroyStream(aclrtStream stream)", "rtDestroyStream", "Free a stream after its tasks have ended."},
	{"stream", "aclError aclrtDestroyStreamForce(aclrtStream stream)", "rtDestroyStreamForce", "Free a stream at once; what it has left is dropped."},
	{"stream", "aclError aclrtSynchronizeStream(aclrtStream stream)", "rtSynchronizeStream", "Wait for everything queued; returns the first failure. Null is the default stream."},
	{"stream", "aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)", "rtSynchronizeStreamWithTimeout", "The same for at most timeout milliseconds, -1 for ever."},
	{"stream", "aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)", "", "0 when everything queued has ended, else 1."},
	{"stream", "aclError aclrtStreamStop(aclrtStream stream)", "rtStreamStop", "Hold the stream after its running task."},
	{"stream", "aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)", "", "Let a stopped stream go on; stream says on whose behalf and is only checked."},
	{"stream", "aclError aclrtStreamAbort(aclrtStream stream)", "", "Drop the running task and what is queued."},
	{"stream", "aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)", "rtSetStreamAttribute", "Set failure mode, overflow check, user tag or cache information."},
	{"stream", "aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)", "rtGetStreamAttribute", "Read an attribute."},
	{"stream", "aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)", "", "Set the failure mode: 0 continue, 1 stop."},
	{"stream", "aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)", "", "Switch the overflow check."},
	{"stream", "aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)", "", "Read the overflow check."},
	{"stream", "aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)", "aclrtGetStreamAvailableNum", "Streams that the current device has left."},
	{"stream", "aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)", "", "Number of the stream on its device."},
	{"stream", "aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)", "", "Priority of the stream."},
	{"stream", "aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)", "", "Flags of the stream."},
}

var captureCalls = []call{
	{"stream", "aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)", "", "Record what is queued on the stream from now on instead of running it."},
	{"stream", "aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)", "", "Whether the stream is being captured, and into what."},
	{"stream", "aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)", "", "Exchange the thread's capture mode with *mode."},
	{"stream", "aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)", "", "End the capture; the model can be executed."},
	{"stream", "aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)", "", "Begin a group of captured tasks that can be replaced."},
	{"stream", "aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)", "", "End a group."},
	{"stream", "aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)", "", "Begin to replace the tasks of a group."},
	{"stream", "aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)", "", "End replacing."},
	{"stream", "aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)", "", "Queue a captured model."},
	{"stream", "aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)", "", "Run a captured model and wait for it, timeout in milliseconds."},
	{"stream", "aclError aclmdlRIDestroy(aclmdlRI modelRI)", "", "Free a captured model."},
}

var notifyCalls = []call{
	{"notify", "aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)", "rtCreateNotify", "Take a free notify of the current device, with value 0."},
	{"notify", "aclError aclrtDestroyNotify(aclrtNotify notify)", "rtDestroyNotify", "Give the handle back; the register is free when every process has."},
	{"notify", "aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)", "rtGetNotifyId", "Number of the notify on its device."},
	{"notify", "aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)", "rtRecordNotify", "Queue a task that sets the notify."},
	{"notify", "aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)", "rtWaitAndResetNotify lrtWaitAndResetNotify", "Queue a task that waits for the notify and clears it; timeout in seconds, 0 for ever."},
	{"notify", "aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)", "rtNotifyGetExportKey", "Let other processes import the notify; flag 2 drops the whitelist."},
	{"notify", "aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)", "rtNotifyImportByKey", "A handle on a notify of another process; flag 2 enables peer access."},
	{"notify", "aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)", "rtNotifySetImportPid", "Put processes on the whitelist."},
}

var eventCalls = []call{
	{"event", "aclError aclrtCreateEvent(aclrtEvent *event)", "rtCreateEvent", "Make an event of every capability but reset."},
	{"event", "aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)", "rtCreateEventWithFlag", "Make an event with the capabilities of its flags."},
	{"event", "aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)", "", "The same, without a hardware id before the first record."},
	{"event", "aclError aclrtDestroyEvent(aclrtEvent event)", "rtDestroyEvent", "Free an event; queued waits keep their generation."},
	{"event", "aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)", "rtGetEventId", "Number of the event on its device."},
	{"event", "aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)", "rtRecordEvent aclrtRecordEvent", "Queue a record: a new generation of the event."},
	{"event", "aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)", "rtQueryEventStatus", "1 when the latest record has completed, else 0."},
	{"event", "aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)", "rtQueryEventWaitStatus", "0 when every queued wait has passed, else 1."},
	{"event", "aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)", "rtResetEvent", "Queue a reset, of events with the sync flag."},
	{"event", "aclError aclrtSynchronizeEvent(aclrtEvent event)", "rtSynchronizeEvent", "Wait for the latest record."},
	{"event", "aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)", "", "The same for at most timeout milliseconds, -1 for ever."},
	{"event", "aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)", "rtStreamWaitEvent aclrtStreamWaitEvent", "Let the stream wait for the generation of now."},
	{"event", "aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)", "", "Milliseconds between two records."},
	{"event", "aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)", "", "When the record completed, in microseconds."},
}

var callbackCalls = []call{
	{"callback", "aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)", "rtSubscribeReport", "Make a thread (pthread_self) take the stream's callbacks."},
	{"callback", "aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)", "rtUnSubscribeReport", "End that."},
	{"callback", "aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)", "rtLaunchCallback", "Queue a call of fn on the subscribed thread; block type 1 holds the stream until it returns."},
	{"callback", "aclError aclrtProcessReport(int32_t timeout)", "rtProcessReport", "Run the callbacks that are ready, after waiting for one; timeout in milliseconds, -1 for ever."},
	{"callback", "aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)", "rtSetExceptionInfoCallback", "Set the process's hook for failed tasks; null removes it."},
	{"callback", "uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)", "", "Task of an exception."},
	{"callback", "uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)", "", "Stream of an exception."},
	{"callback", "uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)", "", "Thread of an exception."},
	{"callback", "uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)", "", "Device of an exception."},
	{"callback", "uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)", "", "Code of an exception."},
}
