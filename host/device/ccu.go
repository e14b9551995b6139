package device

import (
	"fmt"

	"hsim/host/ccu"
	"hsim/host/topo"
	"hsim/host/transport"
)

// CCUs is the device's collective communication units, one on each die that has
// one. They are ready from the start; what they take is made at first use.
// Error: ccu.ErrNone.
func (d *Device) CCUs() (*ccu.Engine, error) {
	if d.ccus == nil {
		o := d.sys.kernels
		c := ccu.Config{Sim: d.sys.eng, Chip: d.chip, Mem: d.sys.mem, Device: d.index, Name: d.Name, Port: (*ccuPort)(d), Record: d.sys.rec,
			Overflow: d.overflow, Fuel: o.Fuel}
		if o.Log != nil {
			c.Log = func(line string) { o.Log(d, line) }
		}
		e, err := ccu.New(c)
		if err != nil {
			return nil, err
		}
		d.ccus = e
	}
	return d.ccus, nil
}

// ccuPort is the way of a device's dies to peers.
type ccuPort Device

var ccuOps = [...]transport.Op{ccu.Write: transport.OpWrite, ccu.Read: transport.OpRead, ccu.WriteReduce: transport.OpWriteReduce,
	ccu.WriteNotify: transport.OpWriteNotify, ccu.Notify: transport.OpNotify}

// Post implements ccu.Port.
func (p *ccuPort) Post(conn int32, r *ccu.Request) error {
	y := p.sys
	y.wr = transport.WR{ID: r.ID, Op: ccuOps[r.Kind], Flags: transport.Signaled, Dtype: r.Dtype, Red: r.Red, RKey: r.RKey,
		Local: r.Local, Remote: r.Remote, Len: r.Len, NotifyAddr: r.Notify, NotifyValue: r.Value}
	if r.Inline {
		y.wr.Flags |= transport.Inline
	}
	return y.net.Post(transport.ConnID(conn), &y.wr)
}

// Complete implements transport.Sink for the connections of channels.
func (p *ccuPort) Complete(c *transport.Completion) {
	if c.Recv {
		return
	}
	if c.Status == transport.StatusOK {
		p.ccus.Complete(c.ID, 0, nil)
		return
	}
	s := ccu.StatusRemote
	switch c.Status {
	case transport.StatusRetry:
		s = ccu.StatusRetry
	case transport.StatusFlush:
		s = ccu.StatusFlushed
	case transport.StatusRemoteAccess:
		s = ccu.StatusAccess
	}
	p.ccus.Complete(c.ID, s, &LinkError{Conn: c.Conn, Op: c.Op, Status: c.Status, Err: c.Err})
}

// DieTowards is the die whose ports join device d with peer: those of a direct
// link, else those of the links to switches. Error: none, or ports of several dies.
func (d *Device) DieTowards(peer *Device) (int, error) {
	g := d.sys.topo
	if g == nil {
		return 0, errNoNet
	}
	proto := g.Protocol(d.node, peer.node)
	for _, direct := range []bool{true, false} {
		die, found := 0, false
		for _, p := range g.NodePorts(d.node) {
			to := g.PeerNode(p)
			if !g.LinkOf(p).Protocols.Has(proto) || direct && to != peer.node || !direct && g.Nodes[to].Kind != topo.Switch {
				continue
			}
			if q := int(g.Ports[p].Die); found && q != die {
				return 0, fmt.Errorf("device: die of %s towards %s: got ports of die %d and of die %d, want those of one", d.Name(), peer.Name(), die, q)
			}
			die, found = int(g.Ports[p].Die), true
		}
		if found {
			return die, nil
		}
	}
	return 0, fmt.Errorf("device: die of %s towards %s: got no port that speaks %v", d.Name(), peer.Name(), proto)
}

// JoinCCUs makes a channel between the dies that look at each other, over a
// connection of its own; the ranks and the index are those of the caller. Errors:
// a chip without units, no resources (*ccu.LimitError), no connection.
func (y *System) JoinCCUs(a, b *Device, rankA, rankB uint32, index int) (x, z *ccu.Channel, err error) {
	if y.net == nil || y.topo == nil {
		return nil, nil, errNoNet
	}
	var ends [2]ccu.End
	for i, pair := range [][2]*Device{{a, b}, {b, a}} {
		e, err := pair[0].CCUs()
		if err != nil {
			return nil, nil, err
		}
		die, err := pair[0].DieTowards(pair[1])
		if err != nil {
			return nil, nil, err
		}
		if ends[i].Unit, err = e.Unit(die); err != nil {
			return nil, nil, err
		}
	}
	proto := y.topo.Protocol(a.node, b.node)
	ca, cb, err := y.net.Connect(transport.Spec{A: a.node, B: b.node, Protocol: proto, Index: index})
	if err != nil {
		return nil, nil, err
	}
	y.net.SetSink(ca, (*ccuPort)(a))
	y.net.SetSink(cb, (*ccuPort)(b))
	ends[0].Conn, ends[0].Rank = int32(ca), rankA
	ends[1].Conn, ends[1].Rank = int32(cb), rankB
	return ccu.Join(ends[0], ends[1], uint8(proto))
}

// MissionOp is the Op of one launch of a microprogram: one task for each of its
// queue entries, whose number is the task's Value.
type MissionOp struct {
	Launch *ccu.Launch
	ticket Ticket
}

// Start implements Op.
func (o *MissionOp) Start(s *Stream, t *Task) Status {
	o.ticket = s.Ticket()
	k := o.ticket
	o.Launch.Run(int(t.Value), func(err error) { k.Finish(CauseCCU, err) })
	return Pending
}

// Stop ends the mission and its task with an error.
func (o *MissionOp) Stop(c Cause, err error) {
	o.Launch.Cancel()
	o.ticket.Finish(c, err)
}

// Abort ends the mission with its stream's task; a time-out says what it waited for.
func (o *MissionOp) Abort(s *Stream, t *Task) {
	if t.Timeout > 0 {
		s.Fail(CauseTimeout, fmt.Errorf("device: mission did not end within %v: it waits for %s", t.Timeout, o.Launch.Waits()))
	}
	o.Launch.Cancel()
}

// Describe implements the wait reason of a stall report.
func (o *MissionOp) Describe(*Stream, *Task) (what, actor string) { return o.Launch.Describe() }
