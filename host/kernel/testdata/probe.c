/* Kernels that tests measure and break. Built as plugins/kernels is:
 * hsim plugin build host/kernel/testdata -o host/kernel/testdata/probe.wasm */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(128)

static uint8_t room[64 << 10] __attribute__((aligned(16)));

struct args { uint64_t dev, n, times, value; };
#define A ((const struct args *)args)
#define UNUSED (void)args, (void)args_len, (void)block, (void)blocks

/* What costs time. */
HSIM_KERNEL(in) { UNUSED; for (uint64_t i = 0; i < A->times; i++) hsim_dma_in(room, A->dev, (uint32_t)A->n); return 0; }
HSIM_KERNEL(out) { UNUSED; for (uint64_t i = 0; i < A->times; i++) hsim_dma_out(A->dev, room, (uint32_t)A->n); return 0; }
HSIM_KERNEL(vector) { UNUSED; return hsim_vector(A->n, (uint32_t)A->value); }
HSIM_KERNEL(cube) { UNUSED; return hsim_cube((uint32_t)A->n, (uint32_t)A->n, (uint32_t)A->n, (uint32_t)A->value); }
HSIM_KERNEL(scalar) { UNUSED; return hsim_scalar(A->n); }

/* Block i reads n >> i bytes: all share the memory, the shorter ones leave early. */
HSIM_KERNEL(shrink) { UNUSED; return hsim_dma_in(room, A->dev, (uint32_t)A->n >> block); }

/* In and out at once, on one pipe or two. */
HSIM_KERNEL(duplex)
{
	UNUSED;
	hsim_dma_start_in(0, room, A->dev, (uint32_t)A->n);
	hsim_dma_start_out((uint32_t)A->value, A->dev + A->n, room, (uint32_t)A->n);
	hsim_dma_wait(0);
	hsim_dma_wait(1);
	return 0;
}

/* Leaves a transfer behind: the launch ends when it has landed. */
HSIM_KERNEL(hurry) { UNUSED; room[0] = 9; hsim_dma_start_out(3, A->dev, room, (uint32_t)A->n); room[0] = 1; return 0; }

HSIM_KERNEL(rows)
{
	UNUSED;
	hsim_dma_in_2d(room, 8, A->dev, 100, 4, 3);
	return hsim_dma_out_2d(A->dev + 1, 100, room, 8, 4, 3);
}

HSIM_KERNEL(accumulate)
{
	UNUSED;
	float one[4] = { 1, 1, 1, 1 };
	hsim_dma_out_reduce(A->dev, one, sizeof one, HSIM_DTYPE_FP32, HSIM_REDUCE_SUM);
	hsim_dma_start_out_reduce(1, A->dev, one, sizeof one, HSIM_DTYPE_FP32, HSIM_REDUCE_SUM);
	return hsim_dma_wait(1);
}

/* Each block works as long as its number says, then they meet, then each counts. */
HSIM_KERNEL(meet)
{
	UNUSED;
	uint32_t one = 1;
	hsim_scalar(A->n * block);
	hsim_dma_out_reduce(A->dev, &one, 4, HSIM_DTYPE_INT32, HSIM_REDUCE_SUM);
	hsim_barrier();
	hsim_dma_in(&one, A->dev, 4);
	return one == blocks ? 0 : 77;
}

/* The last block stays away from the barrier. */
HSIM_KERNEL(truant) { UNUSED; return block + 1 == blocks ? hsim_scalar(A->n) : hsim_barrier(); }

HSIM_KERNEL(flag) { UNUSED; return hsim_mem_wait(A->dev, (uint32_t)A->n, A->value); }
HSIM_KERNEL(raise) { UNUSED; uint64_t v = A->value; hsim_scalar(A->n); return hsim_dma_out(A->dev, &v, 8); }
HSIM_KERNEL(notified) { UNUSED; return hsim_notify_wait((uint32_t)A->n); }
HSIM_KERNEL(notify) { UNUSED; return hsim_notify_record((uint32_t)A->n); }
HSIM_KERNEL(hello) { UNUSED; HSIM_LOG("hello"); return (int32_t)args_len; }

/* What goes wrong. */
HSIM_KERNEL(far_local) { UNUSED; return hsim_dma_in((void *)0x7ffffff0, A->dev, 64); }
HSIM_KERNEL(far_write) { UNUSED; *(volatile uint32_t *)(uintptr_t)A->value = 1; return 0; }
HSIM_KERNEL(spin) { UNUSED; for (volatile uint32_t i = 0;; i++) {} }
HSIM_KERNEL(spin_slow) { UNUSED; for (;;) hsim_scalar(1); }
HSIM_KERNEL(grow) { UNUSED; while (__builtin_wasm_memory_grow(0, 1) != (unsigned long)-1) {} __builtin_trap(); }
HSIM_KERNEL(trap) { UNUSED; __builtin_trap(); }
HSIM_KERNEL(divide) { UNUSED; return (int32_t)(7 / (uint32_t)A->value); }
HSIM_KERNEL(deep);
HSIM_KERNEL(deep) { volatile uint8_t page[1024]; page[0] = 1; return args_len == 12345 ? 0 : hsim_kernel_deep(args, args_len, block, blocks) + page[0]; }
HSIM_KERNEL(fail) { UNUSED; HSIM_FAIL("no more paper"); }
HSIM_KERNEL(seven) { UNUSED; return 7; }
HSIM_KERNEL(bad_pipe) { UNUSED; return hsim_dma_wait(8); }
HSIM_KERNEL(bad_type) { UNUSED; return hsim_dma_out_reduce(A->dev, room, 16, 12, 0); }
HSIM_KERNEL(mine_fails) { UNUSED; hsim_scalar(100); if (block == 2) HSIM_FAIL("block two"); for (;;) hsim_scalar(1000); }

/* What an instance keeps must not reach the next block. */
static uint32_t counter;
HSIM_KERNEL(fresh) { UNUSED; return (int32_t)counter++; }

HSIM_KERNEL(both_aic) { UNUSED; return 0; }
HSIM_KERNEL(both_aiv) { UNUSED; return 0; }
HSIM_CPU(count) { (void)args_len; uint64_t v = A->value; return hsim_dma_out(A->dev, &v, 8); }
HSIM_CPU(vector) { (void)args, (void)args_len; return hsim_vector(1, HSIM_DTYPE_FP32); }
