package ccu

import (
	"hsim/abi"
	"hsim/host/mem"
)

// Variables takes n variables; the result names the first, and result + i the
// i-th. So do the next three.
func (r *Recorder) Variables(n uint32) int32 { return r.take("variables", classXn, n) }

// Addresses takes n addresses.
func (r *Recorder) Addresses(n uint32) int32 { return r.take("addresses", classGSA, n) }

// Events takes n events.
func (r *Recorder) Events(n uint32) int32 { return r.take("events", classCKE, n) }

// Buffers takes n buffers.
func (r *Recorder) Buffers(n uint32) int32 { return r.take("buffers", classMS, n) }

// ChannelVariable is the variable that the channel's peer writes under an index.
func (r *Recorder) ChannelVariable(channel, index uint32) int32 {
	if r.err != nil {
		return 0
	}
	r.op = "channel_variable"
	c := r.channel(channel)
	if r.err == nil && index >= ChannelVariables {
		r.fail("index: got %d, want 0 to %d", index, ChannelVariables-1)
	}
	if r.err != nil {
		return 0
	}
	key := [2]int{c.number, int(index)}
	if _, ok := r.vars[key]; !ok {
		i := len(r.syms[classXn])
		r.vars[key] = i
		r.syms[classXn] = append(r.syms[classXn], symbol{fixed: true, n: c.vars + int(index), last: i})
	}
	return int32(r.vars[key])
}

// LoadArg sets a variable from a launch argument.
func (r *Recorder) LoadArg(v int32, arg uint32) {
	if !r.enter("load_arg", outside) {
		return
	}
	if r.begun {
		r.fail("got argument %d after another operation, want all arguments first", arg)
	}
	if arg >= abi.MaxCCUArgs {
		r.fail("arg: got %d, want 0 to %d", arg, abi.MaxCCUArgs-1)
	}
	if _, ok := r.args[int(arg)]; ok {
		r.fail("got argument %d a second time, want a move of the first variable", arg)
	}
	r.args[int(arg)] = len(r.nodes)
	r.add(node{kind: nLoadArg, x: [5]int{r.get("var", classXn, v)}, n: arg})
}

// Set sets a variable to a constant.
func (r *Recorder) Set(v int32, value uint64) {
	if r.enter("set", outside) {
		r.add(node{kind: nSet, x: [5]int{r.get("var", classXn, v)}, value: value})
	}
}

// Move copies a variable.
func (r *Recorder) Move(v, from int32) {
	if r.enter("move", outside) {
		r.add(node{kind: nMove, x: [5]int{r.get("var", classXn, v), r.get("from", classXn, from)}})
	}
}

// Add is the sum of two variables.
func (r *Recorder) Add(v, a, b int32) {
	if r.enter("add", outside) {
		r.add(node{kind: nAdd, x: [5]int{r.get("var", classXn, v), r.get("a", classXn, a), r.get("b", classXn, b)}})
	}
}

// AddressSet sets an address to a constant.
func (r *Recorder) AddressSet(at int32, value uint64) {
	if r.enter("address_set", outside) {
		r.add(node{kind: nAddrSet, x: [5]int{r.get("addr", classGSA, at)}, value: value})
	}
}

// AddressMove copies an address.
func (r *Recorder) AddressMove(at, from int32) {
	if r.enter("address_move", outside) {
		r.add(node{kind: nAddrMove, x: [5]int{r.get("addr", classGSA, at), r.get("from", classGSA, from)}})
	}
}

// AddressFrom sets an address from a variable.
func (r *Recorder) AddressFrom(at, v int32) {
	if r.enter("address_from", outside) {
		r.add(node{kind: nAddrFrom, x: [5]int{r.get("addr", classGSA, at), r.get("var", classXn, v)}})
	}
}

