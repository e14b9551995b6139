/* Kernels of the runtime's tests. Built as plugins/kernels is:
 * hsim plugin build host/acl/testdata -o host/acl/testdata/rules.wasm */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(256)

static uint8_t room[16 << 10] __attribute__((aligned(16)));

struct args { uint64_t dev, n, value; };
#define A ((const struct args *)args)
#define UNUSED (void)args, (void)args_len, (void)block, (void)blocks

HSIM_KERNEL(empty) { UNUSED; return 0; }
HSIM_KERNEL(spend) { UNUSED; return hsim_scalar(A->n); }
HSIM_KERNEL(spin) { UNUSED; for (;;) hsim_scalar(1000); }
HSIM_KERNEL(broken) { UNUSED; HSIM_FAIL("as asked"); return 0; }

/* Every block writes how many there are at its place. */
HSIM_KERNEL(count) { UNUSED; uint64_t v = blocks; return hsim_dma_out(A->dev + 8 * block, &v, 8); }

/* Writes value at dev. */
HSIM_KERNEL(poke) { UNUSED; uint64_t v = A->value; return hsim_dma_out(A->dev, &v, 8); }

/* Records notify n, waits for it. */
HSIM_KERNEL(ring) { UNUSED; hsim_notify_record((uint32_t)A->n); return 0; }
HSIM_KERNEL(hear) { UNUSED; hsim_notify_wait((uint32_t)A->n); return 0; }

/* Copies n bytes from dev to value. */
HSIM_KERNEL(move)
{
	UNUSED;
	hsim_dma_in(room, A->dev, (uint32_t)A->n);
	return hsim_dma_out(A->value, room, (uint32_t)A->n);
}

/* Adds 60000 to the fp16 at dev: twice is more than the type holds. */
HSIM_KERNEL(swell) { UNUSED; uint16_t v = 0x7b53; return hsim_dma_out_reduce(A->dev, &v, 2, HSIM_DTYPE_FP16, HSIM_REDUCE_SUM); }

/* Code for one kind of core, and for both apart. */
HSIM_KERNEL(vec_aiv) { UNUSED; return 0; }
HSIM_KERNEL(cub_aic) { UNUSED; return 0; }
HSIM_KERNEL(both_aiv) { UNUSED; uint64_t v = 2; return hsim_dma_out(A->dev, &v, 8); }
HSIM_KERNEL(both_aic) { UNUSED; uint64_t v = 1; return hsim_dma_out(A->dev, &v, 8); }

/* One-shot all-reduce of vector cores: when a peer's ready word, in the peer's
 * memory, says so, the input is added into its output, and a flag there set. */
struct reduce {
	uint64_t rank, ranks, bytes, in;
	struct { uint64_t out, ready, flags; } peer[8];
};

HSIM_KERNEL(allreduce_aiv)
{
	UNUSED;
	const struct reduce *r = args;
	uint64_t one = 1;
	hsim_dma_out(r->peer[r->rank].ready, &one, 8);
	hsim_dma_in(room, r->in, (uint32_t)r->bytes);
	for (uint64_t i = 0; i < r->ranks; i++) {
		uint64_t p = (r->rank + i) % r->ranks;
		hsim_mem_wait(r->peer[p].ready, HSIM_COMPARE_EQ, 1);
		hsim_dma_out_reduce(r->peer[p].out, room, (uint32_t)r->bytes, HSIM_DTYPE_FP32, HSIM_REDUCE_SUM);
		hsim_dma_out(r->peer[p].flags + 8 * r->rank, &one, 8);
	}
	for (uint64_t p = 0; p < r->ranks; p++)
		hsim_mem_wait(r->peer[r->rank].flags + 8 * p, HSIM_COMPARE_EQ, 1);
	return 0;
}

/* AI CPU functions that put work on threads. */
struct work { uint64_t thread, other, channel, dst, src, peer, n; };
#define W ((const struct work *)args)

static int32_t first(int32_t a, int32_t b) { return a ? a : b; }

/* tmp = 2 * src here; then to the peer with notify 0, and notify 0 of the other thread. */
HSIM_CPU(send)
{
	(void)args_len;
	int32_t bad = hsim_batch_start();
	bad = first(bad, hsim_thread_copy(W->thread, W->dst, W->src, W->n));
	bad = first(bad, hsim_thread_reduce(W->thread, W->dst, W->src, W->n, HSIM_DTYPE_INT32, HSIM_REDUCE_SUM));
	bad = first(bad, hsim_channel_write_notify(W->thread, W->channel, W->peer, W->dst, W->n, 0));
	bad = first(bad, hsim_channel_write_reduce(W->thread, W->channel, W->peer + W->n, W->dst, W->n, HSIM_DTYPE_INT32, HSIM_REDUCE_SUM));
	bad = first(bad, hsim_channel_fence(W->thread, W->channel));
	bad = first(bad, hsim_channel_notify_record(W->thread, W->channel, 1));
	bad = first(bad, hsim_thread_notify_record(W->thread, W->other, 0));
	return first(bad, hsim_batch_end());
}

