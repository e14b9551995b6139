/* Communicators and collectives. */
#ifndef HSIM_HCCL_H
#define HSIM_HCCL_H

#include "hccl/hccl_calls.h"
#include "hccl/hccl_types.h"

#endif
