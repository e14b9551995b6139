/* all_gather_mesh: AllGather over a full mesh, memory to memory. Every rank writes
 * its part into the output of all others at once, and copies it into its own
 * through the buffers meanwhile. Parts of more than 128 MiB go in chunks. */
#include "ccu.h"

HSIM_MODULE(ccu, 0)
HSIM_BUFFER(4096)

enum { IN, IN_TOKEN, OUT, OUT_TOKEN, OFFSET, LENGTH, CHUNKS, FULL, PARTS, ARGS = PARTS + CCU_PARTS };

enum { MAX_EVENTS = (HSIM_MAX_CCU_CHANNELS + 16) / 16 };

HSIM_CCU(all_gather_mesh)
{
	if (reg->nchannels + 1 != reg->world) HSIM_FAIL("all_gather_mesh: want a channel to every other rank");
	int32_t arg = ccu_args(0, PARTS);
	struct ccu_parts parts = ccu_load_parts(PARTS);
	int32_t offset = arg + OFFSET, length = arg + LENGTH, left = arg + CHUNKS;

	ccu_before(reg->nchannels, CCU_OUTPUT, arg + OUT, arg + OUT_TOKEN);

	/* From the own input into the own place in every output. */
	struct ccu_mem from = { hsim_addresses(1), arg + IN_TOKEN }, own = { hsim_addresses(1), arg + OUT_TOKEN };
	struct ccu_mem to[HSIM_MAX_CCU_CHANNELS];
	hsim_address_from(from.addr, arg + IN);
	hsim_address_from(own.addr, arg + OUT);
	hsim_address_add(own.addr, own.addr, offset);
	for (uint32_t c = 0; c < reg->nchannels; c++) {
		to[c] = ccu_peer(c, CCU_OUTPUT);
		hsim_address_add(to[c].addr, to[c].addr, offset);
	}

	struct ccu_loops loops = ccu_take_loops();
	int32_t minus_one = ccu_constant(~0ull);
	int32_t events = hsim_events((reg->world + 15) / 16);
	uint32_t masks[MAX_EVENTS] = { 0 };
	for (uint32_t r = 0; r < reg->world; r++) masks[r / 16] |= CCU_BIT(r % 16);

	hsim_do_begin();
	for (uint32_t c = 0; c < reg->nchannels; c++) {
		uint32_t r = reg->channels[c].peer;
		hsim_write(c, to[c].addr, to[c].token, from.addr, from.token, length, events + (int32_t)(r / 16), CCU_BIT(r % 16));
	}
	hsim_event_record(events + (int32_t)(reg->rank / 16), CCU_BIT(reg->rank % 16));
	ccu_copy(loops, parts, own, from);
	for (uint32_t e = 0; e * 16 < reg->world; e++) hsim_event_wait(events + (int32_t)e, masks[e]);

	hsim_add(left, left, minus_one);
	hsim_if_begin(left, HSIM_COMPARE_NE, 0);
	hsim_address_add(from.addr, from.addr, length);
	hsim_address_add(own.addr, own.addr, length);
	for (uint32_t c = 0; c < reg->nchannels; c++) hsim_address_add(to[c].addr, to[c].addr, length);
	hsim_set(length, CCU_CHUNK);
	hsim_move(parts.rounds, arg + FULL);
	hsim_set(parts.slices, 0);
	hsim_set(parts.tail, 0);
	hsim_if_end();
	hsim_do_end(left, HSIM_COMPARE_NE, 0);

	ccu_after(reg->nchannels);
	return HSIM_STATUS_OK;
}

/* The first chunk is what whole ones leave over. */
HSIM_CCU_LAUNCH(all_gather_mesh)
{
	uint64_t *a = args, n = op->input_bytes;
	if (max < ARGS) return HSIM_STATUS_LIMIT;
	uint64_t offset = op->rank * n, first = n % CCU_CHUNK ? n % CCU_CHUNK : CCU_CHUNK;
	int in_place = op->input == op->output + offset;
	a[IN] = op->input;
	a[IN_TOKEN] = op->input_token;
	a[OUT] = op->output;
	a[OUT_TOKEN] = op->output_token;
	a[OFFSET] = offset;
	a[LENGTH] = first;
	a[CHUNKS] = (n - first) / CCU_CHUNK + 1;
	a[FULL] = in_place ? 0 : CCU_CHUNK / CCU_ROUND;
	ccu_split(a + PARTS, in_place ? 0 : first);
	return ARGS;
}
