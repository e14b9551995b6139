package device

import (
	"errors"
	"fmt"
	"math/bits"

	"hsim/host/ccu"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/soc"
	"hsim/host/topo"
)

// Errors of the resources of a device.
var (
	ErrNoStream = errors.New("no stream is left")
	ErrNoNotify = errors.New("no notify is left")
	ErrNoEvent  = errors.New("no event is left")
	ErrFull     = errors.New("the stream's queue is full")
	ErrStopped  = errors.New("the stream was stopped by a failure")
	ErrFreed    = errors.New("the stream is freed")
	ErrLost     = errors.New("the device is lost")
	ErrBusy     = errors.New("the stream has tasks left")
)

// Device is one chip (one die of a two-die package).
type Device struct {
	sys   *System
	index int
	node  topo.NodeID
	chip  *soc.Chip
	cost  costs
	label string
	lost  bool

	ids     idSet
	streams int

	events     idSet
	liveEvents int

	notifies   notifies
	notifyBase mem.Addr

	sdma, h2d, d2h channels

	overflow   mem.Overflow
	overflowed uint64

	kernels *kernel.Engine
	ccus    *ccu.Engine
	threads *cpuThreads
	dies    []*Die    // made at first use
	errands []*errand // idle ones
}

// System is the simulation's devices.
func (d *Device) System() *System { return d.sys }

// Index is the device's number in the cluster.
func (d *Device) Index() int { return d.index }

// Node is the device's node in the graph.
func (d *Device) Node() topo.NodeID { return d.node }

// Chip is the device's profile.
func (d *Device) Chip() *soc.Chip { return d.chip }

// SetLabel names who uses the device ("rank 3"), for reports.
func (d *Device) SetLabel(label string) { d.label = label }

// Name is "device 3", or "rank 3 / device 3" with a label.
func (d *Device) Name() string {
	if d.label == "" {
		return fmt.Sprintf("device %d", d.index)
	}
	return fmt.Sprintf("%s / device %d", d.label, d.index)
}

// StreamOptions say how a new stream behaves.
type StreamOptions struct {
	Class    Class
	Priority uint8
	Domain   *Domain // nil: the stream fails alone
	Hidden   bool    // of the system itself: takes no id and does not count
}

// NewStream takes the lowest free stream id. Error: ErrNoStream when the chip's
// limit is reached.
func (d *Device) NewStream(o StreamOptions) (*Stream, error) {
	id := -1
	if !o.Hidden {
		if d.chip.MaxStreams > 0 && d.streams >= d.chip.MaxStreams {
			return nil, fmt.Errorf("device: new stream of %s: %w: got %d live, want fewer than %d (free one first)",
				d.Name(), ErrNoStream, d.streams, d.chip.MaxStreams)
		}
		id = d.ids.take()
		d.streams++
	}
	s := &Stream{sys: d.sys, dev: d, id: id, class: o.Class, Priority: o.Priority, domain: o.Domain, target: noTarget}
	d.sys.place(s)
	if o.Domain != nil {
		o.Domain.streams = append(o.Domain.streams, s)
	}
	return s, nil
}

// Lose takes the device out of service: what its streams have left is dropped,
// each latches a fault, and nothing more can be pushed.
func (d *Device) Lose() {
	if d.lost {
		return
	}
	d.lost = true
	for _, s := range d.sys.streams {
		if s == nil || s.dev != d {
			continue
		}
		f := s.fault(CauseLost, ErrLost)
		s.Abort()
		s.latch(f)
	}
}

// Lost reports whether Lose was called.
func (d *Device) Lost() bool { return d.lost }

// FreeStreams is how many more streams can be made; -1 without a limit.
func (d *Device) FreeStreams() int {
	if d.chip.MaxStreams <= 0 {
		return -1
	}
	return d.chip.MaxStreams - d.streams
}

// Free gives an idle stream's id back. Errors: ErrBusy (Abort it first), ErrFreed.
func (d *Device) Free(s *Stream) error {
	switch {
	case s.freed:
		return fmt.Errorf("device: free %s: %w", s.Name(), ErrFreed)
	case s.Busy():
		return fmt.Errorf("device: free %s: %w", s.Name(), ErrBusy)
	}
	if s.id >= 0 {
		d.ids.give(s.id)
		d.streams--
	}
	if s.domain != nil {
		s.domain.remove(s)
	}
	s.freed = true
	d.sys.streams[s.slot] = nil
	d.sys.unused = append(d.sys.unused, s.slot)
	return nil
}

// AllocEvent takes the lowest free event register. Error: ErrNoEvent when the
// chip's limit is reached.
func (d *Device) AllocEvent() (int, error) {
	if d.chip.MaxEvents > 0 && d.liveEvents >= d.chip.MaxEvents {
		return 0, fmt.Errorf("device: new event of %s: %w: got %d live, want fewer than %d (free one first)",
			d.Name(), ErrNoEvent, d.liveEvents, d.chip.MaxEvents)
	}
	d.liveEvents++
	return d.events.take(), nil
}

// FreeEvent gives an event register back.
func (d *Device) FreeEvent(id int) error {
	if !d.events.has(id) {
		return fmt.Errorf("device: free event of %s: got %d, want an allocated one", d.Name(), id)
	}
	d.events.give(id)
	d.liveEvents--
	return nil
}

// place gives a stream its slot; the generation of a reused slot goes on, so
// that events of its former user are told apart.
func (y *System) place(s *Stream) {
	if n := len(y.unused); n > 0 {
		s.slot = y.unused[n-1]
		y.unused = y.unused[:n-1]
	} else {
		s.slot = int32(len(y.streams))
		y.streams = append(y.streams, nil)
	}
	y.births++
	s.gen = y.births
	y.streams[s.slot] = s
}

// idSet hands out the lowest free number.
type idSet struct {
	words []uint64
	from  int // no word before this one has a free bit
}

func (x *idSet) take() int {
	for i := x.from; i < len(x.words); i++ {
		if w := ^x.words[i]; w != 0 {
			b := bits.TrailingZeros64(w)
			x.words[i] |= 1 << b
			x.from = i
			return i*64 + b
		}
	}
	x.words = append(x.words, 1)
	x.from = len(x.words) - 1
	return x.from * 64
}

func (x *idSet) give(id int) {
	x.words[id/64] &^= 1 << (id % 64)
	x.from = min(x.from, id/64)
}

func (x *idSet) has(id int) bool {
	return id >= 0 && id/64 < len(x.words) && x.words[id/64]>>(id%64)&1 != 0
}
