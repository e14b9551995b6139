package mem

// BlockID numbers the physical blocks of a space from 1 upwards.
type BlockID int32

// Data says what the ordinary memory of a space keeps.
type Data uint8

const (
	// Real memory keeps its bytes.
	Real Data = iota
	// Phantom memory checks bounds and rights and keeps no bytes; it reads as zero.
	Phantom
)

// String names the mode as sim.toml spells it.
func (d Data) String() string {
	if d == Phantom {
		return "phantom"
	}
	return "real"
}

// Store says what is behind a block.
type Store uint8

const (
	// StoreDefault takes the space's Data mode.
	StoreDefault Store = iota
	// StoreReal keeps bytes, allocated when first written.
	StoreReal
	// StorePhantom keeps none.
	StorePhantom
	// StoreRegister belongs to a RegisterOwner.
	StoreRegister
)

// String names the store.
func (s Store) String() string {
	return [...]string{"default", "real", "phantom", "register"}[s&3]
}

// BlockType is the kind of physical memory.
type BlockType uint8

const (
	// DDR is host memory.
	DDR BlockType = iota
	// HBM is device memory.
	HBM
	// MMIO is the register space of a device.
	MMIO
)

// String names the type.
func (t BlockType) String() string {
	return [...]string{"DDR", "HBM", "MMIO", "?"}[t&3]
}

// Host is the device number of host memory.
const Host = -1

// Block is one physical memory block: the root that every mapping refers to.
type Block struct {
	ID     BlockID
	Device int // Host or a device number
	Size   int64
	Type   BlockType
	Store  Store
	refs   int
	charge int64 // bytes counted against the device's capacity

	flat   []byte   // real, contiguous; nil until first written
	chunks [][]byte // real, large; each nil until first written
	maps   []mapping
	owner  RegisterOwner

	reserved bool // no memory of its own: maps say what lies behind it
	wrapped  bool // the bytes are the caller's

	watches []watch
}

// Refs counts the ranges and holders that keep the block alive.
func (b *Block) Refs() int { return b.refs }

// Wrapped says that the bytes are the caller's (Space.Wrap).
func (b *Block) Wrapped() bool { return b.wrapped }

const (
	chunkShift = 22 // 4 MiB
	chunkSize  = 1 << chunkShift
	chunkMask  = chunkSize - 1

	// FlatLimit is the largest real block that is kept in one piece, so that
	// Bytes works over all of it; larger ones are kept in chunks so that only
	// the touched parts of a huge allocation take memory.
	FlatLimit int64 = 64 << 20
)

// peek gives the stored bytes from off on, as many of n as lie in one piece;
// data is nil where nothing was written yet (it reads as zero).
func (b *Block) peek(off, n int64) (data []byte, got int64) {
	if b.reserved {
		m, in := b.mappingAt(off)
		return m.block.peek(in, min(n, m.size-in))
	}
	n = b.room(off, n)
	if b.flat != nil {
		return b.flat[off : off+n], n
	}
	if b.chunks != nil {
		if c := b.chunks[off>>chunkShift]; c != nil {
			in := off & chunkMask
			return c[in : in+n], n
		}
	}
	return nil, n
}

// touch is peek for writing: missing storage is allocated.
func (b *Block) touch(off, n int64) []byte {
	if b.reserved {
		m, in := b.mappingAt(off)
		return m.block.touch(in, min(n, m.size-in))
	}
	n = b.room(off, n)
	if b.flat != nil {
		return b.flat[off : off+n]
	}
	if b.Size <= FlatLimit {
		b.flat = make([]byte, b.Size)
		return b.flat[off : off+n]
	}
	if b.chunks == nil {
		b.chunks = make([][]byte, (b.Size+chunkSize-1)>>chunkShift)
	}
	c := b.chunks[off>>chunkShift]
	if c == nil {
		c = make([]byte, chunkSize)
		b.chunks[off>>chunkShift] = c
	}
	in := off & chunkMask
	return c[in : in+n]
}

// room gives how many of n bytes from off lie in one piece.
func (b *Block) room(off, n int64) int64 {
	if b.reserved {
		m, in := b.mappingAt(off)
		return m.block.room(in, min(n, m.size-in))
	}
	if b.Size <= FlatLimit || b.flat != nil {
		return n
	}
	if r := chunkSize - off&chunkMask; n > r {
		return r
	}
	return n
}

// tail gives how many bytes before the offset end lie in one piece.
func (b *Block) tail(end int64) int64 {
	switch {
	case b.reserved:
		m, in := b.mappingAt(end - 1)
		return min(in+1, m.block.tail(in+1))
	case b.chunks == nil:
		return end
	case end&chunkMask != 0:
		return end & chunkMask
	}
	return chunkSize
}
