package transport

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

func pattern(n int64, seed uint64) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func (r *rig) fill(dev int, b []byte) mem.Addr {
	a := r.buffer(dev, int64(max(len(b), 1)))
	require.NoError(r.t, r.m.Write(a, b))
	return a
}

func (r *rig) bytes(a mem.Addr, n int64) []byte {
	b := make([]byte, n)
	require.NoError(r.t, r.m.Read(a, b))
	return b
}

type world struct {
	plugin string
	proto  topo.Protocol
	planes int
}

func (w world) String() string { return fmt.Sprintf("%s-%v-%d", w.plugin, w.proto, w.planes) }

var worlds = []world{{"rdma", topo.ROCE, 1}, {"ub", topo.UB_CTP, 1}, {"ub", topo.UB_TP, 1}, {"ub", topo.UB_TP, 3}, {"ub", topo.UB_CTP, 3}, {"ub", topo.HCCS, 2}}

func (w world) rig(t testing.TB, opts ...option) *rig {
	return newRig(t, append([]option{carrier(w.plugin, w.proto), wire(400*units.Gbps, ns(700)), func(c *rigConfig) { c.spec.Params.Planes = w.planes }}, opts...)...)
}

// Messages of all sizes land whole and in order, with their notify last, in
// both directions at once.
func TestWritesLandWithTheirNotify(t *testing.T) {
	sizes := []int64{0, 1, 7, 4095, 4096, 4097, 65536, 100_003, 1 << 20}
	for _, w := range worlds {
		for _, train := range []int{1, 0} {
			t.Run(fmt.Sprintf("%v-train%d", w, train), func(t *testing.T) {
				r := w.rig(t, func(c *rigConfig) { c.train = train })
				ends := [2]ConnID{}
				ends[0], ends[1] = r.connect(0, 1)
				type moved struct {
					dst  mem.Addr
					want []byte
				}
				var all []moved
				var regs [2]*flags
				for side := range 2 {
					f, reg := newFlags(r, 1-side, len(sizes))
					regs[1-side] = f
					for i, n := range sizes {
						b := pattern(n, uint64(i+side*100))
						m := moved{r.buffer(1-side, max(n, 1)), b}
						all = append(all, m)
						op := OpWriteNotify
						if n == 0 {
							op = OpNotify
						}
						require.NoError(t, r.n.Post(ends[side], &WR{ID: uint64(i), Op: op, Flags: Signaled, Local: r.fill(side, b), Remote: m.dst, Len: n,
							NotifyAddr: reg.Add(int64(i) * mem.RegisterSize), NotifyValue: 1}))
					}
				}
				res := r.run()
				require.Equal(t, sim.Done, res.Reason)
				require.Nil(t, res.Stall)
				for _, m := range all {
					require.True(t, bytes.Equal(m.want, r.bytes(m.dst, int64(len(m.want)))))
				}
				require.Len(t, r.done, 2*len(sizes))
				for _, f := range regs {
					for i := range sizes {
						require.EqualValues(t, 1, f.v[i])
						if i > 0 {
							require.LessOrEqual(t, f.at[i-1], f.at[i])
						}
					}
				}
				for _, d := range r.done {
					require.Equal(t, StatusOK, d.Status, "%v", d.Err)
				}
			})
		}
	}
}

