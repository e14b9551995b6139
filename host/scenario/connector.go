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
	if wr.Len > 0 {
		wr.Flags |= transport.Signaled
	}
	return c.Net.Post(id, wr)
}

// SetSink implements device.Network.
func (c *connector) SetSink(id transport.ConnID, s transport.Sink) {
	if s == nil {
		c.Net.SetSink(id, nil)
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
