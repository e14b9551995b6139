package transport

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
)

func (r *rig) connectSpec(s Spec) (ConnID, ConnID) {
	s.B, s.Protocol = 1, r.proto
	x, y, err := r.n.Connect(s)
	require.NoError(r.t, err)
	r.n.SetSink(x, r)
	r.n.SetSink(y, r)
	return x, y
}

// hear collects the messages of which packets are lost.
func (r *rig) hear() map[uint32]bool {
	lost := map[uint32]bool{}
	r.f.SetLost(func(p *fabric.Packet) {
		if !control(p.Kind) {
			lost[p.MSN] = true
		}
		r.n.spent(p)
	})
	return lost
}

// overwriter spoils the source of a request when it completes.
type overwriter struct {
	r    *rig
	from []mem.Addr
}

func (o *overwriter) Complete(c *Completion) {
	o.r.Complete(c)
	if c.Status == StatusOK && !c.Recv {
		require.NoError(o.r.t, o.r.m.Write(o.from[c.ID], []byte{0xee, 0xee, 0xee}))
	}
}

// Over an unreliable connection exactly the messages with a lost packet are
// missing. The sender hears of none, and may use its memory again as soon as the
// last packet has left.
func TestUnreliableWrites(t *testing.T) {
	for _, train := range []int{1, 0} {
		for seed := range int32(4) {
			r := roce(t, trains(train), func(c *rigConfig) { c.data = mem.Real })
			r.lose(20_000 << seed)
			lost := r.hear()
			a, _ := r.connectSpec(Spec{Service: Unreliable})
			const count = 200
			f, reg := newFlags(r, 1, count)
			o := &overwriter{r: r}
			r.n.SetSink(a, o)
			var to []mem.Addr
			var want [][]byte
			for i := range uint64(count) {
				n := int64(3 + i*i*7919%30_000)
				want = append(want, pattern(n, i))
				o.from, to = append(o.from, r.fill(0, want[i])), append(to, r.buffer(1, n))
				r.post(a, i, WR{Op: OpWriteNotify, Local: o.from[i], Remote: to[i], Len: n, NotifyAddr: reg.Add(int64(i) * mem.RegisterSize), NotifyValue: 1})
			}
			require.Equal(t, sim.Done, r.run().Reason)
			require.NoError(t, r.n.Fault())
			require.Len(t, r.done, count)
			missing := 0
			for i, d := range r.done {
				require.EqualValues(t, i, d.ID)
				require.Equal(t, StatusOK, d.Status)
				if lost[uint32(i)] {
					require.Zero(t, f.v[i], "message %d lost a packet", i)
					missing++
					continue
				}
				require.EqualValues(t, 1, f.v[i], "message %d", i)
				require.True(t, bytes.Equal(want[i], r.bytes(to[i], int64(len(want[i])))), "message %d", i)
			}
			require.Greater(t, missing, 5)
			require.Less(t, missing, count-5)
			require.Equal(t, Undelivered{Messages: int64(missing)}, r.n.Undelivered())
			require.Equal(t, 0, r.requests(), "nothing is kept of what was sent")
		}
	}
}

// requests is the number of requests that the transport still keeps.
func (r *rig) requests() int {
	return len(r.n.wrs.pages)*pageSize - 1 - len(r.n.wrs.free)
}

