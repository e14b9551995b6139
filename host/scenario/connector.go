package scenario

import (
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/transport"
)

// connector is the transport as devices and collectives use it: connections get the service level of their protocol and
// the packet size of their devices, and how long transfers take is kept.
type connector struct {
	*transport.Net
	net   *Network
	flows transport.Flows
	taps  map[transport.Sink]*counted
	open  []int32 // transfers that have not ended, by connection end
	under int     // their number

	mtu    map[topo.NodeID]uint32 // of devices that have one of their own
	forced map[topo.NodeID]bool   // and keep to it
}

// Connect implements device.Network.
func (c *connector) Connect(s transport.Spec) (a, b transport.ConnID, err error) {
	s.ServiceLevel = c.net.Levels[s.Protocol]
	s.Detours = c.net.Detours
	s.MTUA, s.MTUB, s.Force = c.mtu[s.A], c.mtu[s.B], c.forced[s.A] || c.forced[s.B]
	return c.Net.Connect(s)
}

// Post implements device.Network. A transfer that nobody waits for is signaled all the same: its end counts.
func (c *connector) Post(id transport.ConnID, wr *transport.WR) error {
	if wr.Len <= 0 {
		return c.Net.Post(id, wr)
	}
	wr.Flags |= transport.Signaled
	if int(id) >= len(c.open) {
		c.open = append(c.open, make([]int32, int(id)+1-len(c.open))...)
	}
	c.open[id]++
	c.under++
	err := c.Net.Post(id, wr)
	if err != nil {
		c.ended(id, 1)
	}
	return err
}

// ended takes n transfers of a connection end off the list.
func (c *connector) ended(id transport.ConnID, n int32) {
	if int(id) >= len(c.open) || n > c.open[id] {
		return // of requests that moved nothing
	}
	c.open[id] -= n
	c.under -= int(n)
}

// patience bounds the wait for the last acknowledgements: a connection that has lost one may send again for minutes.
const patience = 100 * sim.Millisecond

// drain waits until no transfer is under way. Nobody counts on that, so that it looks again and again, less and less often.
func (c *connector) drain(p *sim.Proc) {
	end := p.Now() + patience
	for d := sim.Microsecond; c.under > 0 && p.Now() < end; d *= 2 {
		p.Sleep(min(d, end-p.Now()))
	}
}

// SetSink implements device.Network.
func (c *connector) SetSink(id transport.ConnID, s transport.Sink) {
	if s == nil {
		c.Net.SetSink(id, nil)
		if int(id) < len(c.open) {
			c.ended(id, c.open[id])
		}
		return
	}
	t := c.taps[s] // devices have one sink for all their connections
	if t == nil {
		t = &counted{c, s}
		if c.taps == nil {
			c.taps = map[transport.Sink]*counted{}
		}
		c.taps[s] = t
	}
	c.Net.SetSink(id, t)
}

// counted passes completions on and keeps the times of those that moved bytes.
type counted struct {
	c    *connector
	next transport.Sink
}

// Complete implements transport.Sink.
func (s *counted) Complete(d *transport.Completion) {
	if d.Bytes > 0 || d.Status != transport.StatusOK {
		s.c.flows.Add(d)
		if !d.Recv {
			s.c.ended(d.Conn, 1)
		}
	}
	s.next.Complete(d)
}

// flowReport sums up the transfers so far, nil without any.
func (c *connector) flowReport() *FlowReport {
	t := c.flows.Times()
	if t.Transfers+t.Failed == 0 {
		return nil
	}
	us := func(t sim.Time) Micros { return Micros(t) }
	return &FlowReport{Transfers: t.Transfers, Failed: t.Failed, Bytes: t.Bytes, P50: us(t.P50), P99: us(t.P99), Max: us(t.Max)}
}
