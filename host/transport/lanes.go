package transport

import (
	"math/bits"
	"slices"

	"hsim/host/topo"
)

// ring is the connections of one lane that have something to send, in turn.
type ring struct {
	q    []entry
	head int
}

func (r *ring) len() int { return len(r.q) - r.head }

func (r *ring) push(e entry) { r.q = append(r.q, e) }

func (r *ring) pop() entry {
	e := r.q[r.head]
	r.head++
	if r.head == len(r.q) {
		r.q, r.head = r.q[:0], 0
	} else if r.head > 64 && r.head*2 > len(r.q) {
		m := copy(r.q, r.q[r.head:])
		r.q, r.head = r.q[:m], 0
	}
	return e
}

// first puts a connection before all others.
func (r *ring) first(e entry) {
	if r.head == 0 {
		r.q = slices.Insert(r.q, 0, e)
		return
	}
	r.head--
	r.q[r.head] = e
}

// queue puts a connection at the end of its turn. One that asks for data does not
// wait for trains of others, of which it would see one for every request.
func (n *Net) queue(p *nicPort, c *conn, e entry) {
	asks := n.Train != 1 && c.cur != 0 && n.wrs.at(c.cur).Op == OpRead
	r := &p.ring
	if len(p.lanes) > 0 {
		lane := min(int(e.lane), len(p.lanes)-1)
		r = &p.lanes[lane]
		p.some |= 1 << lane
	}
	if asks {
		r.first(e)
	} else {
		r.push(e)
	}
}

// Feed gives a port of a fabric with lanes what it can take now.
func (x *nic) Feed(id topo.PortID) {
	for _, p := range x.ports {
		if p.id == id {
			x.n.fill(p)
			return
		}
	}
}

// fill puts one packet of every lane into a port where it has room, and has the
// fabric ask again while connections have more.
func (n *Net) fill(p *nicPort) {
	for m := p.some; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros16(m)
		r := &p.lanes[lane]
		for r.len() > 0 && n.Fabric.Room(p.id, uint8(lane)) {
			e := r.pop()
			c := n.conns.at(e.conn)
			c.inRing &^= 1 << e.path
			if c.idle() || c.state != ready {
				continue
			}
			if n.emit(e.conn, c, e.path) && !c.idle() && c.state == ready {
				c.inRing |= 1 << e.path
				e.lane = n.out.Lane // as the plugin chose it
				n.queue(p, c, e)
			}
		}
		if r.len() == 0 {
			p.some &^= 1 << lane
		}
	}
	if p.some != 0 {
		n.Fabric.Ask(p.id)
	}
}
