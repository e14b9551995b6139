/* Programs for the tests of package ccu: what the interface passes, and what goes
 * wrong in modules. */
#define HSIM_KIND_CCU
#include "hsim.h"

HSIM_MODULE(ccu, 0)
HSIM_BUFFER(4096)

static int32_t none(void) { return 0; }

#define NO_ARGUMENTS(name) HSIM_CCU_LAUNCH(name) { (void)op; (void)args; (void)max; return none(); }

/* Every import once, with arguments that differ. */
HSIM_CCU(everything)
{
	int32_t v = hsim_variables(8), a = hsim_addresses(4), e = hsim_events(3), b = hsim_buffers(4);
	hsim_load_arg(v, 1);
	hsim_load_arg(v + 1, 0);
	int32_t c = hsim_channel_variable(0, 7);
	hsim_set(v + 2, 0x123456789abcdef0ull);
	hsim_move(v + 3, c);
	hsim_add(v + 4, v, v + 1);
	hsim_address_set(a, 0xfedcba9876543210ull);
	hsim_address_move(a + 1, a);
	hsim_address_from(a + 2, v + 3);
	hsim_address_add(a + 3, a + 2, v + 4);
	hsim_address_add_address(a, a + 1, a + 2);
	hsim_read(0, a, v, a + 1, v + 1, v + 2, e, 1);
	hsim_write(0, a + 1, v + 1, a, v, v + 2, e + 1, 2);
	hsim_read_buffer(0, b + 1, a, v, v + 2, e, 4);
	hsim_write_buffer(0, a, v, b + 2, v + 2, e, 8);
	hsim_read_reduce(0, a, v, a + 1, v + 1, v + 2, HSIM_DTYPE_BF16, HSIM_REDUCE_MAX, e, 16);
	hsim_write_reduce(0, a, v, a + 1, v + 1, v + 2, HSIM_DTYPE_UINT8, HSIM_REDUCE_MIN, e, 32);
	hsim_local_copy(a, v, a + 1, v + 1, v + 2, e + 2, 64);
	hsim_local_copy_in(b, a, v, v + 2, e, 128);
	hsim_local_copy_out(a, v, b + 3, v + 2, e, 256);
	hsim_local_reduce(a, v, a + 1, v + 1, v + 2, HSIM_DTYPE_FP32, HSIM_REDUCE_SUM, e, 512);
	hsim_buffer_reduce(b + 1, 3, HSIM_DTYPE_INT16, HSIM_DTYPE_INT16, HSIM_REDUCE_MAX, v + 2, e, 1024);
	hsim_load(v + 5, a, v, 2, e, 2048);
	hsim_store(a, v, v + 6, 2, e, 4096);
	hsim_event_record(e + 1, 0x8000);
	hsim_event_wait(e + 2, 0x4000);
	hsim_tag_record("left", 4, 1);
	hsim_tag_wait("right", 5, 2);
	hsim_notify_record(0, 3, 0x10);
	hsim_notify_wait(0, 4, 0x20);
	hsim_write_variable_with_notify(0, v + 7, 2, 5, 0x40);
	hsim_if_begin(v, HSIM_COMPARE_EQ, 1);
	hsim_set(v + 2, 1);
	hsim_if_else();
	hsim_set(v + 2, 2);
	hsim_if_end();
	hsim_while_begin(v + 1, HSIM_COMPARE_NE, 3);
	hsim_set(v + 1, 3);
	hsim_while_end();
	hsim_do_begin();
	hsim_set(v + 1, 4);
	hsim_do_end(v + 1, HSIM_COMPARE_EQ, 5);
	int32_t f = hsim_function_begin();
	hsim_set(v + 1, 6);
	hsim_function_end();
	hsim_call(f);
	int32_t l = hsim_loop_begin(v + 2, v + 3);
	hsim_event_wait(e, 1);
	hsim_loop_end();
	hsim_loop_begin(v + 3, v + 2);
	hsim_event_wait(e, 2);
	hsim_loop_end();
	hsim_loop_group(l, 2, 1, v + 4, 3, 2, v + 5, 0);
	HSIM_LOG("everything is recorded");
	return HSIM_STATUS_OK;
}

HSIM_CCU_LAUNCH(everything)
{
	uint64_t *a = args;
	(void)op;
	if (max < 2) return HSIM_STATUS_LIMIT;
	a[0] = 10;
	a[1] = 11;
	return 2;
}

/* The fields of the two records. */
HSIM_CCU(fields)
{
	const uint8_t *user = (const uint8_t *)(uintptr_t)reg->user_ptr;
	int32_t v = hsim_variables(16), i = 0;
	for (int32_t k = 0; k < 23; k++) hsim_load_arg(hsim_variables(1), (uint32_t)k);
	uint64_t values[] = { reg->size, reg->rank, reg->world, reg->die, reg->version, reg->operation, reg->reduce, reg->dtype, reg->out_dtype, reg->root,
		reg->nchannels, reg->channels[0].peer, reg->channels[0].die, reg->channels[0].peer_die, reg->channels[0].protocol, user[reg->user_len - 1] };
	for (; i < 16; i++) hsim_set(v + i, values[i]);
	return HSIM_STATUS_OK;
}

HSIM_CCU_LAUNCH(fields)
{
	uint64_t *a = args, values[] = { op->size, op->rank, op->world, op->root, op->operation, op->reduce, op->dtype, op->out_dtype, op->count,
		op->input, op->input_bytes, op->output, op->output_bytes, op->scratch, op->scratch_bytes, op->input_token, op->output_token,
		op->scratch_token, op->user_len, ((const uint8_t *)(uintptr_t)op->user_ptr)[0], max };
	for (uint32_t i = 0; i < 21; i++) a[i] = values[i];
	a[21] = a[22] = 0;
	return 23;
}

HSIM_CCU(traps) { (void)reg; hsim_event_record(hsim_events(1), 1); __builtin_trap(); }
NO_ARGUMENTS(traps)

HSIM_CCU(endless) { (void)reg; for (;;) hsim_events(0 * 1 + 1); }
NO_ARGUMENTS(endless)

HSIM_CCU(spins) { for (volatile uint32_t *p = &reg->rank; ; ) (void)*p; }
NO_ARGUMENTS(spins)

HSIM_CCU(refuses) { (void)reg; HSIM_FAIL("only even ranks"); }
NO_ARGUMENTS(refuses)

HSIM_CCU(status) { (void)reg; return HSIM_STATUS_UNSUPPORTED; }
NO_ARGUMENTS(status)

HSIM_CCU(second) { (void)reg; int32_t v = hsim_variables(1); hsim_alu(HSIM_CCU_MUL, v, v, v); return 0; }
NO_ARGUMENTS(second)

static int32_t one(void) { hsim_event_record(hsim_events(1), 1); return 0; }

HSIM_CCU(miscounts) { (void)reg; return one(); }
HSIM_CCU_LAUNCH(miscounts) { (void)op; (void)args; (void)max; return 3; }

HSIM_CCU(late) { (void)reg; return one(); }
HSIM_CCU_LAUNCH(late) { (void)op; (void)args; (void)max; return hsim_variables(1) * 0; }

HSIM_CCU(launch_traps) { (void)reg; return one(); }
HSIM_CCU_LAUNCH(launch_traps) { (void)args; (void)max; return *(volatile int32_t *)(uintptr_t)(0xfffffff0u + op->size * 0); }

HSIM_CCU(launch_status) { (void)reg; return one(); }
HSIM_CCU_LAUNCH(launch_status) { (void)op; (void)args; (void)max; return HSIM_STATUS_LIMIT; }