// AddressAdd is the sum of an address and a variable.
func (r *Recorder) AddressAdd(at, a, v int32) {
	if r.enter("address_add", outside) {
		r.add(node{kind: nAddrAdd, x: [5]int{r.get("addr", classGSA, at), r.get("a", classGSA, a), r.get("var", classXn, v)}})
	}
}

// AddressAddAddress is the sum of two addresses.
func (r *Recorder) AddressAddAddress(at, a, b int32) {
	if r.enter("address_add_address", outside) {
		r.add(node{kind: nAddrAddAddr, x: [5]int{r.get("addr", classGSA, at), r.get("a", classGSA, a), r.get("b", classGSA, b)}})
	}
}

// Mem is a place in memory: an address and the variable that holds its token.
type Mem struct{ Addr, Token int32 }

// Done is the event, and its bits, that are set when a move is complete.
type Done struct {
	Event int32
	Mask  uint32
}

// transfer records a move whose operands stand in the order of its format.
func (r *Recorder) transfer(op Op, ch *Channel, x [4]int, n int32, d Done) {
	t := node{kind: nTransfer, op: op, ch: ch}
	copy(t.x[:], x[:])
	t.x[4] = r.get("n", classXn, n)
	t.event, t.mask = r.get("event", classCKE, d.Event), r.mask(d.Mask)
	r.add(t)
}

func (r *Recorder) memory(name string, m Mem) (at, token int) {
	return r.get(name, classGSA, m.Addr), r.get(name+"_token", classXn, m.Token)
}

// Read copies peer memory to own memory, Write the other way; n is a variable.
func (r *Recorder) Read(channel uint32, to, from Mem, n int32, d Done) {
	r.between("read", OpRead, channel, to, from, n, d)
}

// Write copies own memory to peer memory.
func (r *Recorder) Write(channel uint32, to, from Mem, n int32, d Done) {
	r.between("write", OpWrite, channel, to, from, n, d)
}

func (r *Recorder) between(name string, op Op, channel uint32, to, from Mem, n int32, d Done) {
	if !r.enter(name, anywhere) {
		return
	}
	c := r.channel(channel)
	a, at := r.memory("to", to)
	b, bt := r.memory("from", from)
	r.transfer(op, c, [4]int{a, at, b, bt}, n, d)
}

// ReadReduce combines peer memory into own memory, WriteReduce the other way.
func (r *Recorder) ReadReduce(channel uint32, to, from Mem, n int32, dt mem.Dtype, op mem.Op, d Done) {
	r.Read(channel, to, from, n, d)
	r.reducing("read_reduce", dt, op)
}

// WriteReduce combines own memory into peer memory.
func (r *Recorder) WriteReduce(channel uint32, to, from Mem, n int32, dt mem.Dtype, op mem.Op, d Done) {
	r.Write(channel, to, from, n, d)
	r.reducing("write_reduce", dt, op)
}

// reducing makes the last move reduce.
func (r *Recorder) reducing(name string, dt mem.Dtype, op mem.Op) {
	if r.err != nil {
		return
	}
	r.op = name
	code, ok := remoteTypes[dt]
	red, known := remoteOps[op]
	if !ok || !known {
		r.fail("got %v of %v, want sum, max or min of an integer up to 32 bits, fp16, bf16 or fp32", op, dt)
		return
	}
	t := &r.nodes[len(r.nodes)-1]
	t.on, t.dt, t.red = true, code, red
}

// ReadBuffer copies peer memory to a buffer.
func (r *Recorder) ReadBuffer(channel uint32, buffer int32, from Mem, n int32, d Done) {
	if r.enter("read_buffer", anywhere) {
		c := r.channel(channel)
		at, token := r.memory("from", from)
		r.transfer(OpRemoteMemToMS, c, [4]int{r.get("buffer", classMS, buffer), at, token}, n, d)
	}
}

// WriteBuffer copies a buffer to peer memory.
func (r *Recorder) WriteBuffer(channel uint32, to Mem, buffer, n int32, d Done) {
	if r.enter("write_buffer", anywhere) {
		c := r.channel(channel)
		at, token := r.memory("to", to)
		r.transfer(OpMSToRemoteMem, c, [4]int{at, token, r.get("buffer", classMS, buffer)}, n, d)
	}
}

