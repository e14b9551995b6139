package transport

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// reversed turns little-endian bytes into a number and back.
func reversed(b []byte) []byte {
	r := make([]byte, len(b))
	for i := range b {
		r[len(b)-1-i] = b[i]
	}
	return r
}

// result is what an atomic operation leaves, by arithmetic of another kind.
func result(k AtomicKind, old, operand, compare []byte) []byte {
	x, y := new(big.Int).SetBytes(reversed(old)), new(big.Int).SetBytes(reversed(operand))
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*len(old)))
	z := new(big.Int)
	switch k {
	case AtomicCompareSwap:
		if z.Set(x); string(old) == string(compare) {
			z.Set(y)
		}
	case AtomicSwap, AtomicStore:
		z.Set(y)
	case AtomicLoad:
		z.Set(x)
	case AtomicFetchAdd:
		z.Add(x, y).Mod(z, mod)
	case AtomicFetchSub:
		z.Sub(x, y).Mod(z, mod)
	case AtomicFetchAnd:
		z.And(x, y)
	case AtomicFetchOr:
		z.Or(x, y)
	case AtomicFetchXor:
		z.Xor(x, y)
	}
	return reversed(z.FillBytes(make([]byte, len(old))))
}

// Every operation at every length: the old value comes back, the new one stays.
func TestAtomicsDoAsTheySay(t *testing.T) {
	for _, w := range []world{{"ub", topo.UB_CTP, 1}, {"ub", topo.UB_TP, 1}, {"ub", topo.UB_TP, 3}, {"ub", topo.UB_MEM, 1}} {
		r := w.rig(t)
		a, _ := r.connect(0, 1)
		at, back := r.buffer(1, 64), r.buffer(0, 64)
		value := pattern(64, 1)
		require.NoError(t, r.m.Write(at, value))
		type step struct {
			kind AtomicKind
			size int64
			want []byte // old value
		}
		var steps []step
		id := uint64(0)
		r.e.Go("atomics", func(p *sim.Proc) {
			for size := int64(1); size <= 64; size *= 2 {
				for k := AtomicCompareSwap; k <= AtomicFetchXor; k++ {
					for equal := range 2 {
						op := &Atomic{Kind: k, Operand: pattern(size, id)}
						if k == AtomicLoad {
							op.Operand = nil
						}
						old := append([]byte(nil), value[:size]...)
						if k == AtomicCompareSwap {
							if op.Compare = append([]byte(nil), old...); equal == 0 {
								op.Compare[0]++
							}
						}
						copy(value, result(k, old, op.Operand, op.Compare))
						require.NoError(t, r.m.Write(back, make([]byte, 64)))
						r.post(a, id, WR{Op: OpAtomic, Local: back, Remote: at, Len: size, Atomic: op})
						steps = append(steps, step{k, size, old})
						p.Sleep(10 * sim.Microsecond)
						if id++; k == AtomicStore {
							old = make([]byte, size)
						}
						require.Equal(t, old, r.bytes(back, size), "%v %v of %d", w, k, size)
						require.Equal(t, value, r.bytes(at, 64), "%v %v of %d", w, k, size)
						require.Len(t, r.done, int(id))
						require.Equal(t, Completion{Conn: a, ID: id - 1, Op: OpAtomic, Bytes: size, First: r.done[id-1].First, At: r.done[id-1].At}, r.done[id-1])
					}
				}
			}
		})
		require.Equal(t, sim.Done, r.run().Reason)
		require.NoError(t, r.n.Fault())
		require.Len(t, steps, 7*9*2)
	}
}

// Additions from several devices under loss: each counts once, and no two of them
// see the same value.
func TestAtomicsHappenOnce(t *testing.T) {
	for _, data := range []mem.Data{mem.Real, mem.Phantom} {
		for _, planes := range []int{1, 3} {
			r := world{"ub", topo.UB_TP, planes}.rig(t, func(c *rigConfig) {
				c.spec.Kind, c.spec.Devices, c.data = "star", 4, data
			})
			for i := range r.g.Ports {
				r.f.SetLoss(topo.PortID(i), 50_000)
			}
			const each = 100
			at := r.buffer(3, 8)
			back := make([]mem.Addr, 3)
			for d := range back {
				c, _ := r.connect(topo.NodeID(d), 3)
				back[d] = r.buffer(d, 8*each)
				for i := range uint64(each) {
					r.post(c, i, WR{Op: OpAtomic, Local: back[d].Add(8 * int64(i)), Remote: at, Len: 8, Atomic: &Atomic{Kind: AtomicFetchAdd, Operand: Value64(1)}})
				}
			}
			require.Equal(t, sim.Done, r.run().Reason)
			require.Len(t, r.done, 3*each)
			for _, d := range r.done {
				require.Equal(t, StatusOK, d.Status)
			}
			var drops int64
			for i := range r.g.Ports {
				drops += r.f.Stat(topo.PortID(i)).Drops
			}
			require.Positive(t, drops)
			if data == mem.Phantom {
				continue
			}
			require.Equal(t, Value64(3*each), r.bytes(at, 8))
			seen := map[string]bool{}
			for d := range back {
				b := r.bytes(back[d], 8*each)
				for i := 0; i < len(b); i += 8 {
					seen[string(b[i:i+8])] = true
				}
			}
			require.Len(t, seen, 3*each)
		}
	}
}

