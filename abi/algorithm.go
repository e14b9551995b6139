package abi

// Buffers that a step of an algorithm names.
const (
	BufferInput   = 0
	BufferOutput  = 1
	BufferScratch = 2
)

// Op is one rank's view of a collective operation (record op).
type Op struct {
	Size      uint32
	Operation uint32
	Dtype     uint32
	Reduce    uint32
	Rank      uint32
	Ranks     uint32
	Root      uint32
	Elem      uint32
	Count     uint64
	Input     uint64
	Output    uint64
	Scratch   uint64
	Group     uint32
	Streams   uint32
}

func algorithmInterface() *Interface {
	op := layout(Record{Name: "op", Doc: "One rank's view of a collective operation.", Fields: []Field{
		field("size", "u32", ""), field("operation", "u32", "hsim_operation_*"), field("dtype", "u32", "hsim_dtype_*"), field("reduce", "u32", "hsim_reduce_*"),
		field("rank", "u32", ""), field("ranks", "u32", ""), field("root", "u32", ""), field("elem", "u32", "bytes of one element"),
		field("count", "u64", "elements of the operation, as in the collective's call"), field("input", "u64", "bytes of the input buffer, which is only read"),
		field("output", "u64", "bytes of the output buffer"), field("scratch", "u64", "bytes of the scratch buffer"),
		field("group", "u32", "ranks of each server, which are neighbours in rank order; 0: they are not, or uneven"), field("streams", "u32", "streams a rank may use"),
	}})
	return &Interface{
		Kind:   Algorithm,
		Module: importModule(Algorithm),
		Doc: "Collective schedules. The function is called once per rank and emits that rank's steps in order through the imports; " +
			"offsets and lengths are bytes, whole elements. Steps of one stream run in order, streams of one rank run at the same time. A run of " +
			"sends followed by a run of receives on one stream is an exchange: its receives are announced before its sends wait for theirs. Channels " +
			"are 0 to 15; each direction of one belongs to one stream.",
		Exports: []Func{
			declare("hsim_algo_<name>(op op*) i32", "Emit the steps of one rank."),
		},
		Imports: []Func{
			declare("send(buffer u32, offset u64, n u64, peer u32, channel u32, stream u32) i32", "Send a range to a peer; matches the peer's receives on the channel in order. No bytes: a signal."),
			declare("receive(buffer u32, offset u64, n u64, peer u32, channel u32, stream u32) i32", "Receive into a range of output or scratch."),
			declare("receive_reduce(buffer u32, offset u64, n u64, peer u32, channel u32, stream u32) i32", "Receive and combine into a range of output or scratch."),
			declare("copy(to u32, to_offset u64, from u32, from_offset u64, n u64, stream u32) i32", "Copy inside the rank."),
			declare("reduce(to u32, to_offset u64, from u32, from_offset u64, n u64, stream u32) i32", "Combine inside the rank."),
			declare("sync(stream u32, other u32) i32", "Let stream wait for everything emitted so far on the other stream, and for the arrival of what that has sent."),
			declare("log(text cptr, n u32)", "Write a line to the log."),
			declare("fail(text cptr, n u32)", "Refuse the operation with an error; does not return."),
		},
		Records: []Record{op},
		Enums: []Enum{
			operationEnum(),
			{"buffer", "Buffers of a rank.", []Const{{"input", BufferInput, ""}, {"output", BufferOutput, ""}, {"scratch", BufferScratch, ""}}},
		},
	}
}

func operationEnum() Enum {
	return Enum{Name: "operation", Doc: "Collective operations.", Consts: []Const{
		{"all_reduce", 0, ""}, {"all_gather", 1, ""}, {"reduce_scatter", 2, ""}, {"broadcast", 3, ""}, {"reduce", 4, ""},
		{"scatter", 5, ""}, {"gather", 6, ""}, {"all_to_all", 7, ""}, {"all_gather_v", 8, ""}, {"reduce_scatter_v", 9, ""}, {"all_to_all_v", 10, ""},
		{"send", 11, ""}, {"receive", 12, ""}, {"batch_send_receive", 13, ""}, {"barrier", 14, ""},
	}}
}
