/* A kernel plugin in C: build it with `hsim plugin build examples/kernel-c`, or
 * copy this directory, change it, and build the copy; then name the module in
 * sim.toml:
 *
 *     [plugins]
 *     kernels = ["builtin", "kernel-c.wasm"]
 */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(256)

/* What the launch passes: y[i] = a * x[i] + y[i] for n values of fp32. */
struct axpy {
	uint64_t x, y, n;
	float a, unused;
};

/* Two tiles in the core's memory. */
enum { TILE = 4096 };
static float x[TILE], y[TILE];

/* Runs once per block; the blocks share the tiles in turn. */
HSIM_KERNEL(axpy)
{
	const struct axpy *p = args;
	if (args_len < sizeof *p) HSIM_FAIL("axpy: the arguments are shorter than struct axpy");
	for (uint64_t first = (uint64_t)block * TILE; first < p->n; first += (uint64_t)blocks * TILE) {
		uint32_t n = p->n - first < TILE ? (uint32_t)(p->n - first) : TILE;
		int32_t s;
		if ((s = hsim_dma_in(x, p->x + first * 4, n * 4)) != 0) return s;
		if ((s = hsim_dma_in(y, p->y + first * 4, n * 4)) != 0) return s;
		for (uint32_t i = 0; i < n; i++) y[i] += p->a * x[i];
		hsim_vector(n, HSIM_DTYPE_FP32); /* the time that takes */
		hsim_vector(n, HSIM_DTYPE_FP32);
		if ((s = hsim_dma_out(p->y + first * 4, y, n * 4)) != 0) return s;
	}
	return HSIM_STATUS_OK;
}
