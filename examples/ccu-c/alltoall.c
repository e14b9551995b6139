/* A CCU microprogram in C: AllToAll over a full mesh. Build it with `hsim plugin
 * build examples/ccu-c`, or copy this directory, change it, and build the copy;
 * then name the module in sim.toml:
 *
 *     [plugins]
 *     ccu = ["builtin", "ccu-c.wasm"]
 *
 * A run with op = "all_to_all" and expansion = "ccu_sched" looks for the program
 * all_to_all_mesh: the names of the operation and of the algorithm.
 */
#include "ccu.h" /* hsim.h, and what such programs share */

HSIM_MODULE(ccu, 0)
HSIM_BUFFER(4096)

/* The arguments of a launch, in the order in which they are loaded. */
enum { IN, IN_TOKEN, OUT, OUT_TOKEN, PIECE, MINE, PARTS, ARGS = PARTS + CCU_PARTS };

/* Runs once per rank, when the program is registered: it records what the CCU
 * will do at every launch. Nothing moves here. */
HSIM_CCU(all_to_all_mesh)
{
	int32_t arg = ccu_args(0, PARTS);
	struct ccu_parts parts = ccu_load_parts(PARTS);
	struct ccu_loops loops = ccu_take_loops();
	int32_t piece = arg + PIECE, mine = arg + MINE;

	/* Tell everybody where my output is, and hear where theirs is. */
	ccu_before(reg->nchannels, CCU_OUTPUT, arg + OUT, arg + OUT_TOKEN);

	/* Piece r of my input goes to place rank of rank r's output. The writes go on
	 * by themselves; each sets a bit when it is complete. */
	struct ccu_mem from = { hsim_addresses(1), arg + IN_TOKEN }, own = from, to[HSIM_MAX_CCU_CHANNELS];
	int32_t done = hsim_events((reg->world + 15) / 16);
	hsim_address_from(from.addr, arg + IN);
	for (uint32_t r = 0, c = 0; r < reg->world; r++) {
		if (r == reg->rank) {
			own.addr = hsim_addresses(1);
			hsim_address_move(own.addr, from.addr);
		} else {
			to[c] = ccu_peer(c, CCU_OUTPUT);
			hsim_address_add(to[c].addr, to[c].addr, mine);
			hsim_write(c, to[c].addr, to[c].token, from.addr, from.token, piece, done + (int32_t)(r / 16), CCU_BIT(r % 16));
			c++;
		}
		hsim_address_add(from.addr, from.addr, piece);
	}

	/* My own piece is copied meanwhile, through the buffers. */
	struct ccu_mem place = { hsim_addresses(1), arg + OUT_TOKEN };
	hsim_address_from(place.addr, arg + OUT);
	hsim_address_add(place.addr, place.addr, mine);
	ccu_copy(loops, parts, place, own);

	for (uint32_t r = 0; r < reg->world; r++)
		if (r != reg->rank) hsim_event_wait(done + (int32_t)(r / 16), CCU_BIT(r % 16));
	ccu_after(reg->nchannels);
	return HSIM_STATUS_OK;
}

/* Runs for every launch: the values that the program loads. */
HSIM_CCU_LAUNCH(all_to_all_mesh)
{
	uint64_t *a = args, piece = op->input_bytes / op->world;
	if (max < ARGS || piece >= 256 << 20) return HSIM_STATUS_LIMIT; /* one write each */
	a[IN] = op->input;
	a[IN_TOKEN] = op->input_token;
	a[OUT] = op->output;
	a[OUT_TOKEN] = op->output_token;
	a[PIECE] = piece;
	a[MINE] = op->rank * piece;
	ccu_split(a + PARTS, piece);
	return ARGS;
}
