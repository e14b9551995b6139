package guest

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/acl"
	"hsim/host/hccl"
	"hsim/host/mem"
)

func header(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../abi/include/" + name)
	require.NoError(t, err)
	return string(b)
}

// TestErrorCodes holds the header of error codes against the runtime's own names, in both directions.
func TestErrorCodes(t *testing.T) {
	names := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^#define (ACL_\w+) (\d+)$`).FindAllStringSubmatch(header(t, "acl/acl_errors.h"), -1) {
		v, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		names[m[1]] = v
		if v != 0 {
			assert.Equal(t, m[1], acl.Code(v).String())
		}
	}
	for v := range 600000 {
		if n := acl.Code(v).String(); strings.HasPrefix(n, "ACL_") {
			got, ok := names[n]
			require.True(t, ok, "the header has no %s", n)
			require.Equal(t, v, got, n)
		}
	}
}

// TestConstants holds the constants of the headers against the numbers that the calls take.
func TestConstants(t *testing.T) {
	values := map[string]int64{}
	text := header(t, "acl/acl_base.h") + header(t, "hccl/hccl_types.h")
	for _, m := range regexp.MustCompile(`\b((?:ACL|HCCL|HSIM|COMM)_\w+)(?: =)? ((?:0x)?[0-9A-Fa-f]+)(?:U|UL|ULL)?\b`).FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseInt(m[2], 0, 64)
		require.NoError(t, err, m[0])
		values[m[1]] = v
	}
	for name, want := range map[string]int{
		"ACL_MEMCPY_HOST_TO_DEVICE": int(acl.HostToDevice), "ACL_MEMCPY_DEVICE_TO_HOST": int(acl.DeviceToHost), "ACL_MEMCPY_DEFAULT": int(acl.MemcpyDefault),
		"ACL_MEMCPY_INTER_DEVICE_TO_DEVICE": int(acl.InterDevicesMemcpy),
		"ACL_MEM_MALLOC_HUGE_FIRST":         acl.MallocHugeFirst, "ACL_MEM_MALLOC_NORMAL_ONLY": acl.MallocNormalOnly,
		"ACL_STREAM_FAST_LAUNCH": acl.StreamFastLaunch, "ACL_STREAM_PERSISTENT": acl.StreamPersistent, "ACL_STREAM_DEVICE_USE_ONLY": acl.StreamDeviceUseOnly,
		"ACL_STREAM_ATTR_FAILURE_MODE": int(acl.AttrFailureMode), "ACL_STREAM_ATTR_USER_CUSTOM_TAG": int(acl.AttrUserTag),
		"ACL_EVENT_SYNC": acl.EventSync, "ACL_EVENT_CAPTURE_STREAM_PROGRESS": acl.EventStreamProgress, "ACL_EVENT_TIME_LINE": acl.EventTimeLine,
		"ACL_EVENT_EXTERNAL": acl.EventExternal, "HSIM_EVENT_AUTO_RESET": acl.EventAutoReset,
		"ACL_CALLBACK_NO_BLOCK": acl.CallbackNoBlock, "ACL_CALLBACK_BLOCK": acl.CallbackBlock,
		"ACL_MEM_LOCATION_TYPE_DEVICE": int(acl.LocationDevice), "ACL_MEM_LOCATION_TYPE_UNREGISTERED": int(acl.LocationUnregistered),
		"ACL_HBM_MEM_HUGE": int(acl.AttrHBMHuge), "ACL_HBM_MEM_P2P_HUGE1G": int(acl.AttrHBMHuge1GP2P),
		"ACL_HOST_REGISTER_MAPPED": int(acl.HostMapped), "ACL_HOST_REGISTER_READONLY": int(acl.HostReadOnly),
		"ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE": acl.LaunchEngine, "ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT": acl.LaunchTimeout,
		"ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US": acl.LaunchTimeoutUs, "ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE": acl.BinaryCPUMode,
		"ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE": acl.MagicVector, "ACL_RT_DEVS_TOPOLOGY_HCCS": int(acl.TopoHCCS),
		"ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE": int(acl.InfoHBM), "ACL_DEV_ATTR_SUPER_POD_ID": int(acl.InfoSuperPod),
		"ACL_MODEL_RI_CAPTURE_MODE_RELAXED": int(acl.CaptureRelaxed), "ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED": int(acl.CaptureInvalidated),
		"ACL_RT_OVERFLOW_MODE_INFNAN": int(acl.SatInfNaN), "ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION": acl.NotifyNoPidCheck,
		"ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS": acl.IpcMemPeerAccess, "ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION": acl.ShareNoPidCheck,
		"HCCL_E_PARA": int(hccl.ErrPara), "HCCL_E_TIMEOUT": int(hccl.ErrTimeout), "HCCL_E_OOM": int(hccl.ErrOutOfMemory),
		"HCCL_DATA_TYPE_FP32": int(mem.FP32), "HCCL_DATA_TYPE_BFP16": int(mem.BF16), "HCCL_DATA_TYPE_UINT64": int(mem.Uint64),
		"HCCL_REDUCE_MAX": int(mem.Max), "HCCL_ROOT_INFO_BYTES": rootInfoBytes, "COMM_NAME_MAX_LENGTH": commNameBytes,
	} {
		got, ok := values[name]
		if assert.True(t, ok, "no header has %s", name) {
			assert.EqualValues(t, want, got, name)
		}
	}
}
