package transport

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

// wild is a plugin that is honest most of the time and says anything else at random.
type wild struct {
	liar
	r    *rand.Rand
	rx   map[int32]uint32
	tx   map[int32]uint32
	rare int
}

func (w *wild) odd() bool { return w.r.IntN(w.rare) == 0 }

func (w *wild) number() uint32 {
	switch w.r.IntN(4) {
	case 0:
		return w.r.Uint32()
	case 1:
		return ^uint32(0)
	}
	return uint32(w.r.IntN(20))
}

func (w *wild) Next(id int32, left, room int64) (int64, error) {
	n := min(left, room, 4096)
	p := &w.p
	p.NPkts, p.Payload, p.Wire = 1, uint32(n), uint32(n)
	if p.Flags&abi.PacketRetransmission == 0 {
		p.PSN = w.tx[id]
		w.tx[id]++
	}
	p.Timer = p.Now + int64(500*sim.Microsecond)
	if w.odd() {
		switch w.r.IntN(9) {
		case 0:
			p.NPkts = w.number()
		case 1:
			p.NPkts, p.NotBefore = 0, p.Now+int64(w.number())
		case 2:
			p.Payload = w.number()
		case 3:
			p.Wire = w.number()
		case 4:
			p.PSN = w.number()
		case 5:
			p.Flags = uint16(w.number())
		case 6:
			p.Lane, p.Kind, p.Path = uint8(w.number()), uint8(w.number()), uint16(w.number())
		case 7:
			p.Timer = int64(w.number()) - 5
		case 8:
			w.out.Add(&abi.Packet{Kind: uint8(w.number()), Conn: int32(w.number()), Path: uint16(w.number()), Wire: w.number()}, make([]byte, w.r.IntN(300)))
		}
	}
	return n, nil
}

func (w *wild) verdict() {
	v := &w.v
	switch w.r.IntN(10) {
	case 0:
		v.Deliver = uint8(w.number())
	case 1:
		v.Status = int32(w.number())
	case 2:
		v.AckedValid, v.Acked = 1, w.number()
	case 3:
		v.GoBackValid, v.GoBack = 1, w.number()
	case 4:
		v.ResendValid, v.Resend, v.ResendCount = 1, w.number(), w.number()
	case 5:
		v.ResendValid, v.Resend, v.ResendCount, v.ResendMap = 1, w.number(), w.number(), 8
		for i := range w.ext {
			w.ext[i] = byte(w.r.Uint32())
		}
	case 6:
		v.Reply, v.ReplyKind, v.ReplyPSN, v.ReplyWire = 1, uint8(w.number()), w.number(), w.number()
	case 7:
		v.Reply, v.ReplyKind, v.ReplyExtPtr, v.ReplyExtLen = 1, abi.PacketSack, 8, uint32(w.r.IntN(300))
	case 8:
		v.Timer = int64(w.number())
	case 9:
		v.Wake = 1
		w.out.Add(&abi.Packet{Kind: abi.PacketProbe, Conn: w.p.Conn}, nil)
	}
}

func (w *wild) Receive() error {
	p, v := &w.p, &w.v
	switch p.Kind {
	case abi.PacketData, abi.PacketReadRequest:
		v.Deliver = abi.DeliverDrop
		if p.PSN == w.rx[p.Conn] && p.Flags&abi.PacketNoReceive == 0 {
			v.Deliver = abi.DeliverInOrder
			w.rx[p.Conn]++
		}
		v.Reply, v.ReplyKind, v.ReplyPSN = 1, abi.PacketAck, w.rx[p.Conn]
	case abi.PacketAck:
		v.AckedValid, v.Acked, v.Wake = 1, p.PSN, 1
	}
	if w.odd() {
		w.verdict()
	}
	return nil
}

func (w *wild) Timer(int32) error {
	if w.odd() {
		w.verdict()
	}
	w.v.Timer = w.v.Now + int64(500*sim.Microsecond)
	return nil
}

type wilds struct{ seed uint64 }

func (wilds) Name() string     { return "wild" }
func (wilds) Features() uint32 { return 15 | abi.FeatureMultipath | abi.FeatureRead | abi.FeatureSend }
func (s wilds) New(d topo.NodeID) (Protocol, error) {
	return &wild{r: rand.New(rand.NewPCG(s.seed, uint64(d))), rx: map[int32]uint32{}, tx: map[int32]uint32{}, rare: 3 + int(s.seed%40*(s.seed%40))}, nil
}

// Whatever a plugin says, the run ends, every request completes once unless it
// waits for something, and nothing of the host breaks.
func TestWildPlugins(t *testing.T) {
	faults, fine := 0, 0
	for seed := range uint64(300) {
		r := newRig(t, func(c *rigConfig) {
			c.now = wilds{seed}
			c.spec.Params.Planes, c.spec.Params.Latency = int(1+seed%3), ns(int64(seed%2)*300)
			c.ports = []fabric.Features{{}, {Lanes: 4}, {Credits: fabric.Credits{Cells: 200}}}[seed%3]
		})
		for i := range r.g.Ports {
			r.f.SetLoss(topo.PortID(i), int32(seed%5)*10_000)
		}
		posted := 0
		for k, service := range []Service{Reliable, Unreliable, Datagram} {
			a, b, err := r.n.Connect(Spec{A: 0, B: 1, Protocol: r.proto, Service: service, Index: k})
			require.NoError(t, err)
			r.n.SetSink(a, r)
			r.n.SetSink(b, r)
			for range 4 {
				require.NoError(t, r.n.PostRecv(b, Recv{Addr: r.buffer(1, 18_000), Len: 18_000}))
			}
			for i := range uint64(12) {
				wr := &WR{ID: i, Op: []Op{OpSend, OpWrite, OpRead}[i%3], Flags: Signaled, Local: r.buffer(0, 20_000), Remote: r.buffer(1, 20_000), Len: int64(i * 1700)}
				if r.n.Post(a, wr) == nil {
					posted++
				}
			}
		}
		r.e.Run(20 * sim.Millisecond)
		done := 0
		for _, d := range r.done {
			if !d.Recv {
				done++
			}
		}
		require.LessOrEqual(t, done, posted)
		if r.n.Fault() != nil {
			require.ErrorContains(t, r.n.Fault(), "transport: plugin wild on npu")
			faults++
		} else if done == posted {
			fine++
		}
	}
	t.Logf("%d runs with a fault, %d without in which all completed", faults, fine)
	require.Greater(t, faults, 100)
	require.Greater(t, fine, 10)
}
