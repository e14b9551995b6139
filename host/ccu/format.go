package ccu

// word is a 16-bit field; n counts the words after the header.
func word(name string, s Slot, k FieldKind, n uint8) Field {
	return Field{Name: name, Slot: s, Kind: k, Bit: 16 + 16*n, Bits: 16}
}

// bits is a part of word n.
func bits(name string, s Slot, n, from, count uint8) Field {
	return Field{Name: name, Slot: s, Bit: 16 + 16*n + from, Bits: count}
}

func imm(n uint8) Field { return Field{Name: "imm", Slot: SlotImm, Bit: 16 + 16*n, Bits: 64} }

// sync is the tail of every move, synchronisation and reduction.
func sync() []Field {
	return []Field{bits("clear", SlotClear, 10, 0, 1), word("set", SlotSet, KindCKE, 11), word("setMask", SlotSetMask, KindMask, 12),
		word("wait", SlotWait, KindCKE, 13), word("waitMask", SlotWaitMask, KindMask, 14)}
}

// move is a move with its operands in the first words, then length and channel.
func move(op Op, name string, operands ...Field) Format {
	n := uint8(len(operands))
	f := append(operands, word("len", SlotLen, KindXn, n), word("channel", SlotChannel, KindNumber, n+1))
	f = append(f, bits("lenOn", SlotLenOn, 10, 1, 1))
	return Format{op, name, append(f, sync()...)}
}

// far is a move between own and peer memory, which may reduce.
func far(op Op, name string, operands ...Field) Format {
	f := move(op, name, operands...)
	f.Fields = append(f.Fields, bits("udfType", SlotType, 6, 0, 8), bits("dtype", SlotDtype, 6, 8, 4), bits("reduce", SlotReduce, 6, 12, 4),
		bits("reduceOn", SlotReduceOn, 10, 2, 1))
	return f
}

func fold(op Op, name string) Format {
	var f []Field
	for i := range uint8(8) {
		f = append(f, word("ms"+string('0'+i), SlotA+Slot(i), KindMS, i))
	}
	f = append(f, word("len", SlotLen, KindXn, 8), bits("count", SlotCount, 10, 1, 3), bits("dtype", SlotDtype, 10, 11, 5))
	if op == OpAdd {
		f = append(f, bits("cast", SlotCast, 10, 4, 2))
	}
	return Format{op, name, append(f, sync()...)}
}

func across(op Op, name string, k FieldKind) Format {
	f := []Field{word("remote", SlotA, KindRemote, 0), word("local", SlotB, k, 1), word("channel", SlotChannel, KindNumber, 3),
		word("remoteSet", SlotC, KindRemote, 4), word("remoteMask", SlotD, KindMask, 5)}
	return Format{op, name, append(f, sync()...)}
}

// control is an instruction whose wait fields come first.
func control(op Op, name, verb string) Format {
	return Format{op, name, []Field{bits("clear", SlotClear, 0, 0, 1), word(verb, SlotSet, KindCKE, 1), word(verb+"Mask", SlotSetMask, KindMask, 2),
		word("wait", SlotWait, KindCKE, 3), word("waitMask", SlotWaitMask, KindMask, 4)}}
}

func gsa(name string, s Slot, n uint8) Field { return word(name, s, KindGSA, n) }
func xn(name string, s Slot, n uint8) Field  { return word(name, s, KindXn, n) }
func ms(name string, s Slot, n uint8) Field  { return word(name, s, KindMS, n) }

