package mem

import "fmt"

// Kind says how a range came to be.
type Kind uint8

const (
	// KindMalloc is memory allocated on a device.
	KindMalloc Kind = iota
	// KindHost is memory of a host: pinned, or a buffer of a process.
	KindHost
	// KindReserve is a reserved address range with a physical block mapped in.
	KindReserve
	// KindIPC is a block of another process, imported by key.
	KindIPC
	// KindFd is a block imported by a shareable handle.
	KindFd
	// KindRegistered is the device's address of registered host memory.
	KindRegistered
	// KindTs is memory of the task scheduler.
	KindTs
	// KindRegister is a bank of hardware registers.
	KindRegister
)

var kindNames = [...]string{"malloc", "host", "reserve", "ipc", "fd", "registered", "ts", "register"}

// String names the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Rights are the accesses a range or region grants.
type Rights uint8

const (
	// Readable memory may be read.
	Readable Rights = 1 << iota
	// Writable memory may be written and reduced into.
	Writable
	// ReadWrite is both.
	ReadWrite = Readable | Writable
)

// Range is one virtual range: what a program holds a pointer to.
type Range struct {
	Start  Addr
	Size   int64
	Block  BlockID
	Offset int64 // in the block
	Device int   // of the block
	Pid    int   // owner process
	Ctx    int   // context it was made in
	Kind   Kind
	Policy uint32
	Rights Rights
	Name   RangeName
	Freed  bool
}

// entry is a range as the access path sees it; freed entries stay as
// tombstones so that a late access is named.
type entry struct {
	block   *Block
	size    int64
	base    int64 // offset in the block
	rights  Rights
	kind    Kind
	freed   bool
	device  int32
	pid     int32
	ctx     int32
	policy  uint32
	blockID BlockID
	name    string
}

// Space is the memory of one simulation. It is used from one goroutine at a
// time, as the simulation itself runs.
type Space struct {
	data      Data
	ranges    []entry
	free      []int32 // freed range numbers, oldest first
	freeAt    int
	blocks    []*Block // index BlockID-1; nil when gone
	devices   map[int]*usage
	regions   regions
	nextWatch uint64
	observer  Observer
}

// Observer hears of blocks and ranges as they come and go, for the tables of
// who runs the simulation. It must not change the space.
type Observer interface {
	BlockMade(b *Block)
	BlockFreed(b *Block)
	RangeMade(r Range)
	RangeFreed(r Range)
}

// SetObserver sets who hears of blocks and ranges; nil for nobody.
func (s *Space) SetObserver(o Observer) { s.observer = o }

type usage struct{ capacity, used, peak int64 }

// NewSpace makes an empty space whose ordinary memory is real or phantom.
func NewSpace(data Data) *Space {
	return &Space{data: data, devices: map[int]*usage{}}
}

// Data tells what the ordinary memory of the space keeps.
func (s *Space) Data() Data { return s.data }

// SetCapacity sets a device's memory size in bytes; 0 means unlimited, the
// state of a device (and of Host) that was never set.
func (s *Space) SetCapacity(device int, bytes int64) { s.use(device).capacity = bytes }

// Usage tells a device's capacity (0 when unlimited), the bytes in use and the
// most there ever were.
func (s *Space) Usage(device int) (capacity, used, peak int64) {
	u := s.devices[device]
	if u == nil {
		return 0, 0, 0
	}
	return u.capacity, u.used, u.peak
}

func (s *Space) use(device int) *usage {
	u := s.devices[device]
	if u == nil {
		u = &usage{}
		s.devices[device] = u
	}
	return u
}

// Lookup describes the range that holds a, also when it was freed.
func (s *Space) Lookup(a Addr) (Range, bool) {
	i := a.index()
	if i < 0 || i >= len(s.ranges) {
		return Range{}, false
	}
	return s.describe(i), true
}

// DeviceOf gives the device number of the memory at a (Host for host memory);
// false when nothing is mapped there.
func (s *Space) DeviceOf(a Addr) (device int, ok bool) {
	i := a.index()
	if uint(i) >= uint(len(s.ranges)) || s.ranges[i].freed {
		return 0, false
	}
	return int(s.ranges[i].device), true
}

// OwnerOf gives the device of the memory at a and the process that it belongs to
// (0 for the system's); false when nothing is mapped there.
func (s *Space) OwnerOf(a Addr) (device, pid int, ok bool) {
	i := a.index()
	if uint(i) >= uint(len(s.ranges)) || s.ranges[i].freed {
		return 0, 0, false
	}
	return int(s.ranges[i].device), int(s.ranges[i].pid), true
}

func (s *Space) describe(i int) Range {
	e := &s.ranges[i]
	return Range{Start: makeAddr(i, 0), Size: e.size, Block: e.blockID, Offset: e.base, Device: int(e.device),
		Pid: int(e.pid), Ctx: int(e.ctx), Kind: e.kind, Policy: e.policy, Rights: e.rights,
		Name: RangeName{s, i}, Freed: e.freed}
}

// Ranges yields every range in address order, freed ones included.
func (s *Space) Ranges(yield func(Range) bool) {
	for i := range s.ranges {
		if !yield(s.describe(i)) {
			return
		}
	}
}

// Blocks yields the live blocks by number.
func (s *Space) Blocks(yield func(*Block) bool) {
	for _, b := range s.blocks {
		if b != nil && !yield(b) {
			return
		}
	}
}

// RangeName names a range in messages; it is put together when it is printed, for
// every call looks ranges up and few print them.
type RangeName struct {
	s *Space
	i int
}

// String is like "input (device 0)" in quotes, or "malloc range 3 (host)".
func (n RangeName) String() string {
	if n.s == nil {
		return "no range"
	}
	return n.s.rangeName(n.i)
}

func (s *Space) rangeName(i int) string {
	e := &s.ranges[i]
	where := fmt.Sprintf("device %d", e.device)
	if e.device == Host {
		where = "host"
	}
	if e.name != "" {
		return fmt.Sprintf("%q (%s)", e.name, where)
	}
	return fmt.Sprintf("%s range %d (%s)", e.kind, i+1, where)
}
