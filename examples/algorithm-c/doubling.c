/* An algorithm plugin in C: all_reduce by recursive doubling. Build it with
 * `hsim plugin build examples/algorithm-c`, or copy this directory, change it, and
 * build the copy; then name the module and the algorithm in sim.toml:
 *
 *     [plugins]
 *     algorithms = ["algorithm-c.wasm"]
 *
 *     [[run]]
 *     op        = "all_reduce"
 *     algorithm = "doubling"
 *
 * In step k a rank exchanges its whole partial sum with the rank whose number
 * differs in bit k: log2(N) steps of the whole vector, where a ring has 2(N-1)
 * steps of an Nth of it. So it is fast for small vectors and slow for large ones. */
#define HSIM_KIND_ALGORITHM
#include "hsim.h"

HSIM_MODULE(algorithm, 0)
HSIM_BUFFER(256)

enum { IN = HSIM_BUFFER_INPUT, OUT = HSIM_BUFFER_OUTPUT };

/* Called once for every rank; what it emits is that rank's part. The channel and
 * the stream are always 0. */
HSIM_ALGO(doubling)
{
	if (op->operation != HSIM_OPERATION_ALL_REDUCE) return HSIM_STATUS_UNSUPPORTED;
	uint64_t n = op->count * op->elem;
	uint32_t pow = 1;
	while (pow * 2 <= op->ranks) pow *= 2;
	uint32_t extra = op->ranks - pow; /* ranks beyond a power of two */

	hsim_copy(OUT, 0, IN, 0, n, 0);

	/* The first 2*extra ranks form pairs: the even one leaves its part with the odd
	 * one and waits for the sum. */
	uint32_t id = op->rank - extra;
	if (op->rank < 2 * extra) {
		if (op->rank % 2 == 0) {
			hsim_send(OUT, 0, n, op->rank + 1, 0, 0);
			return hsim_receive(OUT, 0, n, op->rank + 1, 0, 0);
		}
		hsim_receive_reduce(OUT, 0, n, op->rank - 1, 0, 0);
		id = op->rank / 2;
	}

	/* Send first and receive then: together they are one exchange. The sum is not
	 * changed before what was sent has arrived. */
	for (uint32_t bit = 1; bit < pow; bit *= 2) {
		uint32_t peer = id ^ bit;
		peer = peer < extra ? 2 * peer + 1 : peer + extra;
		hsim_send(OUT, 0, n, peer, 0, 0);
		hsim_receive_reduce(OUT, 0, n, peer, 0, 0);
	}

	if (op->rank < 2 * extra) hsim_send(OUT, 0, n, op->rank - 1, 0, 0);
	return HSIM_STATUS_OK;
}
