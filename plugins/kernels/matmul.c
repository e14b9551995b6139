/* matmul: c[m][n] = a[m][k] b[k][n], row-major, in tiles of 64. Products are
 * summed in fp32 in ascending k, each rounded by itself, and the result is rounded
 * once to the type. The blocks of a launch take the tiles of c in turn. */
#include "kernel.h"

struct matmul { uint64_t a, b, c; uint32_t m, n, k, zero; };

enum { T = 64 };

static uint8_t (*const raw)[TILE] = core; /* tiles of a and b as they come */
static float *const fa = (float *)core[2], *const fb = (float *)core[3], *const acc = (float *)core[4];

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void widen(uint32_t dtype, float *restrict to, const uint8_t *from)
{
	const uint16_t *restrict h = (const uint16_t *)from;
	switch (dtype) {
	case HSIM_DTYPE_FP16: for (uint32_t i = 0; i < T * T; i++) to[i] = from_half(h[i]); break;
	case HSIM_DTYPE_BF16: for (uint32_t i = 0; i < T * T; i++) to[i] = from_brain(h[i]); break;
	default: __builtin_memcpy(to, from, sizeof(float[T * T]));
	}
}

static void multiply(uint32_t mm, uint32_t kk)
{
	for (uint32_t i = 0; i < mm; i++)
		for (uint32_t l = 0; l < kk; l++) {
			float f = fa[i * T + l];
			float *restrict r = acc + i * T;
			const float *restrict q = fb + l * T;
			for (uint32_t j = 0; j < T; j++) r[j] += f * q[j];
		}
}

/* narrow rounds acc into raw[0], which is free by then. */
static void narrow(uint32_t dtype)
{
	uint16_t *restrict h = (uint16_t *)raw[0];
	float *restrict f = (float *)raw[0];
	switch (dtype) {
	case HSIM_DTYPE_FP16: for (uint32_t i = 0; i < T * T; i++) h[i] = to_half(acc[i]); break;
	case HSIM_DTYPE_BF16: for (uint32_t i = 0; i < T * T; i++) h[i] = to_brain(acc[i]); break;
	default: for (uint32_t i = 0; i < T * T; i++) f[i] = canonical(acc[i]);
	}
}

static int32_t run(const struct matmul *a, uint32_t block, uint32_t blocks, uint32_t size, uint32_t dtype)
{
	uint64_t columns = ((uint64_t)a->n + T - 1) / T, tiles = ((uint64_t)a->m + T - 1) / T * columns;
	for (uint64_t t = block; t < tiles; t += blocks) {
		uint64_t i = t / columns * T, j = t % columns * T;
		uint32_t mm = least(T, a->m - (uint32_t)i), nn = least(T, a->n - (uint32_t)j);
		__builtin_memset(acc, 0, sizeof(float[T * T]));
		for (uint64_t l = 0; l < a->k; l += T) {
			uint32_t kk = least(T, a->k - (uint32_t)l);
			hsim_dma_in_2d(raw[0], T * size, a->a + (i * a->k + l) * size, (uint64_t)a->k * size, kk * size, mm);
			hsim_dma_in_2d(raw[1], T * size, a->b + (l * a->n + j) * size, (uint64_t)a->n * size, nn * size, kk);
			widen(dtype, fa, raw[0]);
			widen(dtype, fb, raw[1]);
			multiply(mm, kk);
			hsim_cube(mm, nn, kk, dtype);
		}
		narrow(dtype);
		hsim_dma_out_2d(a->c + (i * a->n + j) * size, (uint64_t)a->n * size, raw[0], T * size, nn * size, mm);
	}
	return 0;
}

HSIM_KERNEL(matmul_fp32_aic)
{
	ARGUMENTS(struct matmul);
	return run(a, block, blocks, 4, HSIM_DTYPE_FP32);
}

HSIM_KERNEL(matmul_fp16_aic)
{
	ARGUMENTS(struct matmul);
	return run(a, block, blocks, 2, HSIM_DTYPE_FP16);
}

HSIM_KERNEL(matmul_bf16_aic)
{
	ARGUMENTS(struct matmul);
	return run(a, block, blocks, 2, HSIM_DTYPE_BF16);
}