// A send that does not arrive whole takes no receive: the next one that does takes
// it. Without a receive a send is dropped and counted.
func TestUnreliableSends(t *testing.T) {
	for _, service := range []Service{Unreliable, Datagram} {
		r := roce(t, func(c *rigConfig) { c.data = mem.Real })
		r.lose(100_000)
		lost := r.hear()
		a, b := r.connectSpec(Spec{Service: service})
		const count, receives = 60, 20
		size := func(i uint64) int64 {
			if service == Datagram {
				return int64(1 + i*67)
			}
			return int64(1 + i*667)
		}
		var land []mem.Addr
		for i := range uint64(receives) {
			land = append(land, r.buffer(1, size(count)))
			require.NoError(t, r.n.PostRecv(b, Recv{ID: i, Addr: land[i], Len: size(count)}))
		}
		for i := range uint64(count) {
			r.post(a, i, WR{Op: OpSend, Local: r.fill(0, pattern(size(i), i)), Len: size(i)})
		}
		r.run()
		require.NoError(t, r.n.Fault())
		whole, taken := 0, 0
		for i := range uint64(count) {
			if lost[uint32(i)] {
				continue
			}
			if whole++; whole <= receives {
				require.True(t, bytes.Equal(pattern(size(i), i), r.bytes(land[whole-1], size(i))), "%v send %d in receive %d", service, i, whole-1)
			}
		}
		for _, d := range r.done {
			require.Equal(t, StatusOK, d.Status)
			if d.Recv {
				require.EqualValues(t, taken, d.ID)
				taken++
			}
		}
		require.Len(t, r.done, count+receives)
		require.Greater(t, whole, receives)
		u := r.n.Undelivered()
		require.EqualValues(t, count-receives, u.Messages)
		require.Zero(t, r.requests())
		require.NotEmpty(t, lost)
	}
	// None is posted at all, then one.
	r := roce(t)
	a, b := r.connectSpec(Spec{Service: Datagram})
	r.post(a, 1, WR{Op: OpSend, Local: r.buffer(0, 10), Len: 10})
	r.e.Go("later", func(p *sim.Proc) {
		p.Sleep(sim.Millisecond)
		require.Equal(t, Undelivered{Messages: 1, Unready: 1}, r.n.Undelivered())
		require.NoError(t, r.n.PostRecv(b, Recv{ID: 7, Addr: r.buffer(1, 10), Len: 10}))
		r.post(a, 2, WR{Op: OpSend, Local: r.buffer(0, 10), Len: 10})
	})
	r.run()
	require.Len(t, r.done, 3)
	require.True(t, r.done[2].Recv)
	require.EqualValues(t, 7, r.done[2].ID)
}

// A request over an unreliable connection completes when its last packet has left.
func TestLocalCompletion(t *testing.T) {
	r := roce(t)
	a, _ := r.connectSpec(Spec{Service: Unreliable})
	for i := range uint64(3) {
		r.post(a, i, WR{Op: OpWrite, Local: r.buffer(0, 8192), Remote: r.buffer(1, 8192), Len: 8192})
	}
	r.run()
	rate := r.f.Rate(r.g.NodePorts(0)[0])
	for i, d := range r.done {
		require.InDelta(t, float64(sim.Time(i+1)*rate.Time(2*fullPacket+16)), float64(d.At), 10)
	}
}

func TestServicesRefuseWhatTheyDoNotCarry(t *testing.T) {
	r := roce(t)
	at, to := r.buffer(0, 8192), r.buffer(1, 8192)
	for _, x := range []struct {
		service Service
		wr      WR
		says    string
	}{
		{Unreliable, WR{Op: OpRead, Local: at, Remote: to, Len: 8}, "post read of npu0: got a connection of the unreliable service, want a write or a send over it"},
		{Unreliable, WR{Op: OpWriteReduce, Local: at, Remote: to, Len: 8}, "want a write or a send"},
		{Datagram, WR{Op: OpWrite, Local: at, Remote: to, Len: 8}, "got a connection of the datagram service, want a send over it"},
		{Datagram, WR{Op: OpSend, Local: at, Len: 4097}, "got 4097 bytes for a datagram, want at most 4096, one packet"},
	} {
		a, _ := r.connectSpec(Spec{Service: x.service})
		require.ErrorContains(t, r.n.Post(a, &x.wr), x.says)
	}
	_, _, err := r.n.Connect(Spec{A: 0, B: 1, Protocol: r.proto, Service: Memory})
	require.ErrorContains(t, err, "plugin rdma offers no memory service")
}

// What the receiver refuses of an unreliable connection is dropped and counted, and
// does not disturb what follows.
func TestUnreliableRefusals(t *testing.T) {
	r := roce(t, func(c *rigConfig) { c.data = mem.Real })
	a, b := r.connectSpec(Spec{Service: Unreliable})
	want := pattern(9000, 1)
	from, to := r.fill(0, want), r.buffer(1, 9000)
	r.post(a, 1, WR{Op: OpWrite, Local: from, Remote: to, Len: 9000, RKey: 12345})
	require.NoError(t, r.n.PostRecv(b, Recv{ID: 9, Addr: r.buffer(1, 100), Len: 100}))
	r.post(a, 2, WR{Op: OpSend, Local: from, Len: 9000}) // longer than the receive
	r.post(a, 3, WR{Op: OpWrite, Local: from, Remote: to, Len: 9000})
	r.run()
	require.Equal(t, []Status{StatusOK, StatusOK, StatusOK}, r.statuses())
	require.Equal(t, Undelivered{Messages: 2, Refused: 2}, r.n.Undelivered())
	require.True(t, bytes.Equal(want, r.bytes(to, 9000)))
	require.NoError(t, r.n.Close(a))
	require.Equal(t, StatusFlush, r.done[3].Status, "the receive was not taken")
}
