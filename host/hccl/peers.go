package hccl

import (
	"fmt"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/transport"
)

// sides are what ranks r and q keep about each other, r's first.
func (m *Comm) sides(r, q int32) (mine, other *side) {
	lo, hi, i := r, q, 0
	if r > q {
		lo, hi, i = q, r, 1
	}
	pages := m.pairs[lo]
	if pages == nil {
		pages = make([]*[pairPage]pair, (len(m.ranks)+pairPage-1)>>pairBits)
		m.pairs[lo] = pages
	}
	page := pages[hi>>pairBits]
	if page == nil {
		page = new([pairPage]pair)
		pages[hi>>pairBits] = page
	}
	p := &page[hi&(pairPage-1)]
	return &p[i], &p[1-i]
}

// known is sides without making them; nil where the ranks never met.
func (m *Comm) known(r, q int32) *side {
	lo, hi, i := r, q, 0
	if r > q {
		lo, hi, i = q, r, 1
	}
	if lo == hi || m.pairs[lo] == nil || m.pairs[lo][hi>>pairBits] == nil {
		return nil
	}
	return &m.pairs[lo][hi>>pairBits][hi&(pairPage-1)][i]
}

// channel is the number of the rank's ready notify for one peer; its data notify
// is the next one. s is the rank's side.
func (r *Rank) channel(s *side) (int, error) {
	if s.channel == 0 {
		ready, err := r.notify()
		if err != nil {
			return 0, err
		}
		data, err := r.notify()
		if err != nil {
			return 0, err
		}
		for data != ready+1 { // a hole in the device's numbers: take what follows it
			if err := r.dev.FreeNotify(ready); err != nil {
				return 0, err
			}
			ready = data
			if data, err = r.notify(); err != nil {
				return 0, err
			}
		}
		s.channel = int32(ready) + 1
	}
	return int(s.channel) - 1, nil
}

// lastNotify is the number of the rank's last notify for one peer.
func (r *Rank) lastNotify(s *side) (int, error) {
	if s.last == 0 {
		n, err := r.notify()
		if err != nil {
			return 0, err
		}
		s.last = int32(n) + 1
	}
	return int(s.last) - 1, nil
}

func (r *Rank) notify() (int, error) {
	n, _, err := r.dev.AllocNotify()
	if err != nil {
		return 0, &Error{Code: ErrUnavail, ID: "EI0007", Call: "collective", Rank: int(r.rank), Text: "no notify for a channel", Err: err}
	}
	return n, nil
}

func (m *Comm) freeNotifies(r int32) error {
	d := m.ranks[r].dev
	for q := range int32(len(m.ranks)) {
		s := m.known(r, q)
		if s == nil {
			continue
		}
		if s.channel != 0 {
			if err := d.FreeNotify(int(s.channel) - 1); err != nil {
				return err
			}
			if err := d.FreeNotify(int(s.channel)); err != nil {
				return err
			}
		}
		if s.last != 0 {
			if err := d.FreeNotify(int(s.last) - 1); err != nil {
				return err
			}
		}
		*s = side{conn: s.conn}
	}
	return nil
}

// conn is the rank's end of the connection to q, made on first use of either
// side.
func (m *Comm) conn(r, q int32, mine, other *side) (transport.ConnID, error) {
	if mine.conn != 0 {
		return mine.conn, nil
	}
	lo, hi := min(r, q), max(r, q)
	a, b := m.ranks[lo].dev.Node(), m.ranks[hi].dev.Node()
	proto := m.host.graph.Protocol(a, b)
	if f := m.host.net.Features(proto); f&abi.FeatureNotifyWithWrite == 0 {
		return 0, &Error{Code: ErrNotSupport, Call: "collective", Rank: int(r),
			Text: fmt.Sprintf("the plugin that carries %v does not offer a write with notify, which collectives need (name another one under [transport])", proto)}
	}
	x, y, err := m.host.net.Connect(transport.Spec{A: a, B: b, Protocol: proto, Index: m.index})
	if err != nil {
		return 0, &Error{Code: ErrNetwork, ID: "EI0009", Call: "collective", Rank: int(r), Text: fmt.Sprintf("no transport between rank %d and rank %d", lo, hi), Err: err}
	}
	if r == hi {
		x, y = y, x
	}
	mine.conn, other.conn = x, y
	m.host.sys.Attach(x)
	m.host.sys.Attach(y)
	return x, nil
}

// DescribeNotify implements device.NotifyDescriber: what a register is for, and
// the stream that should raise it.
func (h *Host) DescribeNotify(d *device.Device, id int) (what, actor string) {
	for _, m := range h.comms {
		for i := range m.ranks {
			if m.ranks[i].dev != d || m.closed {
				continue
			}
			for q := range int32(len(m.ranks)) {
				p := m.known(int32(i), q)
				if p == nil {
					continue
				}
				kind := ""
				switch n := int32(id) + 1; {
				case p.channel > 0 && n == p.channel:
					kind = "the ready"
				case p.channel > 0 && n == p.channel+1:
					kind = "the data"
				case n == p.last:
					kind = "the last handshake"
				default:
					continue
				}
				return fmt.Sprintf("%s of rank %d of %s%s", kind, q, m.cfg.Name, m.doing(&m.ranks[i])), m.actor(q)
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
