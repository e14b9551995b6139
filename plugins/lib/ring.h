/* A window of sequence numbers as bits: 2048 of them, by number modulo that. */
#ifndef HSIM_LIB_RING_H
#define HSIM_LIB_RING_H

#include <stdint.h>

enum { RING = 2048, RING_WORDS = RING / 32 };

static inline int ring_has(const uint32_t *m, uint32_t psn) { return m[psn / 32 % RING_WORDS] >> (psn & 31) & 1; }
static inline void ring_set(uint32_t *m, uint32_t psn) { m[psn / 32 % RING_WORDS] |= 1u << (psn & 31); }
static inline void ring_clear(uint32_t *m, uint32_t psn) { m[psn / 32 % RING_WORDS] &= ~(1u << (psn & 31)); }

/* ring_word is the bits of 32 numbers from psn on. */
static inline uint32_t ring_word(const uint32_t *m, uint32_t psn) {
	uint32_t low = m[psn / 32 % RING_WORDS], s = psn & 31;
	return s == 0 ? low : low >> s | m[(psn / 32 + 1) % RING_WORDS] << (32 - s);
}

#endif
