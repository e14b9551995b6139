/* add: z[i] = x[i] + y[i]. fp16 and bf16 are added in fp32 and rounded once;
 * int32 wraps. Two tiles of each operand: the next one comes in while this one is
 * added and the last one goes out. */
#include "kernel.h"

struct add { uint64_t x, y, z, n; };

static uint8_t (*const x)[TILE] = core, (*const y)[TILE] = core + 2, (*const z)[TILE] = core + 4;

static void add_fp32_tile(uint32_t b, uint32_t n)
{
	const float *restrict p = (const float *)x[b], *restrict q = (const float *)y[b];
	float *restrict r = (float *)z[b];
	for (uint32_t i = 0; i < n; i++) r[i] = canonical(p[i] + q[i]);
}

static void add_fp16_tile(uint32_t b, uint32_t n)
{
	const uint16_t *restrict p = (const uint16_t *)x[b], *restrict q = (const uint16_t *)y[b];
	uint16_t *restrict r = (uint16_t *)z[b];
	for (uint32_t i = 0; i < n; i++) r[i] = to_half(from_half(p[i]) + from_half(q[i]));
}

static void add_bf16_tile(uint32_t b, uint32_t n)
{
	const uint16_t *restrict p = (const uint16_t *)x[b], *restrict q = (const uint16_t *)y[b];
	uint16_t *restrict r = (uint16_t *)z[b];
	for (uint32_t i = 0; i < n; i++) r[i] = to_brain(from_brain(p[i]) + from_brain(q[i]));
}

static void add_int32_tile(uint32_t b, uint32_t n)
{
	const uint32_t *restrict p = (const uint32_t *)x[b], *restrict q = (const uint32_t *)y[b];
	uint32_t *restrict r = (uint32_t *)z[b];
	for (uint32_t i = 0; i < n; i++) r[i] = p[i] + q[i];
}

static inline uint32_t tile_at(struct span s, uint64_t at, uint32_t per)
{
	return s.end - at < per ? (uint32_t)(s.end - at) : per;
}

static void load(const struct add *a, uint32_t size, struct span s, uint64_t at, uint32_t b)
{
	uint32_t n = tile_at(s, at, TILE / size) * size;
	hsim_dma_start_in(b, x[b], a->x + at * size, n);
	hsim_dma_start_in(b, y[b], a->y + at * size, n);
}

static int32_t run(const struct add *a, uint32_t block, uint32_t blocks, uint32_t size, uint32_t dtype, void (*tile)(uint32_t, uint32_t))
{
	uint32_t per = TILE / size, b = 0;
	struct span s = split(a->n, per, block, blocks);
	if (s.first == s.end) return 0;
	load(a, size, s, s.first, 0);
	for (uint64_t at = s.first; at < s.end; at += per, b ^= 1) {
		uint32_t n = tile_at(s, at, per);
		if (at + per < s.end) load(a, size, s, at + per, b ^ 1);
		hsim_dma_wait(b);     /* the operands are here */
		hsim_dma_wait(2 + b); /* the result of two tiles ago is out */
		tile(b, n);
		hsim_vector(n, dtype);
		hsim_dma_start_out(2 + b, a->z + at * size, z[b], n * size);
	}
	hsim_dma_wait(2);
	hsim_dma_wait(3);
	return 0;
}

HSIM_KERNEL(add_fp32)
{
	ARGUMENTS(struct add);
	return run(a, block, blocks, 4, HSIM_DTYPE_FP32, add_fp32_tile);
}

HSIM_KERNEL(add_fp16)
{
	ARGUMENTS(struct add);
	return run(a, block, blocks, 2, HSIM_DTYPE_FP16, add_fp16_tile);
}

HSIM_KERNEL(add_bf16)
{
	ARGUMENTS(struct add);
	return run(a, block, blocks, 2, HSIM_DTYPE_BF16, add_bf16_tile);
}

HSIM_KERNEL(add_int32)
{
	ARGUMENTS(struct add);
	return run(a, block, blocks, 4, HSIM_DTYPE_INT32, add_int32_tile);
}
