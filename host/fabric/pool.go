package fabric

import "hsim/host/topo"

// item is a packet in a fabric whose ports queue. Items keep their place, so that
// a packet is copied once on its way in; the ports pass its number on. What ports
// read of it lies in one cache line. While it waits, at is when its head came and
// lag when its tail is there.
type item struct {
	self  uint32      // its number; of a free place: the next one
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

func (p *pool) get() *item {
	i := p.free
	if i == 0 {
		p.used++
		i = p.used
		if int(i>>poolBits) == len(p.pages) {
			p.pages = append(p.pages, new([poolPage]item))
		}
		it := p.at(i)
		it.self = i
		return it
	}
	it := p.at(i)
	p.free, it.self = it.self, i
	return it
}

func (p *pool) put(it *item) {
	it.self, p.free = p.free, it.self
}

// ring is a queue in memory that is used in order.
type ring[T any] struct {
	buf  []T // its length is a power of two
	head uint32
	n    uint32
}

func (r *ring[T]) put(x T) {
	if int(r.n) == len(r.buf) {
		r.grow()
	}
	r.buf[(r.head+r.n)&uint32(len(r.buf)-1)] = x
	r.n++
}

func (r *ring[T]) grow() {
	next := make([]T, max(2*len(r.buf), 4))
	m := copy(next, r.buf[r.head:])
	copy(next[m:], r.buf[:r.head])
	r.buf, r.head = next, 0
}

func (r *ring[T]) first() *T { return &r.buf[r.head] }

func (r *ring[T]) last() *T { return r.nth(r.n - 1) }

func (r *ring[T]) nth(k uint32) *T { return &r.buf[(r.head+k)&uint32(len(r.buf)-1)] }

func (r *ring[T]) drop() {
	r.head = (r.head + 1) & uint32(len(r.buf)-1)
	if r.n--; r.n == 0 {
		r.head = 0 // start over in memory that is still in the cache
	}
}