// What an atomic operation may not be is refused when posted, or by the peer.
func TestAtomicsAreRefused(t *testing.T) {
	r := world{"ub", topo.UB_TP, 1}.rig(t)
	a, _ := r.connect(0, 1)
	back, at := r.buffer(0, 64), r.buffer(1, 64)
	eight := Value64(1)
	for _, c := range []struct {
		says string
		wr   WR
	}{
		{"no Atomic", WR{Local: back, Remote: at, Len: 8}},
		{"no such operation", WR{Local: back, Remote: at, Len: 8, Atomic: &Atomic{Kind: 9, Operand: eight}}},
		{"got 0 bytes", WR{Local: back, Remote: at, Atomic: &Atomic{Kind: AtomicLoad}}},
		{"got 3 bytes", WR{Local: back, Remote: at, Len: 3, Atomic: &Atomic{Kind: AtomicLoad}}},
		{"got 128 bytes", WR{Local: back, Remote: at, Len: 128, Atomic: &Atomic{Kind: AtomicLoad}}},
		{"want a multiple", WR{Local: back, Remote: at.Add(4), Len: 8, Atomic: &Atomic{Kind: AtomicSwap, Operand: eight}}},
		{"operand of 4 bytes and 0 to compare, want 8 and 0", WR{Local: back, Remote: at, Len: 8, Atomic: &Atomic{Kind: AtomicSwap, Operand: eight[:4]}}},
		{"want 8 and 8", WR{Local: back, Remote: at, Len: 8, Atomic: &Atomic{Kind: AtomicCompareSwap, Operand: eight}}},
		{"bounds", WR{Local: back.Add(60), Remote: at, Len: 8, Atomic: &Atomic{Kind: AtomicSwap, Operand: eight}}},
	} {
		c.wr.Op = OpAtomic
		require.ErrorContains(t, r.n.Post(a, &c.wr), c.says)
	}
	reg, err := r.m.RegisterRegion(mem.RegionSpec{Device: 1, Addr: at, Len: 64, Access: mem.LocalWrite | mem.RemoteWrite})
	require.NoError(t, err)
	r.post(a, 1, WR{Op: OpWrite, Local: back, Remote: at, Len: 8, RKey: reg.RKey})
	r.post(a, 2, WR{Op: OpAtomic, Local: back, Remote: at, Len: 8, RKey: reg.RKey, Atomic: &Atomic{Kind: AtomicSwap, Operand: eight}})
	r.post(a, 3, WR{Op: OpWrite, Local: back, Remote: at, Len: 8})
	require.Equal(t, sim.Done, r.run().Reason)
	require.Equal(t, []Status{StatusOK, StatusRemoteAccess, StatusFlush}, r.statuses())
	require.Equal(t, make([]byte, 8), r.bytes(at, 8))
}

// A refusal travels back as long as what is refused took to come.
func TestRefusalsTravelBack(t *testing.T) {
	packet := (400 * units.Gbps).Time(78)
	for op, came := range map[Op]sim.Time{
		OpRead:   packet + 700*sim.Nanosecond,
		OpAtomic: packet + (400 * units.Gbps).Time(8) + 700*sim.Nanosecond,
		OpWrite:  packet + (400 * units.Gbps).Time(64) + 700*sim.Nanosecond,
	} {
		for _, mark := range []Mark{MarkRelaxed, MarkStrong} {
			r := world{"ub", topo.UB_TP, 1}.rig(t)
			a, _ := r.connect(0, 1)
			at := r.buffer(1, 64)
			key, err := r.m.RegisterRegion(mem.RegionSpec{Device: 1, Addr: at, Len: 64, Access: mem.LocalWrite})
			require.NoError(t, err)
			wr := WR{Op: op, Mark: mark, Local: r.buffer(0, 64), Remote: at, Len: 64, RKey: key.RKey}
			if op == OpAtomic {
				wr.Len, wr.Atomic = 8, &Atomic{Kind: AtomicFetchAdd, Operand: Value64(1)}
			}
			r.post(a, 1, wr)
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusRemoteAccess}, r.statuses())
			require.Equal(t, 2*came, r.done[0].At, "%v %v", op, mark)
		}
	}
}
