/* scale: z[i] = x[i] * factor. The factor is an fp32 number for the float types,
 * whose product is taken in fp32 and rounded once; an int32, wrapping, for int32. */
#include "kernel.h"

struct scale { uint64_t x, z, n; union { float f; int32_t i; } factor; uint32_t zero; };

static uint8_t (*const x)[TILE] = core, (*const z)[TILE] = core + 2;

static void scale_fp32_tile(const struct scale *a, uint32_t b, uint32_t n)
{
	const float *restrict p = (const float *)x[b];
	float *restrict r = (float *)z[b], f = a->factor.f;
	for (uint32_t i = 0; i < n; i++) r[i] = canonical(p[i] * f);
}

static void scale_fp16_tile(const struct scale *a, uint32_t b, uint32_t n)
{
	const uint16_t *restrict p = (const uint16_t *)x[b];
	uint16_t *restrict r = (uint16_t *)z[b];
	float f = a->factor.f;
	for (uint32_t i = 0; i < n; i++) r[i] = to_half(from_half(p[i]) * f);
}

static void scale_bf16_tile(const struct scale *a, uint32_t b, uint32_t n)
{
	const uint16_t *restrict p = (const uint16_t *)x[b];
	uint16_t *restrict r = (uint16_t *)z[b];
	float f = a->factor.f;
	for (uint32_t i = 0; i < n; i++) r[i] = to_brain(from_brain(p[i]) * f);
}

static void scale_int32_tile(const struct scale *a, uint32_t b, uint32_t n)
{
	const uint32_t *restrict p = (const uint32_t *)x[b];
	uint32_t *restrict r = (uint32_t *)z[b], f = (uint32_t)a->factor.i;
	for (uint32_t i = 0; i < n; i++) r[i] = p[i] * f;
}

static void load(const struct scale *a, uint32_t size, struct span s, uint64_t at, uint32_t b)
{
	uint64_t left = (s.end - at) * size;
	hsim_dma_start_in(b, x[b], a->x + at * size, left < TILE ? (uint32_t)left : TILE);
}

static int32_t run(const struct scale *a, uint32_t block, uint32_t blocks, uint32_t size, uint32_t dtype,
	void (*tile)(const struct scale *, uint32_t, uint32_t))
{
	uint32_t per = TILE / size, b = 0;
	struct span s = split(a->n, per, block, blocks);
	if (s.first == s.end) return 0;
	load(a, size, s, s.first, 0);
	for (uint64_t at = s.first; at < s.end; at += per, b ^= 1) {
		uint32_t n = s.end - at < per ? (uint32_t)(s.end - at) : per;
		if (at + per < s.end) load(a, size, s, at + per, b ^ 1);
		hsim_dma_wait(b);
		hsim_dma_wait(2 + b);
		tile(a, b, n);
		hsim_vector(n, dtype);
		hsim_dma_start_out(2 + b, a->z + at * size, z[b], n * size);
	}
	hsim_dma_wait(2);
	hsim_dma_wait(3);
	return 0;
}

HSIM_KERNEL(scale_fp32)
{
	ARGUMENTS(struct scale);
	return run(a, block, blocks, 4, HSIM_DTYPE_FP32, scale_fp32_tile);
}

HSIM_KERNEL(scale_fp16)
{
	ARGUMENTS(struct scale);
	return run(a, block, blocks, 2, HSIM_DTYPE_FP16, scale_fp16_tile);
}

HSIM_KERNEL(scale_bf16)
{
	ARGUMENTS(struct scale);
	return run(a, block, blocks, 2, HSIM_DTYPE_BF16, scale_bf16_tile);
}

HSIM_KERNEL(scale_int32)
{
	ARGUMENTS(struct scale);
	return run(a, block, blocks, 4, HSIM_DTYPE_INT32, scale_int32_tile);
}
