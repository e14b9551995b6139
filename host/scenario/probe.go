package scenario

import (
	"fmt"
	"math/bits"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/transport"
)

// linkCost is what one message between two devices costs on an idle network, as the variant's own transport and wires
// have it.
type linkCost struct {
	proto  topo.Protocol
	notify sim.Time   // a notify alone
	alpha  sim.Time   // a write of one byte with a notify
	points []sim.Time // the same for 2^i bytes: packets, trains and several paths make it no straight line
}

// probePoints covers 1 byte to 64 MiB; beyond that the last slope goes on.
const probePoints = 27

// slope is the time of a byte at a size between the points i and i+1, times the bytes between them.
func (l *linkCost) slope(i int) (d sim.Time, bytes int64) {
	return l.points[i+1] - l.points[i], int64(1) << i
}

// wire is how long n bytes keep the link busy.
func (l *linkCost) wire(n int64) sim.Time {
	if len(l.points) == 0 || n <= 0 {
		return 0
	}
	i := min(bits.Len64(uint64(n))-1, probePoints-2)
	d, bytes := l.slope(i)
	hi, lo := bits.Mul64(uint64(n-int64(1)<<i), uint64(max(d, 0)))
	if hi >= uint64(bytes) {
		return sim.Forever / 4
	}
	q, _ := bits.Div64(hi, lo, uint64(bytes))
	return l.points[i] - l.alpha + sim.Time(q)
}

// arrival is the register that a probe's notify ends in.
type arrival struct {
	eng *sim.Engine
	at  sim.Time
	got sim.Cond
}

// WriteRegister implements mem.RegisterOwner.
func (r *arrival) WriteRegister(int, uint64) {
	r.at = r.eng.Now()
	r.got.Broadcast(r.eng)
}

// ReadRegister implements mem.RegisterOwner.
func (r *arrival) ReadRegister(int) uint64 { return 0 }

// probe measures the link between the devices a and b on an idle copy of the cluster, one message after the other.
func (p *plan) probe(a, b topo.NodeID) (linkCost, error) {
	c := linkCost{proto: p.graph.Protocol(a, b)}
	idle, cfg := *p, *p.cfg
	cfg.Data = mem.Phantom
	idle.cfg = &cfg
	w, err := idle.build(nil, nil)
	if err != nil {
		return c, err
	}
	conn, _, err := w.net.Connect(transport.Spec{A: a, B: b, Protocol: c.proto})
	if err != nil {
		return c, err
	}
	const most = int64(1) << (probePoints - 1)
	local, err := w.mem.Alloc(mem.AllocSpec{Device: int(a), Size: most})
	if err != nil {
		return c, err
	}
	remote, err := w.mem.Alloc(mem.AllocSpec{Device: int(b), Size: most})
	if err != nil {
		return c, err
	}
	reg := &arrival{eng: w.eng}
	notify := w.mem.Registers(reg, int(b), 1)
	w.eng.Go("probe", func(q *sim.Proc) {
		// Acknowledgements of one message must not be in the way of the next.
		send := func(wr transport.WR) (took sim.Time) {
			q.Sleep(sim.Second)
			wr.NotifyAddr, wr.NotifyValue = notify, 1
			begin := q.Now()
			if err = w.net.Post(conn, &wr); err == nil && reg.at < begin {
				q.Wait(&reg.got, sim.Cause{What: "the probe to arrive"})
			}
			return max(reg.at-begin, 0)
		}
		c.notify = send(transport.WR{Op: transport.OpNotify})
		for i := range probePoints {
			c.points = append(c.points, send(transport.WR{Op: transport.OpWriteNotify, Local: local, Remote: remote, Len: 1 << i}))
		}
	})
	res := w.eng.Run(0)
	if fault := w.net.Fault(); err == nil && fault != nil {
		err = fault
	}
	if err == nil && len(c.points) < probePoints {
		err = fmt.Errorf("scenario: probe %s to %s: a write did not arrive (%v)", p.graph.Nodes[a].Name, p.graph.Nodes[b].Name, res.Reason)
	}
	if err == nil {
		c.alpha = c.points[0]
	}
	return c, err
}