// LocalCopy copies own memory to own memory.
func (r *Recorder) LocalCopy(to, from Mem, n int32, d Done) {
	if r.enter("local_copy", anywhere) {
		a, at := r.memory("to", to)
		b, bt := r.memory("from", from)
		r.transfer(OpMemToMem, nil, [4]int{a, at, b, bt}, n, d)
	}
}

// LocalCopyIn copies own memory to a buffer.
func (r *Recorder) LocalCopyIn(buffer int32, from Mem, n int32, d Done) {
	if r.enter("local_copy_in", anywhere) {
		at, token := r.memory("from", from)
		r.transfer(OpMemToMS, nil, [4]int{r.get("buffer", classMS, buffer), at, token}, n, d)
	}
}

// LocalCopyOut copies a buffer to own memory.
func (r *Recorder) LocalCopyOut(to Mem, buffer, n int32, d Done) {
	if r.enter("local_copy_out", anywhere) {
		at, token := r.memory("to", to)
		r.transfer(OpMSToMem, nil, [4]int{at, token, r.get("buffer", classMS, buffer)}, n, d)
	}
}

// LocalReduce combines own memory into own memory: a reducing read over the
// channel that ends where it begins.
func (r *Recorder) LocalReduce(to, from Mem, n int32, dt mem.Dtype, op mem.Op, d Done) {
	if r.enter("local_reduce", anywhere) {
		a, at := r.memory("to", to)
		b, bt := r.memory("from", from)
		r.transfer(OpRead, nil, [4]int{a, at, b, bt}, n, d)
		r.reducing("local_reduce", dt, op)
	}
}

// BufferReduce combines count buffers in order into the first.
func (r *Recorder) BufferReduce(buffer int32, count uint32, dt, out mem.Dtype, op mem.Op, n int32, d Done) {
	if !r.enter("buffer_reduce", anywhere) {
		return
	}
	if count < 2 || count > 8 {
		r.fail("count: got %d, want 2 to 8 buffers", count)
	}
	ops := map[mem.Op]Op{mem.Sum: OpAdd, mem.Max: OpMax, mem.Min: OpMin}
	code, ok := bufferTypes[dt]
	small := dt == mem.E4M3 || dt == mem.E5M2
	switch {
	case !ok || ops[op] == 0 || op != mem.Sum && small:
		r.fail("got %v of %v, want sum of fp32, fp16, bf16, fp8, int8, uint8, int16 or int32, or max or min of those without fp8", op, dt)
	case out != dt:
		r.fail("out_dtype: got %v from %v, want the same type: widening reductions are not modelled", out, dt)
	}
	t := node{kind: nFold, op: ops[op], n: count, dt: code, event: r.get("event", classCKE, d.Event), mask: r.mask(d.Mask)}
	t.x[0], t.x[4] = r.array("buffer", classMS, buffer, count), r.get("n", classXn, n)
	r.add(t)
}

// Load reads count variables from own memory, Store writes them.
func (r *Recorder) Load(v int32, from Mem, count uint32, d Done) {
	r.spill("load", nLoad, v, from, count, d)
}

// Store writes count variables to own memory.
func (r *Recorder) Store(to Mem, v int32, count uint32, d Done) {
	r.spill("store", nStore, v, to, count, d)
}

func (r *Recorder) spill(name string, k nodeKind, v int32, m Mem, count uint32, d Done) {
	if !r.enter(name, outside) {
		return
	}
	if count == 0 {
		r.fail("count: got 0, want at least 1")
	}
	at, token := r.memory("addr", m)
	r.add(node{kind: k, x: [5]int{r.array("var", classXn, v, count), at, token}, n: count,
		event: r.get("event", classCKE, d.Event), mask: r.mask(d.Mask)})
}