/* Waits for both notifies of the peer and reads its source. */
HSIM_CPU(receive)
{
	(void)args_len;
	int32_t bad = hsim_channel_notify_wait(W->thread, W->channel, 0, 0);
	bad = first(bad, hsim_channel_notify_wait(W->thread, W->channel, 1, 0));
	bad = first(bad, hsim_channel_read(W->thread, W->channel, W->dst, W->peer, W->n));
	return first(bad, hsim_channel_write(W->thread, W->channel, W->peer, W->dst, 0));
}

HSIM_CPU(wait) { (void)args_len; return hsim_thread_notify_wait(W->thread, 0, 0); }
HSIM_CPU(wrong) { (void)args_len; return hsim_thread_copy(1234, W->dst, W->src, W->n) == HSIM_STATUS_INVALID ? 0 : 1; }
HSIM_CPU(left_open) { (void)args, (void)args_len; hsim_batch_start(); return 0; }
HSIM_CPU(twice) { (void)args, (void)args_len; hsim_batch_start(); return hsim_batch_start() == HSIM_STATUS_STATE && !hsim_batch_end() ? 0 : 1; }

/* Any import with any arguments: the first of eight numbers says which, as often as there are eight. */
static int32_t one(const uint64_t *v)
{
#define AT(i) ((void *)(uintptr_t)(uint32_t)v[i])
#define LOW(i) ((uint32_t)v[i])
	switch (v[0]) {
	case 0: return hsim_dma_in(AT(1), v[2], LOW(3));
	case 1: return hsim_dma_out(v[2], AT(1), LOW(3));
	case 2: return hsim_dma_in_2d(AT(1), LOW(3), v[2], v[4], LOW(5), LOW(6));
	case 3: return hsim_dma_out_2d(v[2], v[4], AT(1), LOW(3), LOW(5), LOW(6));
	case 4: return hsim_dma_out_reduce(v[2], AT(1), LOW(3), LOW(5), LOW(6));
	case 5: return hsim_dma_start_in(LOW(7), AT(1), v[2], LOW(3));
	case 6: return hsim_dma_start_out(LOW(7), v[2], AT(1), LOW(3));
	case 7: return hsim_dma_start_out_reduce(LOW(7), v[2], AT(1), LOW(3), LOW(5), LOW(6));
	case 8: return hsim_dma_wait(LOW(7));
	case 9: return hsim_mem_wait(v[2], LOW(5), v[4]);
	case 10: return hsim_vector(v[4], LOW(5));
	case 11: return hsim_cube(LOW(3), LOW(4), LOW(6), LOW(5));
	case 12: return hsim_scalar(v[4]);
	case 13: return hsim_barrier();
	case 14: return hsim_notify_record(LOW(6));
	case 15: return hsim_notify_wait(LOW(6));
	case 16: return hsim_thread_copy(v[1], v[2], v[4], v[3]);
	case 17: return hsim_thread_reduce(v[1], v[2], v[4], v[3], LOW(5), LOW(6));
	case 18: return hsim_thread_notify_record(v[1], v[4], LOW(6));
	case 19: return hsim_thread_notify_wait(v[1], LOW(6), LOW(7));
	case 20: return hsim_channel_write(v[1], v[7], v[2], v[4], v[3]);
	case 21: return hsim_channel_write_reduce(v[1], v[7], v[2], v[4], v[3], LOW(5), LOW(6));
	case 22: return hsim_channel_write_notify(v[1], v[7], v[2], v[4], v[3], LOW(6));
	case 23: return hsim_channel_read(v[1], v[7], v[2], v[4], v[3]);
	case 24: return hsim_channel_notify_record(v[1], v[7], LOW(6));
	case 25: return hsim_channel_notify_wait(v[1], v[7], LOW(6), LOW(5));
	case 26: return hsim_channel_fence(v[1], v[7]);
	case 27: return hsim_batch_start();
	case 28: return hsim_batch_end();
	case 29: hsim_log(AT(1), LOW(3)); return 0;
	}
	hsim_fail(AT(1), LOW(3));
	return 0;
}
HSIM_KERNEL(any) { (void)block, (void)blocks; for (uint32_t i = 0; i + 64 <= args_len; i += 64) one((const uint64_t *)((const char *)args + i)); return 0; }
HSIM_CPU(anycpu) { for (uint32_t i = 0; i + 64 <= args_len; i += 64) one((const uint64_t *)((const char *)args + i)); return 0; }
