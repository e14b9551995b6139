/* Connection state of a transport plugin: pages that never move, taken from the
 * end of memory as connections are opened. */
#ifndef HSIM_LIB_TABLE_H
#define HSIM_LIB_TABLE_H

#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;
static uintptr_t lib_top;

/* lib_alloc returns zeroed memory, 0 when the host grants no more. */
static inline void *lib_alloc(uint32_t size) {
	uintptr_t at, end;
	if (lib_top == 0) lib_top = (uintptr_t)&__heap_base;
	at = (lib_top + 15) & ~(uintptr_t)15;
	end = at + size;
	uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
	if (end > have) {
		uint32_t pages = (uint32_t)((end - have + 65535) >> 16);
		if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 0;
	}
	lib_top = end;
	return (void *)at; /* fresh memory is zero and never given back */
}

enum { TABLE_BITS = 5, TABLE_PAGE = 1 << TABLE_BITS, TABLE_PAGES = 4096 };

/* TABLE declares functions NAME_at(id), which is 0 for an id never opened, and
 * NAME_open(id), which makes room for it. */
#define TABLE(type, name)                                                   \
	static type *name##_pages[TABLE_PAGES];                                 \
	static inline type *name##_at(int32_t id) {                             \
		type *p = name##_pages[(uint32_t)id >> TABLE_BITS];                 \
		return p + (id & (TABLE_PAGE - 1));                                 \
	}                                                                       \
	static inline type *name##_open(int32_t id) {                           \
		uint32_t page = (uint32_t)id >> TABLE_BITS;                         \
		if (page >= TABLE_PAGES) return 0;                                  \
		if (name##_pages[page] == 0) {                                      \
			name##_pages[page] = lib_alloc(sizeof(type) << TABLE_BITS);     \
			if (name##_pages[page] == 0) return 0;                          \
		}                                                                   \
		return name##_at(id);                                               \
	}

/* The records the host fills, in one buffer asked for at the start. */
static unsigned char lib_buffer[1024] __attribute__((aligned(16)));

#endif
