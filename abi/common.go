package abi

// CommonExports returns what a module of every kind but program may or must export besides its memory and its version.
func CommonExports() []Func {
	return []Func{
		declare("hsim_buffer(size u32) ptr",
			"Return the address of size bytes, 16-byte aligned, that the host may write; asked once before the first call. 0: no room."),
		declare("hsim_describe() u64 ?",
			"Return address << 32 | length of a JSON text {name, version, about, params: [{name, type, default, about, values}]}; types are int, bool, bytes, rate, time, enum."),
		declare("hsim_set_param(index u32, value i64) i32 ?",
			"Set a parameter of hsim_describe by its index, in base units (bytes, bit/s, ps, index of the enum value); called before the first other call."),
		declare("_initialize() ?", "Run constructors; called once after instantiation."),
	}
}

// CommonEnums returns the constants that all kinds share.
func CommonEnums() []Enum { return []Enum{statusEnum(), dtypeEnum(), reduceEnum()} }

func dtypeEnum() Enum {
	return Enum{Name: "dtype", Doc: "Data types, numbered as HcclDataType.", Consts: []Const{
		{"int8", 0, ""}, {"int16", 1, ""}, {"int32", 2, ""}, {"fp16", 3, ""}, {"fp32", 4, ""}, {"int64", 5, ""},
		{"uint64", 6, ""}, {"uint8", 7, ""}, {"uint16", 8, ""}, {"uint32", 9, ""}, {"fp64", 10, ""}, {"bf16", 11, ""},
		{"int128", 12, ""}, {"hif8", 14, ""}, {"fp8e4m3", 15, ""}, {"fp8e5m2", 16, ""}, {"fp8e8m0", 17, ""},
	}}
}

func reduceEnum() Enum {
	return Enum{Name: "reduce", Doc: "Reduce operations, numbered as HcclReduceOp.", Consts: []Const{
		{"sum", 0, ""}, {"prod", 1, ""}, {"max", 2, ""}, {"min", 3, ""},
	}}
}

func compareEnum() Enum {
	return Enum{Name: "compare", Doc: "Relations between a watched word and a value, unsigned.", Consts: []Const{
		{"eq", CompareEQ, "word == value"}, {"ne", CompareNE, "word != value"},
		{"ge", CompareGE, "word >= value"}, {"gt", CompareGT, "word > value"},
		{"le", CompareLE, "word <= value"}, {"lt", CompareLT, "word < value"},
	}}
}

// Relations of mem_wait and of CCU conditions.
const (
	CompareEQ = 0
	CompareNE = 1
	CompareGE = 2
	CompareGT = 3
	CompareLE = 4
	CompareLT = 5
)
