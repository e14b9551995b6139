package transport

import (
	"encoding/binary"
	"fmt"

	"hsim/abi"
	"hsim/host/mem"
)

// AtomicKind is what an atomic operation does to the value at the peer.
type AtomicKind uint8

// The kinds, in the order of UB's opcodes 0x7 to 0xF.
const (
	AtomicCompareSwap AtomicKind = iota // the operand where the value equals Compare
	AtomicSwap
	AtomicStore // returns nothing
	AtomicLoad  // takes no operand
	AtomicFetchAdd
	AtomicFetchSub
	AtomicFetchAnd
	AtomicFetchOr
	AtomicFetchXor
)

var atomicNames = [...]string{"compare and swap", "swap", "atomic store", "atomic load", "fetch and add", "fetch and subtract", "fetch and and", "fetch and or", "fetch and xor"}

func (k AtomicKind) String() string {
	if int(k) < len(atomicNames) {
		return atomicNames[k]
	}
	return fmt.Sprintf("atomic %d", uint8(k))
}

// MaxAtomic is the largest value of an atomic operation, in bytes; values are a
// power of two long and aligned to their length.
const MaxAtomic = 64

// Atomic is what an OpAtomic request carries: little-endian values of WR.Len bytes.
// The old value is written to WR.Local, unless that is 0.
type Atomic struct {
	Kind    AtomicKind
	Operand []byte
	Compare []byte // of AtomicCompareSwap
}

// returns says whether a response brings the old value.
func (a *Atomic) returns(local mem.Addr) bool { return a.Kind != AtomicStore && local != 0 }

// checkAtomic holds an atomic request to the rules that need no look at memory.
func (n *Net) checkAtomic(c *conn, wr *WR) error {
	a := wr.Atomic
	if a == nil {
		return fmt.Errorf("transport: post %v of %s: got no Atomic, want one", wr.Op, n.Graph.Nodes[c.node].Name)
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("transport: post %v of %s: %s", a.Kind, n.Graph.Nodes[c.node].Name, fmt.Sprintf(format, args...))
	}
	operand, compare := wr.Len, int64(0)
	switch {
	case a.Kind == AtomicCompareSwap:
		compare = wr.Len
	case a.Kind == AtomicLoad:
		operand = 0
	case a.Kind > AtomicFetchXor:
		return fail("got no such operation, want one of %d", len(atomicNames))
	}
	switch {
	case wr.Len < 1 || wr.Len > MaxAtomic || wr.Len&(wr.Len-1) != 0:
		return fail("got %d bytes, want 1, 2, 4, 8, 16, 32 or %d", wr.Len, MaxAtomic)
	case int64(wr.Remote)%wr.Len != 0:
		return fail("got address %v for %d bytes, want a multiple of them", wr.Remote, wr.Len)
	case int64(len(a.Operand)) != operand || int64(len(a.Compare)) != compare:
		return fail("got an operand of %d bytes and %d to compare, want %d and %d", len(a.Operand), len(a.Compare), operand, compare)
	case n.engineOf(c).car.Plugin.Features()&abi.FeatureAtomic == 0:
		return fail("plugin %s carries no atomic operations (try the ub plugin)", n.engineOf(c).car.Plugin.Name())
	}
	if a.returns(wr.Local) {
		if err := n.Mem.Check(wr.Local, wr.Len, mem.Writable); err != nil {
			return fmt.Errorf("transport: post %v of %s: %w", a.Kind, n.Graph.Nodes[c.node].Name, err)
		}
	}
	return nil
}

// execute does an atomic operation at the peer, in its turn, and sends the old
// value back over connection end id.
func (n *Net) execute(id ConnID, c *conn, i uint32, r *request) error {
	a := r.Atomic
	size := r.value
	need := mem.Readable | mem.Writable
	if a.Kind == AtomicLoad {
		need = mem.Readable
	}
	if err := n.Mem.Check(r.Remote, size, need); err != nil {
		return err
	}
	if r.RKey != 0 {
		if err := n.Mem.CheckKey(r.RKey, r.Remote, size, mem.RemoteAtomic); err != nil {
			return err
		}
	}
	old := make([]byte, size)
	if err := n.Mem.Read(r.Remote, old); err != nil {
		return err
	}
	if changed := a.apply(old); changed != nil {
		if err := n.Mem.Write(r.Remote, changed); err != nil {
			return err
		}
	}
	if !a.returns(r.Local) {
		return nil
	}
	return n.push(id, c, &WR{Op: opReadResponse, Remote: r.Local, Len: size, Atomic: &Atomic{Operand: old}}, i)
}

// apply is the new value, nil where it stays as it is.
func (a *Atomic) apply(old []byte) []byte {
	v := make([]byte, len(old))
	switch a.Kind {
	case AtomicLoad:
		return nil
	case AtomicCompareSwap:
		if string(old) != string(a.Compare) {
			return nil
		}
		copy(v, a.Operand)
	case AtomicSwap, AtomicStore:
		copy(v, a.Operand)
	case AtomicFetchAdd:
		addWide(v, old, a.Operand, 0)
	case AtomicFetchSub: // old + ^operand + 1
		for i, b := range a.Operand {
			v[i] = ^b
		}
		addWide(v, old, v, 1)
	default:
		for i, b := range a.Operand {
			switch a.Kind {
			case AtomicFetchAnd:
				v[i] = old[i] & b
			case AtomicFetchOr:
				v[i] = old[i] | b
			default:
				v[i] = old[i] ^ b
			}
		}
	}
	return v
}

// addWide is sum = x + y + carry over little-endian values of equal length.
func addWide(sum, x, y []byte, carry uint16) {
	for i := range x {
		carry += uint16(x[i]) + uint16(y[i])
		sum[i] = byte(carry)
		carry >>= 8
	}
}

// Value64 is a value of 8 bytes as an operand.
func Value64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
