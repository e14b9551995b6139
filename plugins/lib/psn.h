/* Packet sequence numbers: modulo 2^32 in the records, of which a wire format
 * carries the low 24 bits; windows below 2^23 keep the order unambiguous. */
#ifndef HSIM_LIB_PSN_H
#define HSIM_LIB_PSN_H

#include <stdint.h>

static inline int32_t psn_diff(uint32_t a, uint32_t b) { return (int32_t)(a - b); }

enum { PSN_WINDOW = (1 << 23) - 1 };

#endif
