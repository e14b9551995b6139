/* A kernel module that uses WASI, as modules compiled from Go, Rust or with a C library do. */
#define HSIM_KIND_KERNEL
#include "hsim.h"

HSIM_MODULE(kernel, 0)
HSIM_BUFFER(64)

#define WASI(name) HSIM_IMPORT("wasi_snapshot_preview1", #name)
struct iovec { const void *p; uint32_t n; };
WASI(fd_write) int32_t fd_write(int32_t fd, const struct iovec *v, uint32_t n, uint32_t *written);
WASI(clock_time_get) int32_t clock_time_get(int32_t id, uint64_t precision, uint64_t *time);
WASI(random_get) int32_t random_get(void *p, uint32_t n);
WASI(proc_exit) __attribute__((noreturn)) void proc_exit(int32_t code);
WASI(path_open) int32_t path_open(int32_t fd, int32_t flags, const char *path, uint32_t n, int32_t oflags, uint64_t rights, uint64_t inherit, int32_t fdflags, int32_t *out);
WASI(fd_prestat_get) int32_t fd_prestat_get(int32_t fd, void *p);
WASI(poll_oneoff) int32_t poll_oneoff(const void *in, void *out, uint32_t n, uint32_t *events);

static int32_t started;
__attribute__((constructor)) static void construct(void) { started = 1; }
void __wasm_call_ctors(void);
HSIM_EXPORT("_initialize") void _initialize(void) { __wasm_call_ctors(); }

/* started tells whether constructors have run. */
HSIM_KERNEL(started) { (void)args, (void)args_len, (void)block, (void)blocks; return started; }

/* print writes args to stdout (block 1) or stderr (block 2). */
HSIM_KERNEL(print) { struct iovec v = { args, args_len }; uint32_t n; (void)blocks; return fd_write((int32_t)block, &v, 1, &n); }

/* clock returns the time of a clock in units of blocks nanoseconds. */
HSIM_KERNEL(clock) { uint64_t t = 0; (void)args, (void)args_len; if (clock_time_get((int32_t)block, 1, &t) != 0) return -1; return (int32_t)(t / blocks); }

/* random returns random bits. */
HSIM_KERNEL(random) { int32_t r = 0; (void)args, (void)args_len, (void)block, (void)blocks; random_get(&r, 4); return r; }

/* exit leaves with a status. */
HSIM_KERNEL(exit) { (void)args, (void)args_len, (void)blocks; proc_exit((int32_t)block); }

/* open tries to open a file under descriptor block and returns the error number. */
HSIM_KERNEL(open) { int32_t fd; (void)args, (void)args_len, (void)blocks; return path_open((int32_t)block, 0, "etc/passwd", 10, 0, 2, 0, 0, &fd); }

/* preopened returns the error number of asking for a directory. */
HSIM_KERNEL(preopened) { uint64_t room; (void)args, (void)args_len, (void)blocks; return fd_prestat_get((int32_t)block, &room); }

/* sleep waits for block microseconds. */
HSIM_KERNEL(sleep) {
	struct { uint64_t user; uint8_t tag, pad[7]; uint32_t id, pad2; uint64_t timeout, precision; uint16_t flags, pad3[3]; } s = { .timeout = block * 1000ull, .id = 1 };
	uint64_t event[4];
	uint32_t n;
	(void)args, (void)args_len, (void)blocks;
	return poll_oneoff(&s, event, 1, &n);
}
