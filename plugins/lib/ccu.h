/* What microprograms of collectives share: the exchange of addresses before, the
 * farewell after, and the local copy over all loop engines. Everything here
 * records; nothing moves data. */
#ifndef HSIM_LIB_CCU_H
#define HSIM_LIB_CCU_H

#ifndef HSIM_KIND_CCU
#define HSIM_KIND_CCU
#endif
#include "hsim.h"

/* Bits of notify 0 of every channel, and indices of the channel variables. */
enum { CCU_INPUT = 0, CCU_OUTPUT = 1, CCU_TOKEN = 2, CCU_LAST = 3 };

#define CCU_BIT(n) (1u << (n))

/* A place in memory: an address register and the variable with its token. */
struct ccu_mem { int32_t addr, token; };

enum { CCU_SLICE = 4096, CCU_LOOPS = 128, CCU_ROUND = CCU_SLICE * CCU_LOOPS };

/* The largest piece of one write to a peer is below 256 MiB. */
enum { CCU_CHUNK = 128 << 20 };

/* A constant in a variable of its own. */
static inline int32_t ccu_constant(uint64_t value)
{
	int32_t v = hsim_variables(1);
	hsim_set(v, value);
	return v;
}

/* n variables from launch arguments first, first + 1, ... */
static inline int32_t ccu_args(uint32_t first, uint32_t n)
{
	int32_t v = hsim_variables(n);
	for (uint32_t i = 0; i < n; i++) hsim_load_arg(v + (int32_t)i, first + i);
	return v;
}

/* Tells every peer the address in a variable and its token, and waits for theirs.
 * index is CCU_INPUT or CCU_OUTPUT. */
static inline void ccu_before(uint32_t channels, uint32_t index, int32_t address, int32_t token)
{
	for (uint32_t c = 0; c < channels; c++) {
		hsim_write_variable_with_notify(c, address, index, 0, CCU_BIT(index));
		hsim_write_variable_with_notify(c, token, CCU_TOKEN, 0, CCU_BIT(CCU_TOKEN));
	}
	for (uint32_t c = 0; c < channels; c++) hsim_notify_wait(c, 0, CCU_BIT(index) | CCU_BIT(CCU_TOKEN));
}

/* The place that a peer told in ccu_before. */
static inline struct ccu_mem ccu_peer(uint32_t channel, uint32_t index)
{
	struct ccu_mem m = { hsim_addresses(1), hsim_channel_variable(channel, CCU_TOKEN) };
	hsim_address_from(m.addr, hsim_channel_variable(channel, index));
	return m;
}

/* Nobody goes on before everybody is done: buffers may be freed then. */
static inline void ccu_after(uint32_t channels)
{
	for (uint32_t c = 0; c < channels; c++) hsim_notify_record(c, 0, CCU_BIT(CCU_LAST));
	for (uint32_t c = 0; c < channels; c++) hsim_notify_wait(c, 0, CCU_BIT(CCU_LAST));
}

/* The parameters of ccu_copy: how many rounds of 128 slices, how many slices
 * after that and one less, how many bytes after those, and where these two begin. */
struct ccu_parts { int32_t rounds, slices, clones, tail, first, second; };

enum { CCU_PARTS = 6 };

static inline struct ccu_parts ccu_load_parts(uint32_t arg)
{
	int32_t v = ccu_args(arg, CCU_PARTS);
	return (struct ccu_parts){ v, v + 1, v + 2, v + 3, v + 4, v + 5 };
}

/* The same of n bytes, at launch. */
static inline void ccu_split(uint64_t *args, uint64_t n)
{
	uint64_t rounds = n / CCU_ROUND, slices = n % CCU_ROUND / CCU_SLICE;
	args[0] = rounds;
	args[1] = slices;
	args[2] = slices ? slices - 1 : 0;
	args[3] = n % CCU_SLICE;
	args[4] = rounds * CCU_ROUND;
	args[5] = slices * CCU_SLICE;
}

/* What ccu_copy works with; one for a program. */
struct ccu_loops { int32_t buffers, events, slice, round, last, one; };

static inline struct ccu_loops ccu_take_loops(void)
{
	struct ccu_loops l = { hsim_buffers(CCU_LOOPS), hsim_events(CCU_LOOPS) };
	l.slice = ccu_constant(CCU_SLICE);
	l.round = ccu_constant(CCU_ROUND);
	l.last = ccu_constant(CCU_LOOPS - 1);
	l.one = ccu_constant(1);
	return l;
}

static inline void ccu_slice(struct ccu_loops l, struct ccu_mem to, struct ccu_mem from, int32_t n)
{
	hsim_local_copy_in(l.buffers, from.addr, from.token, n, l.events, 1);
	hsim_event_wait(l.events, 1);
	hsim_local_copy_out(to.addr, to.token, l.buffers, n, l.events, 1);
	hsim_event_wait(l.events, 1);
}

/* Copies own memory to own memory through the buffers: rounds on 128 loop
 * engines, then slices on as many, then the tail. Moves already under way go on. */
static inline void ccu_copy(struct ccu_loops l, struct ccu_parts p, struct ccu_mem to, struct ccu_mem from)
{
	struct ccu_mem t = { hsim_addresses(1), to.token }, f = { hsim_addresses(1), from.token };
	hsim_if_begin(p.rounds, HSIM_COMPARE_NE, 0);
	int32_t loop = hsim_loop_begin(p.rounds, l.round);
	ccu_slice(l, to, from, l.slice);
	hsim_loop_end();
	hsim_loop_group(loop, 1, 0, l.last, 1, 1, l.slice, 0);
	hsim_if_end();

	hsim_address_add(t.addr, to.addr, p.first);
	hsim_address_add(f.addr, from.addr, p.first);
	hsim_if_begin(p.slices, HSIM_COMPARE_NE, 0);
	loop = hsim_loop_begin(l.one, l.round);
	ccu_slice(l, t, f, l.slice);
	hsim_loop_end();
	hsim_loop_group(loop, 1, 0, p.clones, 1, 1, l.slice, 0);
	hsim_if_end();

	hsim_address_add(t.addr, t.addr, p.second);
	hsim_address_add(f.addr, f.addr, p.second);
	hsim_if_begin(p.tail, HSIM_COMPARE_NE, 0);
	ccu_slice(l, t, f, p.tail);
	hsim_if_end();
}

#endif
