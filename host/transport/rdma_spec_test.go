package transport

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// Both ends use the smaller MTU; with a forced one each keeps its own, and a packet
// that is larger than the receiver's ends in a remote invalid request.
func TestMTUs(t *testing.T) {
	const n = 10_000
	packets := func(r *rig, node topo.NodeID) int64 { return r.f.Stat(r.g.NodePorts(node)[0]).Packets }
	for _, x := range []struct{ a, b, want uint32 }{{0, 0, 4096}, {1024, 0, 1024}, {0, 256, 256}, {2048, 1024, 1024}} {
		r := roce(t)
		a, b := r.connectSpec(Spec{MTUA: x.a, MTUB: x.b})
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
		r.run()
		require.Equal(t, []Status{StatusOK}, r.statuses())
		require.EqualValues(t, (n+x.want-1)/x.want, packets(r, 0))
		require.EqualValues(t, x.want, r.n.conns.at(b).mtu)
	}
	r := roce(t)
	a, b := r.connectSpec(Spec{MTUA: 4096, MTUB: 1024, Force: true})
	r.post(b, 1, WR{Op: OpWrite, Local: r.buffer(1, n), Remote: r.buffer(0, n), Len: n}) // small packets to the large
	r.post(a, 2, WR{Op: OpWrite, Local: r.buffer(0, 1024), Remote: r.buffer(1, 1024), Len: 1024})
	r.e.Go("later", func(p *sim.Proc) {
		p.Sleep(sim.Millisecond)
		for id := range uint64(3) {
			r.post(a, 3+id, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
		}
	})
	require.Equal(t, sim.Done, r.run().Reason)
	require.Equal(t, []Status{StatusOK, StatusOK, StatusRemoteInv, StatusFlush, StatusFlush}, r.statuses())
	require.ErrorContains(t, r.done[2].Err, "packet of 4096 bytes to npu1: its MTU is 1024")
	require.NoError(t, r.n.Fault())

	r = roce(t)
	a, _ = r.connectSpec(Spec{MTUA: 4096, MTUB: 1024, Force: true, Service: Unreliable})
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
	r.post(a, 2, WR{Op: OpWrite, Local: r.buffer(0, 100), Remote: r.buffer(1, 100), Len: 100})
	r.run()
	require.Equal(t, []Status{StatusOK, StatusOK}, r.statuses())
	require.Equal(t, Undelivered{Messages: 1, Refused: 1}, r.n.Undelivered())
}

// A service level travels in its lane, and strict priority serves the lower lane
// first.
func TestServiceLevelsToLanes(t *testing.T) {
	const n = 16 << 20
	for _, lanes := range [][]uint8{nil, {3, 2, 1, 0}} {
		r := roce(t, ports(fabric.Features{Lanes: 4}), func(c *rigConfig) { c.lanes = lanes })
		for _, level := range []uint8{3, 0} {
			a, _ := r.connectSpec(Spec{ServiceLevel: level, Index: int(level)})
			r.post(a, uint64(level), WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
		}
		r.run()
		one := r.f.Rate(r.g.NodePorts(0)[0]).Time(n / 4096 * fullPacket)
		first := uint64(0)
		if lanes != nil {
			first = 3
		}
		require.Equal(t, first, r.done[0].ID)
		for i, d := range r.done {
			require.InEpsilon(t, micros(sim.Time(i+1)*one)+20, micros(d.At), 0.01, "%v", lanes)
		}
	}
	r := roce(t)
	require.EqualValues(t, 0, r.n.lane(9), "one lane")
	require.EqualValues(t, 1, roce(t, ports(fabric.Features{Lanes: 4})).n.lane(5))
}

// The hash of a connection is a function of its UDP port, which the index gives:
// queue pairs spread over equal ways, one stays on its own.
func TestQueuePairsSpread(t *testing.T) {
	ways := func(pairs int) []int64 {
		r := newRig(t, carrier("rdma", topo.ROCE), func(c *rigConfig) {
			c.spec = topo.Spec{Kind: "fattree", Servers: 16, Devices: 1, Params: topo.Params{K: 8, Tiers: 2, Planes: 1}}
			c.data = mem.Phantom
		})
		seen := map[uint32]int{}
		for i := range pairs {
			a, _, err := r.n.Connect(Spec{A: 0, B: 15, Protocol: r.proto, Index: i})
			require.NoError(t, err)
			c := r.n.conns.at(a)
			require.Equal(t, hashed(0, 15, 0xc000+uint32(i)), c.entropy)
			seen[c.entropy] = i
			r.n.SetSink(a, r)
			r.post(a, uint64(i), WR{Op: OpWrite, Local: r.buffer(0, 1<<20), Remote: r.buffer(15, 1<<20), Len: 1 << 20})
		}
		require.Len(t, seen, pairs, "a hash each")
		r.run()
		leaf := r.g.PeerNode(r.g.NodePorts(0)[0])
		var loads []int64
		for _, p := range r.g.NodePorts(leaf) {
			if r.g.Nodes[r.g.PeerNode(p)].Kind == topo.Switch {
				loads = append(loads, r.f.Stat(p).Packets/256)
			}
		}
		return loads
	}
	count := func(loads []int64) (used int, all int64) {
		for _, l := range loads {
			if l > 0 {
				used++
			}
			all += l
		}
		return used, all
	}
	loads := ways(1)
	require.Len(t, loads, 4)
	used, all := count(loads)
	require.Equal(t, 1, used)
	require.EqualValues(t, 1, all)
	used, all = count(ways(64))
	require.Equal(t, 4, used)
	require.EqualValues(t, 64, all)
	for _, l := range ways(64) { // 16 each on average, with a deviation of 3.5
		require.InDelta(t, 16, l, 12)
	}
}

// Every packet kind but data may be sent by a plugin itself, with bytes beside it;
// what would never end is a fault that names it.
func TestPacketsOfAPluginsOwn(t *testing.T) {
	next := func(l *liar, left, room int64) int64 {
		n := min(left, room, 4096)
		l.p.PSN, l.p.NPkts, l.p.Payload, l.p.Wire = l.psn, 1, uint32(n), uint32(n)
		l.psn++
		return n
	}
	var heard []string
	receive := func(l *liar) {
		switch l.p.Kind {
		case abi.PacketData:
			l.v.Deliver, l.v.Reply, l.v.ReplyKind, l.v.ReplyPSN = abi.DeliverInOrder, 1, abi.PacketAck, l.p.PSN+1
			require.Equal(t, abi.OK, l.out.Add(&abi.Packet{Kind: abi.PacketCNP, Conn: l.p.Conn, Wire: 98, PSN: 7}, []byte("queue")))
			require.Equal(t, abi.Invalid, l.out.Add(&abi.Packet{Kind: abi.PacketData}, nil))
			require.Equal(t, abi.Invalid, l.out.Add(&abi.Packet{Kind: abi.PacketCNP}, make([]byte, 257)))
		case abi.PacketAck:
			l.v.AckedValid, l.v.Acked = 1, l.p.PSN
		default:
			heard = append(heard, fmt.Sprintf("%d %d %s", l.p.Kind, l.p.PSN, l.ext[:l.p.ExtLen]))
		}
	}
	r := newRig(t, func(rc *rigConfig) { rc.now = liars{func() *liar { return &liar{next: next, receive: receive} }} })
	a, _ := r.connect(0, 1)
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 10_000), Remote: r.buffer(1, 10_000), Len: 10_000})
	r.run()
	require.NoError(t, r.n.Fault())
	require.Equal(t, []Status{StatusOK}, r.statuses())
	require.Equal(t, []string{"4 7 queue", "4 7 queue", "4 7 queue"}, heard)
}
