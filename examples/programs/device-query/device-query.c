/* What the runtime tells of its devices. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

static const struct {
	aclrtDevAttr attr;
	const char *name;
} attributes[] = {
	{ACL_DEV_ATTR_AICPU_CORE_NUM, "AI CPUs"},
	{ACL_DEV_ATTR_CUBE_CORE_NUM, "cube cores"},
	{ACL_DEV_ATTR_VECTOR_CORE_NUM, "vector cores"},
	{ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, "bytes of HBM"},
	{ACL_DEV_ATTR_L2_CACHE_SIZE, "bytes of L2"},
};

int main(void)
{
	uint32_t count = 0, streams = 0;
	aclrtRunMode mode;
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	CHECK(aclrtGetRunMode(&mode));
	printf("%u devices of type %s, seen from %s\n", (unsigned)count, aclrtGetSocName(), mode == ACL_HOST ? "a host" : "the device");
	for (uint32_t d = 0; d < count; d++) {
		int32_t physical;
		CHECK(aclrtSetDevice((int32_t)d));
		CHECK(aclrtGetPhyDevIdByLogicDevId((int32_t)d, &physical));
		CHECK(aclrtGetStreamAvailableNum(&streams));
		printf("device %u (physical %d), %u streams left\n", (unsigned)d, (int)physical, (unsigned)streams);
		for (size_t i = 0; d == 0 && i < sizeof attributes / sizeof attributes[0]; i++) {
			int64_t value;
			CHECK(aclrtGetDeviceInfo(d, attributes[i].attr, &value));
			printf("  %lld %s\n", (long long)value, attributes[i].name);
		}
		for (uint32_t peer = 0; peer < count; peer++) {
			uint64_t topology;
			int32_t can;
			if (peer == d)
				continue;
			CHECK(aclrtGetDevicesTopo(d, peer, &topology));
			CHECK(aclrtDeviceCanAccessPeer(&can, (int32_t)d, (int32_t)peer));
			printf("  to device %u: %s%s\n", (unsigned)peer,
			       topology & ACL_RT_DEVS_TOPOLOGY_SIO ? "the same package" : topology & ACL_RT_DEVS_TOPOLOGY_HCCS_SW ? "a scale-up switch"
			                                                             : topology & ACL_RT_DEVS_TOPOLOGY_HCCS ? "a scale-up link"
			                                                                                                   : "the host",
			       can ? ", memory can be reached" : "");
		}
		CHECK(aclrtResetDevice((int32_t)d));
	}
	CHECK(aclFinalize());
	return 0;
}
