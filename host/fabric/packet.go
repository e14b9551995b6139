package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// Ref names a packet in flight; it is valid until the packet is delivered,
// dropped or freed.
type Ref uint32

// Packet is a packet or a train of NPkts packets that travel together. The
// fields up to Net are read by the fabric when it is sent; the others belong to
// the transport and pass through unread.
type Packet struct {
	Dst     topo.NodeID
	Entropy uint32 // what switches hash to pick among equal-cost ports
	Wire    uint32 // bytes of the whole train with headers
	NPkts   uint32
	Marked  uint32
	Flags   uint16
	Kind    uint8
	Lane    uint8
	Net     uint8 // set of routes

	SrcConn int32
	DstConn int32
	WR      uint32
	MSN     uint32
	PSN     uint32
	Payload uint32
	Offset  int64
	SentAt  sim.Time
	CC      [4]uint32
	_       [40]byte // two cache lines
}

// Flags read by the fabric; the numbers are those of the transport ABI.
const (
	FlagSpray   = 8  // switches may pick a path per packet
	FlagCorrupt = 16 // set by a corrupting link
)

const (
	slabBits = 10
	slabSize = 1 << slabBits
)

// slab holds packets in pages that never move, so that a *Packet stays valid
// while other packets come and go.
type slab struct {
	pages []*[slabSize]Packet
	free  []Ref
	used  int
}

func (s *slab) at(r Ref) *Packet { return &s.pages[r>>slabBits][r&(slabSize-1)] }

func (s *slab) get() (Ref, *Packet) {
	if len(s.free) == 0 {
		base := Ref(len(s.pages) << slabBits)
		s.pages = append(s.pages, new([slabSize]Packet))
		for i := slabSize - 1; i >= 0; i-- {
			s.free = append(s.free, base+Ref(i))
		}
	}
	r := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.used++
	return r, s.at(r)
}

func (s *slab) put(r Ref) {
	s.free = append(s.free, r)
	s.used--
}
