/* reduce: z[i] = x0[i] op x1[i] op ... over count arrays that lie stride elements
 * apart, in ascending order. fp16 and bf16 accumulate in fp32 and round once at
 * the end; int32 wraps. max and min let NaN win and order -0 below +0. */
#include "kernel.h"

struct reduce { uint64_t x, z, n, stride; uint32_t count, op; };

/* PER elements of any type: 16 KiB of accumulators. */
enum { PER = TILE / 4 };

static uint8_t (*const x)[TILE] = core, (*const z)[TILE] = core + 2;
static float *const acc = (float *)core[4], *const in = (float *)core[5];

/* combine folds in into acc, four at a time: the arrays have room for whole vectors. */
static void combine_float(uint32_t op, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4) {
		v128_t p = wasm_v128_load(acc + i), q = wasm_v128_load(in + i);
		switch (op) {
		case HSIM_REDUCE_SUM: p = wasm_f32x4_add(p, q); break;
		case HSIM_REDUCE_PROD: p = wasm_f32x4_mul(p, q); break;
		case HSIM_REDUCE_MAX: p = wasm_f32x4_max(p, q); break;
		default: p = wasm_f32x4_min(p, q); break;
		}
		wasm_v128_store(acc + i, p);
	}
}

static void combine_int32(uint32_t op, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4) {
		v128_t p = wasm_v128_load(acc + i), q = wasm_v128_load(in + i);
		switch (op) {
		case HSIM_REDUCE_SUM: p = wasm_i32x4_add(p, q); break;
		case HSIM_REDUCE_PROD: p = wasm_i32x4_mul(p, q); break;
		case HSIM_REDUCE_MAX: p = wasm_i32x4_max(p, q); break;
		default: p = wasm_i32x4_min(p, q); break;
		}
		wasm_v128_store(acc + i, p);
	}
}

static void widen(uint32_t dtype, float *restrict to, uint32_t b, uint32_t n)
{
	const uint16_t *restrict h = (const uint16_t *)x[b];
	switch (dtype) {
	case HSIM_DTYPE_FP16: for (uint32_t i = 0; i < n; i++) to[i] = from_half(h[i]); break;
	case HSIM_DTYPE_BF16: for (uint32_t i = 0; i < n; i++) to[i] = from_brain(h[i]); break;
	default: __builtin_memcpy(to, x[b], n * 4);
	}
}

static void narrow(uint32_t dtype, uint32_t b, uint32_t n)
{
	uint16_t *restrict h = (uint16_t *)z[b];
	float *restrict f = (float *)z[b];
	switch (dtype) {
	case HSIM_DTYPE_FP16: for (uint32_t i = 0; i < n; i++) h[i] = to_half(acc[i]); break;
	case HSIM_DTYPE_BF16: for (uint32_t i = 0; i < n; i++) h[i] = to_brain(acc[i]); break;
	case HSIM_DTYPE_FP32: for (uint32_t i = 0; i < n; i++) f[i] = canonical(acc[i]); break;
	default: __builtin_memcpy(z[b], acc, n * 4);
	}
}

static int32_t run(const struct reduce *a, uint32_t block, uint32_t blocks, uint32_t size, uint32_t dtype)
{
	if (a->count == 0) HSIM_FAIL("got no arrays, want a count of at least 1");
	if (a->op > HSIM_REDUCE_MIN) HSIM_FAIL("got an unknown operator, want sum, prod, max or min");
	struct span s = split(a->n, PER, block, blocks);
	uint32_t b = 0, out = 0;
	/* The next array comes in while this one is combined. */
	if (s.first < s.end) {
		uint64_t n = s.end - s.first;
		hsim_dma_start_in(0, x[0], a->x + s.first * size, (uint32_t)(n < PER ? n : PER) * size);
	}
	for (uint64_t at = s.first; at < s.end; at += PER, out ^= 1) {
		uint32_t n = s.end - at < PER ? (uint32_t)(s.end - at) : PER;
		for (uint32_t j = 0; j < a->count; j++, b ^= 1) {
			if (j + 1 < a->count) {
				hsim_dma_start_in(b ^ 1, x[b ^ 1], a->x + ((j + 1) * a->stride + at) * size, n * size);
			} else if (at + PER < s.end) {
				uint64_t m = s.end - at - PER;
				hsim_dma_start_in(b ^ 1, x[b ^ 1], a->x + (at + PER) * size, (uint32_t)(m < PER ? m : PER) * size);
			}
			hsim_dma_wait(b);
			widen(dtype, j == 0 ? acc : in, b, n);
			if (j > 0) {
				if (dtype == HSIM_DTYPE_INT32) combine_int32(a->op, n); else combine_float(a->op, n);
				hsim_vector(n, dtype);
			}
		}
		hsim_dma_wait(2 + out);
		narrow(dtype, out, n);
		hsim_dma_start_out(2 + out, a->z + at * size, z[out], n * size);
	}
	hsim_dma_wait(2);
	hsim_dma_wait(3);
	return 0;
}

HSIM_KERNEL(reduce_fp32)
{
	ARGUMENTS(struct reduce);
	return run(a, block, blocks, 4, HSIM_DTYPE_FP32);
}

HSIM_KERNEL(reduce_fp16)
{
	ARGUMENTS(struct reduce);
	return run(a, block, blocks, 2, HSIM_DTYPE_FP16);
}

HSIM_KERNEL(reduce_bf16)
{
	ARGUMENTS(struct reduce);
	return run(a, block, blocks, 2, HSIM_DTYPE_BF16);
}

HSIM_KERNEL(reduce_int32)
{
	ARGUMENTS(struct reduce);
	return run(a, block, blocks, 4, HSIM_DTYPE_INT32);
}