// formats is a constant table: nothing writes it.
var formats = [...]Format{
	{OpLoadArgGSA, "LoadSqeArgsToGSA", []Field{gsa("gsa", SlotA, 0), word("arg", SlotB, KindNumber, 1)}},
	{OpLoadArgXn, "LoadSqeArgsToXn", []Field{xn("xn", SlotA, 0), word("arg", SlotB, KindNumber, 1)}},
	{OpLoadImmGSA, "LoadImdToGSA", []Field{gsa("gsa", SlotA, 0), imm(1)}},
	{OpLoadImmXn, "LoadImdToXn", []Field{xn("xn", SlotA, 0), imm(1), word("secret", SlotSecret, KindNumber, 5)}},
	{OpAddGSAXn, "LoadGSAXn", []Field{gsa("gd", SlotA, 0), gsa("gm", SlotB, 1), xn("xn", SlotC, 2)}},
	{OpAddGSA, "LoadGSAGSA", []Field{gsa("gd", SlotA, 0), gsa("gm", SlotB, 1), gsa("gn", SlotC, 2)}},
	{OpAddXn, "LoadXX", []Field{xn("xd", SlotA, 0), xn("xm", SlotB, 1), xn("xn", SlotC, 2)}},

	{OpLoop, "Loop", []Field{word("start", SlotA, KindInstruction, 0), word("end", SlotB, KindInstruction, 1), xn("xn", SlotC, 2)}},
	{OpLoopGroup, "LoopGroup", []Field{word("start", SlotA, KindInstruction, 0), xn("xn", SlotB, 1), xn("xm", SlotC, 2), bits("fast", SlotD, 3, 0, 1)}},
	control(OpSetCKE, "SetCKE", "set"),
	control(OpClearCKE, "ClearCKE", "erase"),
	{OpJump, "Jmp", []Field{xn("to", SlotA, 0), xn("if", SlotB, 1), imm(2)}},

	move(OpMemToMS, "TransLocMemToLocMS", ms("ms", SlotA, 0), gsa("from", SlotB, 1), xn("token", SlotC, 2)),
	move(OpRemoteMemToMS, "TransRmtMemToLocMS", ms("ms", SlotA, 0), gsa("from", SlotB, 1), xn("token", SlotC, 2)),
	move(OpMSToMem, "TransLocMSToLocMem", gsa("to", SlotA, 0), xn("token", SlotB, 1), ms("ms", SlotC, 2)),
	move(OpMSToRemoteMem, "TransLocMSToRmtMem", gsa("to", SlotA, 0), xn("token", SlotB, 1), ms("ms", SlotC, 2)),
	move(OpRemoteMSToMem, "TransRmtMSToLocMem", gsa("to", SlotA, 0), xn("token", SlotB, 1), word("remoteMS", SlotC, KindRemote, 2)),
	move(OpMSToMS, "TransLocMSToLocMS", ms("to", SlotA, 0), ms("from", SlotB, 1)),
	move(OpRemoteMSToMS, "TransRmtMSToLocMS", ms("to", SlotA, 0), word("remoteMS", SlotB, KindRemote, 1)),
	func() Format {
		f := move(OpMSToRemoteMS, "TransLocMSToRmtMS", word("remoteMS", SlotA, KindRemote, 0), ms("from", SlotB, 1))
		f.Fields = append(f.Fields, word("remoteSet", SlotC, KindRemote, 4), word("remoteMask", SlotD, KindMask, 5))
		return f
	}(),
	far(OpRead, "TransRmtMemToLocMem", gsa("to", SlotA, 0), xn("toToken", SlotB, 1), gsa("from", SlotC, 2), xn("fromToken", SlotD, 3)),
	far(OpWrite, "TransLocMemToRmtMem", gsa("to", SlotA, 0), xn("toToken", SlotB, 1), gsa("from", SlotC, 2), xn("fromToken", SlotD, 3)),
	move(OpMemToMem, "TransLocMemToLocMem", gsa("to", SlotA, 0), xn("toToken", SlotB, 1), gsa("from", SlotC, 2), xn("fromToken", SlotD, 3)),
	func() Format {
		return Format{OpSyncCKE, "SyncCKE", append([]Field{word("remote", SlotA, KindRemote, 0), word("local", SlotB, KindCKE, 1),
			word("mask", SlotC, KindMask, 2), word("channel", SlotChannel, KindNumber, 3)}, sync()...)}
	}(),
	across(OpSyncGSA, "SyncGSA", KindGSA),
	across(OpSyncXn, "SyncXn", KindXn),
	fold(OpAdd, "Add"), fold(OpMax, "Max"), fold(OpMin, "Min"),
}
