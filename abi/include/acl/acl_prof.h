/* Profiling: the simulator keeps every time itself (hsim run --trace), so these calls say that they are not supported. */
#ifndef HSIM_ACL_PROF_H
#define HSIM_ACL_PROF_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef int aclprofAicoreMetrics;

#define ACL_PROF_ACL_API 0x0001ULL
#define ACL_PROF_TASK_TIME 0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU 0x0008ULL
#define ACL_PROF_HCCL_TRACE 0x0020ULL
#define ACL_AICORE_NONE 0xFF

static inline aclError aclprofInit(const char *path, size_t length) { return (void)path, (void)length, ACL_ERROR_API_NOT_SUPPORT; }
static inline aclError aclprofFinalize(void) { return ACL_ERROR_API_NOT_SUPPORT; }
static inline aclError aclprofStart(const aclprofConfig *config) { return (void)config, ACL_ERROR_API_NOT_SUPPORT; }
static inline aclError aclprofStop(const aclprofConfig *config) { return (void)config, ACL_ERROR_API_NOT_SUPPORT; }
static inline aclError aclprofDestroyConfig(const aclprofConfig *config) { return (void)config, ACL_ERROR_API_NOT_SUPPORT; }

static inline aclprofConfig *aclprofCreateConfig(uint32_t *devices, uint32_t count, aclprofAicoreMetrics metrics, const aclprofAicoreEvents *events, uint64_t types)
{
	return (void)devices, (void)count, (void)metrics, (void)events, (void)types, (aclprofConfig *)NULL;
}

#ifdef __cplusplus
}
#endif

#endif
