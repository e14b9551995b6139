/* The application layer: everything of the runtime. */
#ifndef HSIM_ACL_H
#define HSIM_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif
