//go:build wasip1

package ccu

// What microprograms of collectives over a full mesh share, as ccu.h has it for C: the exchange of addresses before, the
// farewell after, and the local copy over all loop engines. Everything here records; nothing moves data.

// Bits of notify 0 of every channel, and indices of the channel variables.
const (
	MeshInput  = 0
	MeshOutput = 1
	meshToken  = 2
	meshLast   = 3
)

// Chunk is the longest piece of one write that the examples make: a write to a peer is below 256 MiB.
const Chunk = 128 << 20

const (
	slice = 4096 // bytes of a buffer
	loops = 128  // loop engines that a copy takes
	round = slice * loops
)

// Mem is a place in memory: an address register and the variable with its token.
type Mem struct{ Addr, Token int32 }

// Constant is a variable of its own with a constant in it.
func Constant(value uint64) int32 {
	v := Variables(1)
	Set(v, value)
	return v
}

// LoadArgs takes n variables and loads the launch arguments from first on into them; before everything else.
func LoadArgs(first, n uint32) int32 {
	v := Variables(n)
	for i := range n {
		LoadArg(v+int32(i), first+i)
	}
	return v
}

// Before tells every peer the address in a variable and its token, and waits for theirs; index is MeshInput or MeshOutput.
func Before(channels, index uint32, address, token int32) {
	for c := range channels {
		WriteVariableWithNotify(c, address, index, 0, 1<<index)
		WriteVariableWithNotify(c, token, meshToken, 0, 1<<meshToken)
	}
	for c := range channels {
		NotifyWait(c, 0, 1<<index|1<<meshToken)
	}
}

// Peer is the place that a peer told in Before.
func Peer(channel, index uint32) Mem {
	m := Mem{Addresses(1), ChannelVariable(channel, meshToken)}
	AddressFrom(m.Addr, ChannelVariable(channel, index))
	return m
}

// After lets nobody go on before everybody is done: buffers may be freed then.
func After(channels uint32) {
	for c := range channels {
		NotifyRecord(c, 0, 1<<meshLast)
	}
	for c := range channels {
		NotifyWait(c, 0, 1<<meshLast)
	}
}

// Parts is how many launch arguments the parameters of a Copy take.
const Parts = 6

// Split computes the parameters of a Copy of n bytes at launch: rounds of 128 slices, slices after that and one less, bytes
// after those, and where these two begin. args has room for Parts.
func Split(args []uint64, n uint64) {
	rounds, slices := n/round, n%round/slice
	args[0], args[1], args[2] = rounds, slices, max(slices, 1)-1
	args[3], args[4], args[5] = n%slice, rounds*round, slices*slice
}

// Copier copies own memory to own memory through the buffers of the die; one for a program.
type Copier struct {
	buffers, events, slice, round, last, one int32
}

// NewCopier takes the buffers and events.
func NewCopier() Copier {
	return Copier{Buffers(loops), Events(loops), Constant(slice), Constant(round), Constant(loops - 1), Constant(1)}
}

func (k *Copier) step(to, from Mem, n int32) {
	LocalCopyIn(k.buffers, from.Addr, from.Token, n, k.events, 1)
	EventWait(k.events, 1)
	LocalCopyOut(to.Addr, to.Token, k.buffers, n, k.events, 1)
	EventWait(k.events, 1)
}

// Copy records a copy: rounds on 128 loop engines, then slices on as many, then the tail. parts is the first of the
// variables that LoadArgs has loaded with what Split computed. Moves already under way go on.
func (k *Copier) Copy(to, from Mem, parts int32) {
	rounds, slices, clones, tail, first, second := parts, parts+1, parts+2, parts+3, parts+4, parts+5
	t, f := Mem{Addresses(1), to.Token}, Mem{Addresses(1), from.Token}
	IfBegin(rounds, CompareNE, 0)
	loop := LoopBegin(rounds, k.round)
	k.step(to, from, k.slice)
	LoopEnd()
	LoopGroup(loop, 1, 0, k.last, 1, 1, k.slice, 0)
	IfEnd()

	AddressAdd(t.Addr, to.Addr, first)
	AddressAdd(f.Addr, from.Addr, first)
	IfBegin(slices, CompareNE, 0)
	loop = LoopBegin(k.one, k.round)
	k.step(t, f, k.slice)
	LoopEnd()
	LoopGroup(loop, 1, 0, clones, 1, 1, k.slice, 0)
	IfEnd()

	AddressAdd(t.Addr, t.Addr, second)
	AddressAdd(f.Addr, f.Addr, second)
	IfBegin(tail, CompareNE, 0)
	k.step(t, f, tail)
	IfEnd()
}