func TestReadFetchesAndSendsMatchReceives(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.String(), func(t *testing.T) {
			r := w.rig(t, attributes(func(c *Carrier) { c.RnrCount = 7; c.RnrTimer = 1 }))
			a, b := r.connect(0, 1)
			want := pattern(200_001, 9)
			far, near := r.fill(1, want), r.buffer(0, 200_001)
			require.NoError(t, r.n.Post(a, &WR{ID: 1, Op: OpRead, Flags: Signaled, Local: near, Remote: far, Len: 200_001}))
			var land []mem.Addr
			for i := range 5 {
				land = append(land, r.buffer(1, 50_000))
				require.NoError(t, r.n.Post(a, &WR{ID: uint64(10 + i), Op: OpSend, Flags: Signaled, Local: r.fill(0, pattern(int64(10_000*i), uint64(i))), Len: int64(10_000 * i)}))
				if i < 3 {
					require.NoError(t, r.n.PostRecv(b, Recv{ID: uint64(100 + i), Addr: land[i], Len: 50_000}))
				}
			}
			r.e.Go("late receiver", func(p *sim.Proc) { // the last two receives come late: the receiver is not ready
				p.Sleep(300 * sim.Microsecond)
				for i := 3; i < 5; i++ {
					require.NoError(t, r.n.PostRecv(b, Recv{ID: uint64(100 + i), Addr: land[i], Len: 50_000}))
				}
			})
			require.Equal(t, sim.Done, r.run().Reason)
			require.True(t, bytes.Equal(want, r.bytes(near, 200_001)))
			sends, recvs := 0, 0
			for _, d := range r.done {
				require.Equal(t, StatusOK, d.Status, "%+v", d)
				if d.Recv {
					require.EqualValues(t, 100+recvs, d.ID)
					require.EqualValues(t, 10_000*recvs, d.Bytes)
					recvs++
				} else if d.Op == OpSend {
					sends++
				}
			}
			require.Equal(t, 5, sends)
			require.Equal(t, 5, recvs)
			for i := range land {
				require.True(t, bytes.Equal(pattern(int64(10_000*i), uint64(i)), r.bytes(land[i], int64(10_000*i))))
			}
		})
	}
}

func TestReducingWriteReducesOnce(t *testing.T) {
	r := world{"ub", topo.UB_TP, 3}.rig(t)
	a, _ := r.connect(0, 1)
	const n = 64 << 10
	src, dst := r.buffer(0, n), r.buffer(1, n)
	for i := int64(0); i < n; i += 4 {
		require.NoError(t, r.m.Write(src.Add(i), []byte{1, 0, 0, 0}))
		require.NoError(t, r.m.Write(dst.Add(i), []byte{byte(i >> 2), 0, 0, 0}))
	}
	require.NoError(t, r.n.Post(a, &WR{Op: OpWriteReduce, Local: src, Remote: dst, Len: n, Dtype: mem.Int32, Red: mem.Sum}))
	r.run()
	got := r.bytes(dst, n)
	for i := 0; i < n; i += 4 {
		want := uint32(byte(i>>2)) + 1
		require.Equal(t, want, uint32(got[i])|uint32(got[i+1])<<8)
	}
}

// Lossy links change the time, not the bytes.
func TestLossIsRepaired(t *testing.T) {
	for _, w := range []world{{"rdma", topo.ROCE, 1}, {"ub", topo.UB_TP, 1}, {"ub", topo.UB_TP, 3}} {
		for _, train := range []int{1, 0} {
			t.Run(fmt.Sprintf("%v-train%d", w, train), func(t *testing.T) {
				r := w.rig(t, func(c *rigConfig) { c.train = train }, attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount, c.Window = 4, 7, 64 }))
				for i := range r.g.Ports {
					r.f.SetLoss(topo.PortID(i), 5000)
				}
				a, _ := r.connect(0, 1)
				f, reg := newFlags(r, 1, 1)
				want := pattern(2<<20, 3)
				dst := r.buffer(1, 2<<20)
				for off := int64(0); off < 2<<20; off += 256 << 10 {
					require.NoError(t, r.n.Post(a, &WR{Op: OpWriteNotify, Flags: Signaled, Local: r.fill(0, want[off:off+256<<10]), Remote: dst.Add(off), Len: 256 << 10, NotifyAddr: reg, NotifyValue: 1}))
				}
				require.Equal(t, sim.Done, r.run().Reason)
				require.Len(t, r.done, 8)
				for _, d := range r.done {
					require.Equal(t, StatusOK, d.Status, "%v", d.Err)
				}
				require.EqualValues(t, 8, f.v[0], "each notify once")
				require.True(t, bytes.Equal(want, r.bytes(dst, 2<<20)))
				var drops int64
				for i := range r.g.Ports {
					drops += r.f.Stat(topo.PortID(i)).Drops
				}
				require.Positive(t, drops)
				require.NoError(t, r.n.Fault())
			})
		}
	}
}
