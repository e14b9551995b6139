package mem

import "fmt"

// Addr is a virtual address, unique in the simulation: the number of its range
// plus one in the upper 24 bits, the offset in the range in the lower 40. The
// zero value is the null address.
type Addr uint64

const (
	offsetBits = 40
	offsetMask = 1<<offsetBits - 1
	maxRanges  = 1<<(64-offsetBits) - 2

	// MaxRange is the largest size of one range in bytes (1 TiB).
	MaxRange int64 = 1 << offsetBits
)

func makeAddr(index int, offset int64) Addr {
	return Addr(uint64(index+1)<<offsetBits | uint64(offset))
}

// Add moves the address by n bytes; the caller keeps it inside its range.
func (a Addr) Add(n int64) Addr { return a + Addr(n) }

// Offset gives the byte offset in the address's range.
func (a Addr) Offset() int64 { return int64(a & offsetMask) }

// Start gives the first address of the address's range.
func (a Addr) Start() Addr { return a &^ offsetMask }

// String writes the address as a pointer.
func (a Addr) String() string { return fmt.Sprintf("0x%x", uint64(a)) }

func (a Addr) index() int { return int(a>>offsetBits) - 1 }
