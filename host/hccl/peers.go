package hccl

import (
	"fmt"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/transport"
)

// peer returns what the rank keeps about rank q.
func (r *Rank) peer(q int32) *peer {
	page := r.peers[q>>peerBits]
	if page == nil {
		page = new([peerPage]peer)
		r.peers[q>>peerBits] = page
	}
	return &page[q&(peerPage-1)]
}

// register is the address of a notify of r that rank q raises; *id is its
// number plus one, made on first use.
func (r *Rank) register(id *int32) (mem.Addr, error) {
	if *id == 0 {
		n, a, err := r.dev.AllocNotify()
		if err != nil {
			return 0, &Error{Code: ErrUnavail, ID: "EI0007", Call: "collective", Rank: int(r.rank), Text: "no notify for a channel", Err: err}
		}
		*id = int32(n) + 1
		return a, nil
	}
	return r.dev.NotifyAddr(int(*id) - 1), nil
}

// conn is the rank's end of the connection to q, made on first use of either
// side.
func (m *Comm) conn(r, q int32) (transport.ConnID, error) {
	p := m.ranks[r].peer(q)
	if p.conn != 0 {
		return p.conn, nil
	}
	lo, hi := min(r, q), max(r, q)
	a, b := &m.ranks[lo], &m.ranks[hi]
	proto := m.host.graph.Protocol(a.dev.Node(), b.dev.Node())
	if f := m.host.net.Features(proto); f&abi.FeatureNotifyWithWrite == 0 {
		return 0, &Error{Code: ErrNotSupport, Call: "collective", Rank: int(r),
			Text: fmt.Sprintf("the plugin that carries %v does not offer a write with notify, which collectives need (name another one under [transport])", proto)}
	}
	x, y, err := m.host.net.Connect(transport.Spec{A: a.dev.Node(), B: b.dev.Node(), Protocol: proto, Index: m.index})
	if err != nil {
		return 0, &Error{Code: ErrNetwork, ID: "EI0009", Call: "collective", Rank: int(r), Text: fmt.Sprintf("no transport between rank %d and rank %d", lo, hi), Err: err}
	}
	a.peer(hi).conn, b.peer(lo).conn = x, y
	m.host.sys.Attach(x)
	m.host.sys.Attach(y)
	return p.conn, nil
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
				page := m.ranks[i].peers[q>>peerBits]
				if page == nil {
					continue
				}
				p := &page[q&(peerPage-1)]
				kind := ""
				switch int32(id) + 1 {
				case p.ready:
					kind = "the ready"
				case p.data:
					kind = "the data"
				case p.last:
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
