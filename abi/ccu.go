package abi

// MaxCCUChannels is the number of entries in a registration record's channels.
const MaxCCUChannels = 64

// MaxCCUArgs is the most arguments that a launch function may return.
const MaxCCUArgs = 256

// Arithmetic of CCU version 2 (import alu).
const (
	CCUAdd      = 0
	CCUSub      = 1
	CCUMul      = 2
	CCUAnd      = 3
	CCUOr       = 4
	CCUXor      = 5
	CCUNot      = 6
	CCUShl      = 7
	CCUShr      = 8
	CCUSar      = 9
	CCUPopcount = 10
)

func ccuInterface() *Interface {
	channel := layout(Record{Name: "ccu_channel", Doc: "A channel of the program's die.", Fields: []Field{
		field("peer", "u32", "rank at the other end"), field("die", "u8", "die of this end"), field("peer_die", "u8", ""),
		field("protocol", "u8", "information only"), field("_pad0", "u8", ""),
	}})
	register := layout(Record{Name: "register", Doc: "What a microprogram is recorded for.", Fields: []Field{
		field("size", "u32", ""), field("rank", "u32", ""), field("world", "u32", ""), field("die", "u32", ""),
		field("version", "u32", "1 or 2"), field("operation", "u32", "hsim_operation_*"), field("reduce", "u32", "hsim_reduce_*"), field("dtype", "u32", "hsim_dtype_* of the input"),
		field("out_dtype", "u32", ""), field("root", "u32", ""), field("nchannels", "u32", ""), array("channels", "ccu_channel", MaxCCUChannels, ""),
		field("user_ptr", "u32", "bytes of the caller"), field("user_len", "u32", ""), field("_pad0", "u32", ""),
	}}, channel)
	invocation := layout(Record{Name: "invocation", Doc: "One launch of a recorded microprogram.", Fields: []Field{
		field("size", "u32", ""), field("rank", "u32", ""), field("world", "u32", ""), field("root", "u32", ""),
		field("operation", "u32", ""), field("reduce", "u32", ""), field("dtype", "u32", ""), field("out_dtype", "u32", ""),
		field("count", "u64", "elements"), field("input", "u64", "device address"), field("input_bytes", "u64", ""), field("output", "u64", ""), field("output_bytes", "u64", ""),
		field("scratch", "u64", ""), field("scratch_bytes", "u64", ""), field("input_token", "u64", ""), field("output_token", "u64", ""), field("scratch_token", "u64", ""),
		field("user_ptr", "u32", ""), field("user_len", "u32", ""),
	}})
	return &Interface{
		Kind:   CCU,
		Module: importModule(CCU),
		Doc: "Microprograms of collective communication units. hsim_ccu_<name> runs once per registration and records operations; it does not move " +
			"data. Resources are small positive identifiers; a run of n of them is contiguous, so that id + i names the i-th. An event mask has 16 bits. " +
			"Operands in memory are an address and a token. Moves and reduces finish later and then set bits of an event; everything else happens in order. " +
			"What does not fit a die, and version 2 operations on version 1, fail the registration.",
		Exports: []Func{
			declare("hsim_ccu_<name>(reg register*) i32", "Record the microprogram."),
			declare("hsim_ccu_<name>_launch(op invocation*, args ptr, max u32) i32", "Write at most max u64 arguments of one invocation to args; return how many, or a negative status."),
		},
		Imports: ccuImports(),
		Records: []Record{channel, register, invocation},
		Enums: []Enum{
			operationEnum(), compareEnum(),
			{"ccu", "Arithmetic of version 2.", []Const{
				{"add", CCUAdd, ""}, {"sub", CCUSub, ""}, {"mul", CCUMul, "32 x 32 to 64 bits"}, {"and", CCUAnd, ""}, {"or", CCUOr, ""}, {"xor", CCUXor, ""},
				{"not", CCUNot, "of the first operand"}, {"shl", CCUShl, ""}, {"shr", CCUShr, ""}, {"sar", CCUSar, "arithmetic"}, {"popcount", CCUPopcount, "of the first operand"},
			}},
			{"max", "Limits.", []Const{{"ccu_channels", MaxCCUChannels, ""}, {"ccu_args", MaxCCUArgs, ""}}},
		},
	}
}

