package ccu

import (
	"fmt"

	"hsim/host/soc"
)

// Resource is a kind of thing that a die has a limited number of.
type Resource uint8

// The resources.
const (
	Instructions Resource = iota
	Missions
	Loops     // loop engines
	Variables // Xn, 64 bits
	Addresses // GSA, 64 bits
	Events    // CKE, 16 bits
	Buffers   // MS, 4096 bytes
	Channels
	numResources
)

// resourceTable has the granule that requests are rounded up to, and what the
// die keeps for itself at the low end. Source: the public allocator's block
// strategy; of the usable numbers it states, 3024 Xn and GSA, 1008 CKE.
var resourceTable = [numResources]struct {
	name     string
	granule  int
	reserved int
}{
	Instructions: {"instructions", 1, 0},
	Missions:     {"missions", 2, 0},
	Loops:        {"loop engines", 16, 0},
	Variables:    {"variables (Xn)", 16, 48},
	Addresses:    {"addresses (GSA)", 16, 48},
	Events:       {"events (CKE)", 16, 16},
	Buffers:      {"buffers (MS)", 128, 0},
	Channels:     {"channels", 1, 2},
}

// String names the resource in messages.
func (r Resource) String() string {
	if r < numResources {
		return resourceTable[r].name
	}
	return fmt.Sprintf("resource %d", uint8(r))
}

// What a die keeps for itself.
const (
	zeroXn    = 0 // holds 0
	zeroGSA   = 0 // holds 0
	onesCKE   = 0 // holds all ones: the source of a notify
	loopback  = 0 // channel of moves inside the device
	betweenCh = 1 // channel to the other die; programs get one of their own
)

// BufferSize is the size of one buffer (MS) in bytes.
const BufferSize = 4096

// msNumber takes the die off the number of a buffer, which has it in bit 15.
const msNumber = 1<<15 - 1

// Capacity is how many of the resource a die of the chip has in all.
func Capacity(c *soc.CCU, r Resource) int {
	switch r {
	case Instructions:
		return c.Instructions
	case Missions:
		return c.Missions
	case Loops:
		return c.Loops
	case Variables:
		return c.Xn
	case Addresses:
		return c.GSA
	case Events:
		return c.CKE
	case Buffers:
		return c.MS
	case Channels:
		return c.Channels
	}
	return 0
}

// Block is a run of one resource.
type Block struct {
	First int
	N     int // as rounded up
}

// LimitError says that a die has not enough of something.
type LimitError struct {
	Resource Resource
	Need     int // rounded up to granules
	Usable   int // of a die, all of it
	Free     int
	Largest  int // free in one piece
}

// Error says what was needed and what there is.
func (e *LimitError) Error() string {
	if e.Need > e.Usable {
		return fmt.Sprintf("got a need of %d %v, want at most %d: a die has no more", e.Need, e.Resource, e.Usable)
	}
	s := fmt.Sprintf("got a need of %d %v in one piece, want at most %d", e.Need, e.Resource, e.Largest)
	if e.Largest < e.Free {
		return s + fmt.Sprintf(": of %d that the die has, %d are free, but not side by side", e.Usable, e.Free)
	}
	return s + fmt.Sprintf(": of %d that the die has, the others are in use", e.Usable)
}

// pool hands out runs of granules, the lowest that fits.
type pool struct {
	kind  Resource
	used  []bool
	taken map[int]int // first granule of a block -> granules
}

func newPool(r Resource, capacity int) *pool {
	g := resourceTable[r].granule
	p := &pool{kind: r, used: make([]bool, capacity/g), taken: map[int]int{}}
	for i := range min(resourceTable[r].reserved/g, len(p.used)) {
		p.used[i] = true
	}
	return p
}

func (p *pool) usable() int {
	t := &resourceTable[p.kind]
	return max(0, len(p.used)*t.granule-t.reserved)
}

// take finds room for n; the block is rounded up. A *LimitError says why not.
func (p *pool) take(n int) (Block, error) {
	g := resourceTable[p.kind].granule
	need := (n + g - 1) / g
	if need == 0 {
		return Block{}, nil
	}
	run, free, largest := 0, 0, 0
	for i, used := range p.used {
		if used {
			run = 0
			continue
		}
		free++
		run++
		largest = max(largest, run)
		if run == need {
			first := i + 1 - need
			for k := first; k <= i; k++ {
				p.used[k] = true
			}
			p.taken[first] = need
			return Block{first * g, need * g}, nil
		}
	}
	return Block{}, &LimitError{p.kind, need * g, p.usable(), free * g, largest * g}
}

// give takes a block back; false when it is none that was handed out.
func (p *pool) give(b Block) bool {
	g := resourceTable[p.kind].granule
	if b.N == 0 {
		return true
	}
	if b.First%g != 0 || p.taken[b.First/g]*g != b.N {
		return false
	}
	delete(p.taken, b.First/g)
	for i := range b.N / g {
		p.used[b.First/g+i] = false
	}
	return true
}

func (p *pool) free() int {
	n := 0
	for _, used := range p.used {
		if !used {
			n++
		}
	}
	return n * resourceTable[p.kind].granule
}
