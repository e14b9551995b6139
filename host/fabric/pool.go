package fabric

import "hsim/host/topo"

// item is a packet in a port that queues. Items keep their place and are linked
// into lists by index, so that a packet is copied once on its way in.
type item struct {
	next  uint32
	in    topo.PortID // the port at the other end of the link it came over, None = sent by this node
	cells int32       // of credit it takes, of the whole train
	held  int32       // bytes it is charged in the buffer of its switch
	Packet
	_ [16]byte // two cache lines
}

const (
	poolBits = 10
	poolPage = 1 << poolBits
)

// pool is a paged slab of items; index 0 is none.
type pool struct {
	pages []*[poolPage]item
	free  uint32 // list
	used  uint32 // places given out so far
}

func (p *pool) at(i uint32) *item { return &p.pages[i>>poolBits][i&(poolPage-1)] }

func (p *pool) get() (uint32, *item) {
	if i := p.free; i != 0 {
		it := p.at(i)
		p.free = it.next
		return i, it
	}
	p.used++
	if int(p.used>>poolBits) == len(p.pages) {
		p.pages = append(p.pages, new([poolPage]item))
	}
	return p.used, p.at(p.used)
}

func (p *pool) put(i uint32, it *item) {
	it.next = p.free
	p.free = i
}

// list is a first-in first-out list of items.
type list struct{ head, tail uint32 }

func (p *pool) push(l *list, i uint32, it *item) {
	it.next = 0
	if l.head == 0 {
		l.head = i
	} else {
		p.at(l.tail).next = i
	}
	l.tail = i
}
