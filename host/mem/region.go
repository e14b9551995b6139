package mem

import "fmt"

// Access is what a registered region grants; the numbers are those of verbs.
type Access uint8

const (
	// LocalWrite lets the owner's NIC write the region.
	LocalWrite Access = 1 << iota
	// RemoteWrite lets a peer write it.
	RemoteWrite
	// RemoteRead lets a peer read it.
	RemoteRead
	// RemoteAtomic lets a peer do atomics and reductions in it.
	RemoteAtomic
)

// String lists the granted rights.
func (a Access) String() string {
	s := ""
	for i, name := range [...]string{"local-write", "remote-write", "remote-read", "remote-atomic"} {
		if a&(1<<i) != 0 {
			if s != "" {
				s += "|"
			}
			s += name
		}
	}
	if s == "" {
		return "read-only"
	}
	return s
}

// RegionSpec is what a region is registered from.
type RegionSpec struct {
	Device int // whose NIC uses the keys
	Addr   Addr
	Len    int64
	Access Access
	Pid    int
}

// Region is registered memory with its keys. LKey serves the owner's own work
// requests, RKey those of its peers; both are unique in the simulation.
type Region struct {
	RegionSpec
	LKey, RKey uint32
}

// A key is generation (8 bits) | slot (23 bits) | 1 for remote. Slots are reused
// oldest first and with a new generation, so a stale key fails for long.
const (
	slotBits = 23
	slotMask = 1<<slotBits - 1
	maxSlots = 1<<slotBits - 1
)

type slot struct {
	region Region
	gen    uint8
	live   bool
}

type regions struct {
	slots  []slot
	free   []int32
	freeAt int
}

const keyQuarantine = 1024

// RegisterRegion registers memory for a NIC. The range must be mapped now, with
// the rights that the access bits need. Remote writes and atomics need
// LocalWrite too, as verbs demand (ErrArgument).
func (s *Space) RegisterRegion(spec RegionSpec) (Region, error) {
	if spec.Len < 1 {
		return Region{}, fmt.Errorf("mem: register region at %s: %w: got length %d, want at least 1", spec.Addr, ErrArgument, spec.Len)
	}
	if spec.Access&(RemoteWrite|RemoteAtomic) != 0 && spec.Access&LocalWrite == 0 {
		return Region{}, fmt.Errorf("mem: register region at %s: %w: got access %v, want local-write with it", spec.Addr, ErrArgument, spec.Access)
	}
	need := Readable
	if spec.Access&LocalWrite != 0 {
		need = ReadWrite
	}
	if _, _, err := s.find("register region", spec.Addr, spec.Len, need); err != nil {
		return Region{}, err
	}
	r := &s.regions
	i := len(r.slots)
	switch {
	case len(r.free)-r.freeAt > keyQuarantine || (i >= maxSlots && r.freeAt < len(r.free)):
		i = int(r.free[r.freeAt])
		if r.freeAt++; r.freeAt > keyQuarantine {
			r.free = append(r.free[:0], r.free[r.freeAt:]...)
			r.freeAt = 0
		}
	case i >= maxSlots:
		return Region{}, fmt.Errorf("mem: register region: %w: all %d keys are in use", ErrOutOfMemory, maxSlots)
	default:
		r.slots = append(r.slots, slot{gen: 1})
	}
	sl := &r.slots[i]
	key := uint32(sl.gen)<<(slotBits+1) | uint32(i)<<1
	sl.live = true
	sl.region = Region{RegionSpec: spec, LKey: key, RKey: key | 1}
	return sl.region, nil
}

// Deregister ends the region of either of its keys; a later use of them is
// ErrKey.
func (s *Space) Deregister(key uint32) error {
	sl := s.slot(key)
	if sl == nil {
		return s.keyFault("deregister", key, 0, 0, "key is unknown or was deregistered")
	}
	sl.live = false
	if sl.gen++; sl.gen == 0 {
		sl.gen = 1
	}
	s.regions.free = append(s.regions.free, int32(key>>1&slotMask))
	return nil
}

// Region finds the region of either of its keys.
func (s *Space) Region(key uint32) (Region, bool) {
	if sl := s.slot(key); sl != nil {
		return sl.region, true
	}
	return Region{}, false
}

// Regions yields the live regions by slot.
func (s *Space) Regions(yield func(Region) bool) {
	for i := range s.regions.slots {
		if sl := &s.regions.slots[i]; sl.live && !yield(sl.region) {
			return
		}
	}
}

// CheckKey holds that a key covers n bytes from a with the access bits. Remote
// bits need the remote key, LocalWrite (or none, to read) the local one. The
// memory behind it is checked by the access itself. It allocates only to fail.
func (s *Space) CheckKey(key uint32, a Addr, n int64, access Access) error {
	sl := s.slot(key)
	if sl != nil {
		r := &sl.region
		off := int64(a - r.Addr)
		if a >= r.Addr && n >= 0 && off <= r.Len && n <= r.Len-off && r.Access&access == access &&
			(key&1 != 0) == (access&^LocalWrite != 0) {
			return nil
		}
	}
	return s.diagnoseKey(key, a, n, access, sl)
}

func (s *Space) diagnoseKey(key uint32, a Addr, n int64, access Access, sl *slot) error {
	if sl == nil {
		return s.keyFault("check key", key, a, n, "key is unknown or was deregistered")
	}
	r := &sl.region
	switch {
	case r.Access&access != access:
		return s.keyFault("check key", key, a, n, fmt.Sprintf("region grants %v, want %v", r.Access, access))
	case (key&1 != 0) != (access&^LocalWrite != 0):
		return s.keyFault("check key", key, a, n, "local key used for a remote access, or the reverse")
	}
	return s.keyFault("check key", key, a, n, fmt.Sprintf("region is %s, %d bytes", r.Addr, r.Len))
}

func (s *Space) slot(key uint32) *slot {
	i := int(key >> 1 & slotMask)
	if i < len(s.regions.slots) {
		if sl := &s.regions.slots[i]; sl.live && sl.gen == uint8(key>>(slotBits+1)) {
			return sl
		}
	}
	return nil
}

func (s *Space) keyFault(op string, key uint32, a Addr, n int64, why string) error {
	return s.fault(op, a, n, ErrKey, fmt.Sprintf("key 0x%08x: %s", key, why))
}
