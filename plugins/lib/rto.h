/* Retransmission time-outs in picoseconds. */
#ifndef HSIM_LIB_RTO_H
#define HSIM_LIB_RTO_H

#include <stdint.h>

#include "hsim.h"

/* rto_verbs is 4.096 us * 2^n, 0 (never) for n = 0, as the local ack time-out of
 * a queue pair. */
static inline int64_t rto_verbs(uint32_t n) { return n == 0 ? 0 : (int64_t)4096000 << (n & 31); }

/* rto_step is base * 2^(shift * k), at most 2^55 ps, ten hours. */
static inline int64_t rto_step(int64_t base, uint32_t shift, uint32_t k) {
	uint32_t n = shift * k;
	return n > 55 || base > (((int64_t)1 << 55) >> n) ? (int64_t)1 << 55 : base << n;
}

/* rto_spread notes one more loss in a row, of which packet p tells. From the second on
 * nothing is sent for a random part of a round trip that doubles: flows that overrun a
 * buffer in step would lose the same packets for ever. */
static inline void rto_spread(int64_t *blocked, uint8_t *repeats, const struct hsim_packet *p) {
	if (*repeats > 0) *blocked = p->now + 1 + (int64_t)(hsim_random() % (uint64_t)((p->now - p->sent_at + 1) << (*repeats < 8 ? *repeats : 8)));
	if (*repeats < 255) ++*repeats;
}

/* rnr_delay is the RNR timer code of verbs as a time. Codes double in pairs
 * from 0.01 ms (1) and 0.02 ms (2) on; 0 means 655.36 ms. */
static inline int64_t rnr_delay(uint32_t code) {
	static const uint16_t hundredths[32] = {65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
		1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
	code &= 31;
	if (code == 0) return 655360000000;
	return (int64_t)hundredths[code] * 10000000;
}

#endif
