/* Schedules that go wrong, one way each, for the tests of package schedule. */
#define HSIM_KIND_ALGORITHM
#include "hsim.h"

HSIM_MODULE(algorithm, 0)
HSIM_BUFFER(256)

enum { IN = HSIM_BUFFER_INPUT, OUT = HSIM_BUFFER_OUTPUT, SCRATCH = HSIM_BUFFER_SCRATCH };

static uint64_t bytes(const struct hsim_op *op) { return op->count * op->elem; }

/* Emits the same step for ever. */
HSIM_ALGO(endless)
{
	for (;;) hsim_copy(OUT, 0, IN, 0, bytes(op), 0);
}

/* Goes on after a step that was refused. */
HSIM_ALGO(deaf)
{
	for (;;) hsim_send(IN, 8, bytes(op), (op->rank + 1) % op->ranks, 0, 0);
}

/* Computes for ever. */
HSIM_ALGO(spin)
{
	for (volatile uint32_t i = op->rank;; i++) {
	}
}

/* Reads outside its memory. */
HSIM_ALGO(wild)
{
	return (int32_t)op->rank + *(volatile int32_t *)0xfffffff0;
}

/* Both receive before they send. */
HSIM_ALGO(blocked)
{
	uint32_t peer = (op->rank + 1) % op->ranks;
	hsim_receive(SCRATCH, 0, bytes(op), peer, 0, 0);
	hsim_send(IN, 0, bytes(op), peer, 0, 0);
	return HSIM_STATUS_OK;
}

/* Forgets everybody else. */
HSIM_ALGO(alone)
{
	return hsim_copy(OUT, 0, IN, 0, bytes(op), 0);
}

/* Buffers, offsets and peers that cannot be. */
HSIM_ALGO(nonsense)
{
	return hsim_send(op->rank ? 7 : 3, ~0ull, ~0ull, ~0u, ~0u, ~0u);
}

HSIM_ALGO(refuses)
{
	(void)op;
	HSIM_FAIL("not on Mondays");
}

/* Says what the op record holds. */
HSIM_ALGO(record)
{
	if (op->size != sizeof *op) return 1;
	if (op->operation != HSIM_OPERATION_ALL_GATHER || op->dtype != HSIM_DTYPE_FP16 || op->elem != 2) return 2;
	if (op->rank >= op->ranks || op->ranks != 6 || op->group != 3) return 3;
	if (op->count != 5 || op->input != 10 || op->output != 60 || op->scratch != 1 << 20) return 4;
	if (op->streams < 2) return 5;
	hsim_copy(OUT, op->rank * 10, IN, 0, 10, 0);
	for (uint32_t d = 1; d < op->ranks; d++) hsim_send(IN, 0, 10, (op->rank + d) % op->ranks, 0, 0);
	for (uint32_t d = 1; d < op->ranks; d++) {
		uint32_t q = (op->rank + op->ranks - d) % op->ranks;
		hsim_receive(OUT, q * 10, 10, q, 0, 0);
	}
	return HSIM_STATUS_OK;
}
