/* What the kernels of this directory share: number formats, the split of an array
 * among blocks, and the double-buffered walk over tiles. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#define HSIM_KIND_KERNEL
#include "hsim.h"

#include <wasm_simd128.h>

/* The working memory of whatever kernel runs: six tiles of 16 KiB, enough for two
 * of each of two operands and of a result, and half of a 192 KiB core. */
enum { TILE = 16 << 10, TILES = 6 };

extern uint8_t core[TILES][TILE];

static inline uint32_t bits_of(float f) { union { float f; uint32_t u; } v = { f }; return v.u; }
static inline float float_of(uint32_t u) { union { uint32_t u; float f; } v = { u }; return v.f; }

/* One NaN for all machines: what hardware leaves in a NaN differs. */
static inline float canonical(float f) { return f == f ? f : float_of(0x7fc00000); }

/* fp16 to fp32, exact. The product scales the exponent and normalises subnormals. */
static inline float from_half(uint16_t h)
{
	uint32_t u = (uint32_t)(h & 0x7fff) << 13;
	uint32_t special = u >= 0x0f800000 ? 0x7f800000 : 0;
	uint32_t r = bits_of(float_of(u) * 0x1p112f) | special;
	return float_of(r | (uint32_t)(h & 0x8000) << 16);
}

/* fp32 to fp16, to nearest even; too large is infinity. */
static inline uint16_t to_half(float f)
{
	uint32_t b = bits_of(f), x = b & 0x7fffffff, sign = b >> 16 & 0x8000;
	uint32_t normal = (x + 0xfff + (x >> 13 & 1) - (112u << 23)) >> 13;
	uint32_t small = bits_of(float_of(x) + 0.5f) - 0x3f000000;
	uint32_t r = x < 0x38800000 ? small : normal;
	r = x >= 0x47800000 ? 0x7c00 : r;
	r |= sign;
	return (uint16_t)(x > 0x7f800000 ? 0x7e00 : r);
}

static inline float from_brain(uint16_t h) { return float_of((uint32_t)h << 16); }

static inline uint16_t to_brain(float f)
{
	uint32_t b = bits_of(f);
	uint32_t r = (b + 0x7fff + (b >> 16 & 1)) >> 16;
	return (uint16_t)((b & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : r);
}

/* The elements of block number block: whole tiles of per elements. */
struct span { uint64_t first, end; };

static inline struct span split(uint64_t n, uint32_t per, uint32_t block, uint32_t blocks)
{
	uint64_t tiles = (n + per - 1) / per;
	struct span s = { tiles * block / blocks * per, tiles * (block + 1) / blocks * per };
	if (s.end > n) s.end = n;
	if (s.first > n) s.first = n;
	return s;
}

/* Arguments come as a struct; a launch with others is refused. */
#define ARGUMENTS(type) \
	if (args_len != sizeof(type)) HSIM_FAIL("the arguments have the wrong size, want " #type); \
	const type *a = args

#endif
