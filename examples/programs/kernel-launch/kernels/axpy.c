/* y[i] = a * x[i] + y[i] on vector cores. The arguments are two addresses and, behind a pointer, how many elements and what
 * factor: data that travel with the launch. */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(64)

struct axpy {
	uint64_t x, y, params;
};

struct params {
	uint32_t n;
	float a;
};

enum { TILE = 4096 };
static float x[TILE], y[TILE];

HSIM_KERNEL(axpy_aiv)
{
	const struct axpy *p = args;
	struct params q;
	hsim_dma_in(&q, p->params, sizeof q);
	uint32_t share = (q.n + blocks - 1) / blocks, at = block * share, end = at + share < q.n ? at + share : q.n;
	for (; at < end; at += TILE) {
		uint32_t n = end - at < TILE ? end - at : TILE;
		hsim_dma_in(x, p->x + at * 4ull, n * 4);
		hsim_dma_in(y, p->y + at * 4ull, n * 4);
		for (uint32_t i = 0; i < n; i++)
			y[i] = q.a * x[i] + y[i];
		hsim_vector(2 * n, HSIM_DTYPE_FP32);
		hsim_dma_out(p->y + at * 4ull, y, n * 4);
	}
	return 0;
}
