package hccl

import (
	"fmt"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

// link is what the rank keeps about a channel to rank q, made with the connection
// and the registers of both sides on first use of either.
func (r *Rank) link(q int32, channel uint8) (*link, error) {
	slot := r.slot(q, channel)
	if page := int(slot >> linkBits); page < len(r.links) && r.links[page] != nil {
		if l := &r.links[page][slot&(linkPage-1)]; l.conn != 0 {
			return l, nil
		}
	}
	return r.comm.join(r.rank, q, channel)
}

// slot is the number of a channel's link.
func (r *Rank) slot(q int32, channel uint8) int32 {
	if channel == 0 {
		return q
	}
	return int32(channel)*int32(len(r.comm.ranks)) + q
}

// entry is the place of a link, made or not.
func (r *Rank) entry(q int32, channel uint8) *link {
	slot := r.slot(q, channel)
	for int(slot>>linkBits) >= len(r.links) {
		r.links = append(r.links, nil)
	}
	page := r.links[slot>>linkBits]
	if page == nil {
		page = new([linkPage]link)
		r.links[slot>>linkBits] = page
	}
	return &page[slot&(linkPage-1)]
}

// known yields the links of the rank that were used, with their peers.
func (r *Rank) known(yield func(q int32, l *link) bool) {
	for i, page := range r.links {
		if page == nil {
			continue
		}
		for j := range page {
			if l := &page[j]; *l != (link{}) && !yield((int32(i)<<linkBits+int32(j))%int32(len(r.comm.ranks)), l) {
				return
			}
		}
	}
}

// carries refuses plugins that lack what collectives need, by name.
func (h *Host) carries(nodes []topo.NodeID) error {
	var seen topo.ProtocolSet
	check := func(a, b topo.NodeID) error {
		p := h.graph.Protocol(a, b)
		if seen.Has(p) {
			return nil
		}
		seen |= soc.Protocols(p)
		if h.net.Features(p)&abi.FeatureNotifyWithWrite != 0 {
			return nil
		}
		name := "the plugin"
		if n, ok := h.net.(interface{ PluginName(topo.Protocol) string }); ok {
			if name = "plugin " + n.PluginName(p); name == "plugin " {
				return &Error{Code: ErrNotSupport, Call: "HcclCommInit", Rank: -1, Text: fmt.Sprintf("no plugin carries %v", p)}
			}
		}
		return &Error{Code: ErrNotSupport, Call: "HcclCommInit", Rank: -1,
			Text: fmt.Sprintf("%s, which carries %v, offers no write with notify, which collectives need (name another one under [transport])", name, p)}
	}
	// A protocol joins whole domains: neighbours and the ends show them all.
	last := len(nodes) - 1
	for i := range nodes {
		for _, j := range [...]int{0, min(i+1, last), last} {
			if i == j {
				continue
			}
			if err := check(nodes[i], nodes[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// join makes the link of a channel of two ranks on both sides and returns r's.
func (m *Comm) join(r, q int32, channel uint8) (*link, error) {
	lo, hi := &m.ranks[min(r, q)], &m.ranks[max(r, q)]
	a, b := lo.dev.Node(), hi.dev.Node()
	proto := m.host.graph.Protocol(a, b)
	x, y := lo.entry(hi.rank, channel), hi.entry(lo.rank, channel)
	for _, s := range [...]struct {
		k *Rank
		l *link
	}{{lo, x}, {hi, y}} {
		if s.l.mine != 0 {
			continue // from an attempt that failed
		}
		n, err := s.k.channel()
		if err != nil {
			return nil, err
		}
		s.l.mine = int32(n) + 1
	}
	x.theirs, y.theirs = hi.dev.NotifyAddr(int(y.mine)-1), lo.dev.NotifyAddr(int(x.mine)-1)
	var err error
	x.conn, y.conn, err = m.host.net.Connect(transport.Spec{A: a, B: b, Protocol: proto, Index: m.index + int(channel)<<12})
	if err != nil {
		x.conn, y.conn = 0, 0
		return nil, &Error{Code: ErrNetwork, ID: "EI0009", Call: "collective", Rank: int(r),
			Text: fmt.Sprintf("no transport between rank %d and rank %d", lo.rank, hi.rank), Err: err}
	}
	m.host.sys.Attach(x.conn)
	m.host.sys.Attach(y.conn)
	if r == lo.rank {
		return x, nil
	}
	return y, nil
}

// channel takes two notifies with consecutive numbers and returns the first.
func (r *Rank) channel() (int, error) {
	first, err := r.notify()
	if err != nil {
		return 0, err
	}
	for {
		next, err := r.notify()
		if err != nil {
			_ = r.dev.FreeNotify(first)
			return 0, err
		}
		if next == first+1 {
			return first, nil
		}
		// A hole in the device's numbers: what follows it is together.
		if err := r.dev.FreeNotify(first); err != nil {
			return 0, err
		}
		first = next
	}
}

func (r *Rank) notify() (int, error) {
	n, _, err := r.dev.AllocNotify()
	if err != nil {
		return 0, &Error{Code: ErrUnavail, ID: "EI0007", Call: "collective", Rank: int(r.rank), Text: "no notify for a channel", Err: err}
	}
	return n, nil
}

// last is the number of the notify for the last handshake that rank of's peer
// raises at it; both sides' links get it.
func (m *Comm) last(of, by int32, channel uint8) (int, error) {
	l := m.ranks[of].entry(by, channel)
	if l.mineLast == 0 {
		n, err := m.ranks[of].notify()
		if err != nil {
			return 0, err
		}
		l.mineLast = int32(n) + 1
		m.ranks[by].entry(of, channel).theirLast = l.mineLast
	}
	return int(l.mineLast) - 1, nil
}

// silence keeps what is not acknowledged yet, of operations that have ended, from
// being reported as flushed: nobody waits for it.
func (r *Rank) silence() {
	if r.comm.host.net == nil {
		return
	}
	r.known(func(_ int32, l *link) bool {
		if l.conn != 0 {
			r.comm.host.net.SetSink(l.conn, nil)
		}
		return true
	})
}

// unlink closes the rank's connections, so that nothing under way reaches a
// notify's next owner, frees its notifies and forgets its links.
func (r *Rank) unlink() (err error) {
	net, _ := r.comm.host.net.(interface {
		Close(transport.ConnID) error
	})
	r.known(func(_ int32, l *link) bool {
		if l.conn != 0 && net != nil {
			if err = net.Close(l.conn); err != nil {
				return false
			}
		}
		var ids []int32
		if l.mine != 0 {
			ids = append(ids, l.mine-1, l.mine)
		}
		if l.mineLast != 0 {
			ids = append(ids, l.mineLast-1)
		}
		for _, id := range ids {
			if err = r.dev.FreeNotify(int(id)); err != nil {
				return false
			}
		}
		return true
	})
	r.links = nil
	return err
}

// DescribeNotify implements device.NotifyDescriber: what a register is for, and
// the stream that should raise it.
func (h *Host) DescribeNotify(d *device.Device, id int) (what, actor string) {
	for _, m := range h.comms {
		for i := range m.ranks {
			r := &m.ranks[i]
			if r.dev != d || m.closed {
				continue
			}
			if what, ok := r.describe(int32(id)); ok {
				return what, ""
			}
			r.known(func(q int32, l *link) bool {
				kind := ""
				switch n := int32(id) + 1; {
				case l.mine > 0 && n == l.mine:
					kind = "the ready"
				case l.mine > 0 && n == l.mine+1:
					kind = "the data"
				case n == l.mineLast:
					kind = "the last handshake"
				default:
					return true
				}
				what, actor = fmt.Sprintf("%s of rank %d of %s%s", kind, q, m.cfg.Name, m.doing(r)), m.actor(q)
				return false
			})
			if what != "" {
				return what, actor
			}
		}
	}
	return "", ""
}

// doing names the operation a rank is in.
func (m *Comm) doing(r *Rank) string {
	if i := r.done - m.base; int(i) < len(m.ops) {
		return fmt.Sprintf(" in operation %d, %v", r.done+1, m.ops[i].args)
	}
	return ""
}

// actor is the stream on which rank q has to act, or what it has not done.
func (m *Comm) actor(q int32) string {
	r := &m.ranks[q]
	if i := r.done - m.base; int(i) < len(m.ops) {
		if f := m.ops[i].of[q].feeder; f != nil {
			return f.stream.Name()
		}
	}
	return fmt.Sprintf("rank %d, which has started %d operations", q, r.launch)
}

// serverOf and localOf place a device in the cluster.
func (h *Host) serverOf(d *device.Device) int { return int(h.graph.Nodes[d.Node()].Server) }

func (h *Host) localOf(d *device.Device) int { return int(h.graph.Nodes[d.Node()].Index) }

var _ device.NotifyDescriber = (*Host)(nil)
