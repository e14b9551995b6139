/* The guest of the tests in this directory: a kernel module whose functions misbehave on request. */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 5)
HSIM_BUFFER(256)
HSIM_DESCRIBE("{\"name\":\"guest\",\"version\":\"1.2\",\"about\":\"for tests\",\"params\":["
	"{\"name\":\"mtu\",\"type\":\"bytes\",\"default\":\"4KiB\",\"about\":\"a size\"},"
	"{\"name\":\"speed\",\"type\":\"rate\",\"default\":\"400Gbps\",\"about\":\"a rate\"},"
	"{\"name\":\"wait\",\"type\":\"time\",\"default\":\"1.5us\",\"about\":\"a time\"},"
	"{\"name\":\"mode\",\"type\":\"enum\",\"default\":\"slow\",\"values\":[\"slow\",\"fast\"],\"about\":\"a word\"},"
	"{\"name\":\"strict\",\"type\":\"bool\",\"default\":false,\"about\":\"a flag\"},"
	"{\"name\":\"depth\",\"type\":\"int\",\"default\":-3,\"about\":\"a number\"}]}")

static int64_t params[6];
static int32_t calls = 7;

int32_t hsim_set_param(uint32_t index, int64_t value) {
	if (index >= 6 || value == 13) return HSIM_STATUS_INVALID;
	params[index] = value;
	return 0;
}

/* param returns parameter number block. */
HSIM_KERNEL(param) { (void)args, (void)args_len, (void)blocks; return (int32_t)params[block % 6]; }

/* calls counts its calls in static data: 8, 9, ... */
HSIM_KERNEL(calls) { (void)args, (void)args_len, (void)block, (void)blocks; return ++calls; }

/* sum adds args_len bytes. */
HSIM_KERNEL(sum) {
	int32_t s = 0;
	(void)block, (void)blocks;
	for (uint32_t i = 0; i < args_len; i++) s += ((const uint8_t *)args)[i];
	return s;
}

/* add is the shortest call. */
HSIM_KERNEL(add) { (void)args, (void)args_len; return (int32_t)(block + blocks); }

/* spin never returns. */
__attribute__((noinline)) static void spin_inner(volatile int32_t *p) { for (;;) ++*p; }
HSIM_KERNEL(spin) { volatile int32_t x = 0; (void)args, (void)args_len, (void)block, (void)blocks; spin_inner(&x); return x; }

/* fill never returns, moving memory in bulk. */
static uint8_t area[1 << 16];
HSIM_KERNEL(fill) { (void)args, (void)args_len; for (;;) { __builtin_memset(area, (int)block++, sizeof area); if (block == blocks) return area[77]; } }

/* outside writes past the end of memory. */
__attribute__((noinline)) static void poke(uint32_t at) { *(volatile uint32_t *)at = 1; }
HSIM_KERNEL(outside) { (void)args, (void)args_len, (void)block, (void)blocks; poke(0xfffffff0u); return 0; }

/* grow takes memory until it gets no more, and then goes on trying. */
HSIM_KERNEL(grow) { (void)args, (void)args_len, (void)block, (void)blocks; for (;;) __builtin_wasm_memory_grow(0, 1); }

/* grow_by takes block pages once. */
HSIM_KERNEL(grow_by) { (void)args, (void)args_len, (void)blocks; return (int32_t)__builtin_wasm_memory_grow(0, block); }

/* give_up stops as failed assertions do, with data on the shadow stack. */
HSIM_KERNEL(give_up) { volatile uint8_t room[64]; (void)args, (void)args_len, (void)blocks; room[block % 64] = 1; if (room[block % 64]) __builtin_trap(); return 0; }

/* divide divides block by blocks. */
HSIM_KERNEL(divide) { (void)args, (void)args_len; return (int32_t)(block / blocks); }

/* recurse goes down without end. */
__attribute__((noinline)) static int32_t down(int32_t n) { return n < 0 ? 0 : (down(n + 1 > 0 ? n + 1 : 0) ^ n) * 3; }
HSIM_KERNEL(recurse) { (void)args, (void)args_len, (void)blocks; return down((int32_t)block) * 2; }

/* wait calls an import that may block and returns its result. */
HSIM_KERNEL(wait) { (void)args, (void)args_len; return hsim_notify_wait(block) + (int32_t)blocks; }

/* time calls an import block times. */
HSIM_KERNEL(time) { (void)args, (void)args_len, (void)blocks; int32_t r = 0; for (uint32_t i = 0; i < block; i++) r += hsim_scalar(i); return r; }

/* say logs, fail fails. */
HSIM_KERNEL(say) { (void)args, (void)args_len, (void)block, (void)blocks; HSIM_LOG("hello"); return 0; }
HSIM_KERNEL(fail) { (void)args, (void)args_len, (void)block, (void)blocks; HSIM_FAIL("no luck"); }

/* answer is a function of an AI CPU. */
HSIM_CPU(answer) { (void)args, (void)args_len; return 42; }