func ccuImports() []Func {
	return []Func{
		declare("variables(n u32) i32", "Take n 64-bit variables; the first identifier, or a negative status, as for the next three."),
		declare("addresses(n u32) i32", "Take n addresses."),
		declare("events(n u32) i32", "Take n events of 16 bits."),
		declare("buffers(n u32) i32", "Take n on-chip buffers of 4096 bytes."),
		declare("channel_variable(channel u32, index u32) i32", "The variable that a channel mirrors on both ends under an index."),

		declare("load_arg(var i32, arg u32) i32", "Set a variable from a launch argument; before everything else."),
		declare("set(var i32, value u64) i32", "Set a variable to a constant."),
		declare("move(var i32, from i32) i32", "Copy a variable."),
		declare("add(var i32, a i32, b i32) i32", "Sum of two variables."),
		declare("address_set(addr i32, value u64) i32", "Set an address to a constant."),
		declare("address_move(addr i32, from i32) i32", "Copy an address."),
		declare("address_from(addr i32, var i32) i32", "Set an address from a variable."),
		declare("address_add(addr i32, a i32, var i32) i32", "Sum of an address and a variable."),
		declare("address_add_address(addr i32, a i32, b i32) i32", "Sum of two addresses."),
		declare("alu(op u32, var i32, a i32, b i32) i32", "Version 2: hsim_ccu_* of two variables."),
		declare("alu_const(op u32, var i32, a i32, value u32) i32", "Version 2: hsim_ccu_* of a variable and a 16-bit constant."),

		declare("read(channel u32, to i32, to_token i32, from i32, from_token i32, n i32, event i32, mask u32) i32", "Peer memory to own memory; n is a variable."),
		declare("write(channel u32, to i32, to_token i32, from i32, from_token i32, n i32, event i32, mask u32) i32", "Own memory to peer memory."),
		declare("read_buffer(channel u32, buffer i32, from i32, from_token i32, n i32, event i32, mask u32) i32", "Peer memory to a buffer."),
		declare("write_buffer(channel u32, to i32, to_token i32, buffer i32, n i32, event i32, mask u32) i32", "A buffer to peer memory."),
		declare("read_reduce(channel u32, to i32, to_token i32, from i32, from_token i32, n i32, dtype u32, op u32, event i32, mask u32) i32", "Combine peer memory into own memory."),
		declare("write_reduce(channel u32, to i32, to_token i32, from i32, from_token i32, n i32, dtype u32, op u32, event i32, mask u32) i32", "Combine own memory into peer memory."),
		declare("local_copy(to i32, to_token i32, from i32, from_token i32, n i32, event i32, mask u32) i32", "Own memory to own memory."),
		declare("local_copy_in(buffer i32, from i32, from_token i32, n i32, event i32, mask u32) i32", "Own memory to a buffer."),
		declare("local_copy_out(to i32, to_token i32, buffer i32, n i32, event i32, mask u32) i32", "A buffer to own memory."),
		declare("local_reduce(to i32, to_token i32, from i32, from_token i32, n i32, dtype u32, op u32, event i32, mask u32) i32", "Combine own memory into own memory."),
		declare("buffer_reduce(buffer i32, count u32, dtype u32, out_dtype u32, op u32, n i32, event i32, mask u32) i32",
			"Combine count (2..8) consecutive buffers in order into the first, widening to out_dtype."),
		declare("load(var i32, addr i32, token i32, count u32, event i32, mask u32) i32", "Read count consecutive variables from own memory."),
		declare("store(addr i32, token i32, var i32, count u32, event i32, mask u32) i32", "Write count consecutive variables to own memory."),

		declare("event_record(event i32, mask u32) i32", "Set bits of an event."),
		declare("event_wait(event i32, mask u32) i32", "Wait for all bits of mask and clear them."),
		declare("tag_record(tag cptr, n u32, mask u32) i32", "Set bits of the notify that programs of one die share under a name."),
		declare("tag_wait(tag cptr, n u32, mask u32) i32", "Wait for such bits and clear them."),
		declare("notify_record(channel u32, index u32, mask u32) i32", "Set bits of the peer's notify 0..7 of a channel."),
		declare("notify_wait(channel u32, index u32, mask u32) i32", "Wait for bits of the own notify of a channel and clear them."),
		declare("write_variable_with_notify(channel u32, var i32, index u32, notify u32, mask u32) i32", "Write a variable to the peer's channel variable, then set bits of its notify."),
		declare("sync_add(channel u32, var i32, index u32) i32", "Version 2: add a variable to the peer's channel variable in one step."),
		declare("variable_wait(var i32, compare u32, value i32) i32", "Version 2: wait until a variable fulfils the relation with another."),

		declare("if_begin(var i32, compare u32, value u64) i32", "Begin a block that runs when the relation holds; ge, gt, le and lt need version 2."),
		declare("if_else() i32", "Begin the other block."),
		declare("if_end() i32", "End it."),
		declare("while_begin(var i32, compare u32, value u64) i32", "Begin a block that repeats while the relation holds."),
		declare("while_end() i32", "End it."),
		declare("do_begin() i32", "Begin a block that runs at least once."),
		declare("do_end(var i32, compare u32, value u64) i32", "End it; it repeats while the relation holds."),
		declare("function_begin() i32", "Begin a function; its identifier, or a negative status."),
		declare("function_end() i32", "End it."),
		declare("call(function i32) i32", "Run a function."),
		declare("loop_begin(iterations i32, step i32) i32",
			"Begin the body of a loop and return its identifier; both arguments are variables, step in bytes is added to every address per iteration. No if, call or event_record inside."),
		declare("loop_end() i32", "End the body."),
		declare("loop_group(first i32, loops u32, repeat_first u32, repeats i32, buffer_step u32, event_step u32, address_step i32, variable_step u32) i32",
			"Run loops consecutive loops in parallel, and the ones from repeat_first on again in repeats (a variable) clones with the steps added; waits for all."),
		declare("log(text cptr, n u32)", "Write a line to the log."),
		declare("fail(text cptr, n u32)", "Refuse the registration with an error; does not return."),
	}
}
