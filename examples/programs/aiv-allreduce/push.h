/* The arguments of the kernel: addresses as the program has them, in 64 bits. */
#include <stdint.h>

enum { MAX_RANKS = 8 };

struct push {
	uint64_t in, n;
	uint32_t rank, size;
	uint64_t out[MAX_RANKS], flag[MAX_RANKS]; /* of every device */
};
