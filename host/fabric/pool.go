package fabric

// item is a packet in a fabric whose ports queue. Items keep their place, so that
// a packet is copied once on its way in; the ports pass its number on. What a
// switch reads of it lies in one cache line.
type item struct {
	next  uint32 // free place after it; of a packet that slipped: the port it is on
	held  int32  // bytes it is charged in the buffer of its switch
	cells int32  // of credit it takes, of the whole train
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
