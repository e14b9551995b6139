/* all_reduce by vector cores: every block adds its part of the own vector into the result of every device, by stores that
 * reduce, and then counts itself in the flag of every device. A device's result is complete when all blocks of all devices
 * are counted. Results and flags are zero before. */
#define HSIM_KIND_KERNEL
#include "hsim.h"

#include "../push.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(sizeof(struct push))

enum { TILE = 4096 };
static int32_t tile[TILE];

HSIM_KERNEL(push_aiv)
{
	const struct push *p = args;
	uint64_t share = (p->n + blocks - 1) / blocks, at = block * share, end = at + share < p->n ? at + share : p->n;
	for (; at < end; at += TILE) {
		uint32_t n = end - at < TILE ? (uint32_t)(end - at) : TILE;
		hsim_dma_in(tile, p->in + at * 4, n * 4);
		/* Every device begins with its neighbour, so that they do not all store to one. */
		for (uint32_t i = 1; i <= p->size; i++)
			hsim_dma_out_reduce(p->out[(p->rank + i) % p->size] + at * 4, tile, n * 4, HSIM_DTYPE_INT32, HSIM_REDUCE_SUM);
	}
	uint64_t one = 1;
	for (uint32_t i = 1; i <= p->size; i++)
		hsim_dma_out_reduce(p->flag[(p->rank + i) % p->size], &one, sizeof one, HSIM_DTYPE_UINT64, HSIM_REDUCE_SUM);
	hsim_mem_wait(p->flag[p->rank], HSIM_COMPARE_GE, (uint64_t)p->size * blocks);
	return 0;
}
