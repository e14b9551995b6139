/* The runtime: devices, contexts, streams, events, notifies, memory, callbacks, kernels. */
#ifndef HSIM_ACL_RT_H
#define HSIM_ACL_RT_H

#include "acl/acl_base.h"
#include "acl/acl_calls.h"

#endif
