package fabric

import (
	"fmt"

	"hsim/host/sim"
)

// MaxLanes is the largest number of virtual lanes of a port.
const MaxLanes = 16

// Features are what the ports of a fabric do beyond sending in order of arrival
// from queues without end. With none of them on, the fabric decides the whole
// life of a packet at a port when it arrives there, which is fast; any one of
// them makes every port queue and choose. All of them are deterministic.
type Features struct {
	Lanes int // virtual lanes of a port, 1 to MaxLanes, 0 = 1
	// Quantum are the bytes a lane sends in a turn where lanes share a port by
	// deficit round robin. Lanes with 0 have strict priority: they come before all
	// others, the lowest number first.
	Quantum [MaxLanes]int32
	// Turns lets the ports that packets came in by take turns within a lane;
	// without it a lane sends in order of arrival.
	Turns   bool
	Credits Credits
	Pause   Pause
	Buffer  Buffer
	Mark    Mark
	// Allocation is the time a port takes to choose its next packet. It overlaps
	// with the transmission under way.
	Allocation sim.Time
	// Adaptive makes switches send packets that may be sprayed to the port with
	// the shortest queue.
	Adaptive bool
}

// Credits is credit-based flow control: a packet starts only when the other end
// has room for it, counted in cells for each lane.
type Credits struct {
	Cells  int32 // a lane's at the start, 0 = off
	Shared int32 // cells for all lanes of a port together, spent before a lane's own
	Flit   int32 // bytes, 0 = 20
	Flits  int32 // of a cell, 0 = 8
	// Grain is the number of cells that are returned together in a packet of
	// their own, 0 = 1. DataGrain, where not 0, are the cells that every packet
	// in the other direction brings back, if so many are owed.
	Grain, DataGrain int32
	// Frame are the bytes of the packet that returns grains. It goes before all
	// others in lane 0 and needs no credit. 0 = returns take no room on the wire.
	Frame int32
}

// Pause is priority flow control: a switch that holds too much of a port and
// lane stops that lane of the sender at the other end of the link.
type Pause struct {
	Lanes   uint16 // one bit each, 0 = off; these lanes lose nothing
	Off, On int64  // bytes at which a lane is stopped and may go on
	Dynamic bool   // stop at the share of the free buffer that Buffer.Alpha gives instead
	Below   int64  // dynamic: go on this many bytes below the share
}

// Buffer is the finite memory of a switch for packets that wait. What does not
// fit is dropped.
type Buffer struct {
	Reserve  int64 // bytes that every port and lane has to itself
	Shared   int64 // bytes that all of a switch share
	Headroom int64 // bytes of a port and lane for what arrives after a pause
	// Alpha bounds the part of the shared bytes that one port and lane may take
	// to what is free of them, shifted right by it.
	Alpha uint
}

// Mark is explicit congestion notification: packets that leave a queue longer
// than Kmin bytes are marked at random with a probability that grows to PmaxPPM
// at Kmax, and always beyond.
type Mark struct {
	Kmin, Kmax int64 // bytes, Kmax 0 = off
	PmaxPPM    int64
}

func (b Buffer) on() bool { return b.Reserve+b.Shared > 0 }

// trainLimit is the largest train, in bytes, that buffers and thresholds of a switch
// can be true to: a fraction of what they tell apart.
func (c *Features) trainLimit() uint32 {
	most := int64(0)
	switch {
	case c.Pause.Lanes != 0 && !c.Pause.Dynamic:
		most = max(c.Pause.Off-c.Pause.On, c.Pause.Off/8)
	case c.Buffer.on():
		most = max(c.Buffer.Reserve/8, c.Buffer.Shared>>(c.Buffer.Alpha+6))
	}
	if c.Mark.Kmax > 0 {
		if k := max((c.Mark.Kmax-c.Mark.Kmin)/4, 1); most == 0 || k < most {
			most = k
		}
	}
	return uint32(min(most, 1<<30))
}

// Queued says whether ports have to queue and choose.
func (c *Features) Queued() bool {
	return c.Lanes > 1 || c.Turns || c.Credits.Cells > 0 || c.Pause.Lanes != 0 || c.Buffer.on() || c.Mark.Kmax > 0 || c.Allocation > 0
}

// Check refuses values that make no sense, all of them named by their fields.
func (c *Features) Check() error {
	for _, x := range []struct {
		key       string
		got       int64
		low, high int64
	}{
		{"Lanes", int64(c.Lanes), 0, MaxLanes},
		{"Credits.Cells", int64(c.Credits.Cells), 0, 1 << 30},
		{"Credits.Shared", int64(c.Credits.Shared), 0, 1 << 30},
		{"Credits.Flit", int64(c.Credits.Flit), 0, 1 << 16},
		{"Credits.Flits", int64(c.Credits.Flits), 0, 128},
		{"Credits.Grain", int64(c.Credits.Grain), 0, max(1, int64(c.Credits.Cells))},
		{"Credits.DataGrain", int64(c.Credits.DataGrain), 0, max(1, int64(c.Credits.Cells))},
		{"Credits.Frame", int64(c.Credits.Frame), 0, 1 << 16},
		{"Pause.On", c.Pause.On, 0, c.Pause.Off},
		{"Pause.Below", c.Pause.Below, 0, 1 << 40},
		{"Buffer.Reserve", c.Buffer.Reserve, 0, 1 << 40},
		{"Buffer.Shared", c.Buffer.Shared, 0, 1 << 40},
		{"Buffer.Headroom", c.Buffer.Headroom, 0, 1 << 40},
		{"Buffer.Alpha", int64(c.Buffer.Alpha), 0, 32},
		{"Mark.Kmin", c.Mark.Kmin, 0, max(0, c.Mark.Kmax)},
		{"Mark.PmaxPPM", c.Mark.PmaxPPM, 0, 1_000_000},
		{"Allocation", int64(c.Allocation), 0, int64(sim.Second)},
	} {
		if x.got < x.low || x.got > x.high {
			return fmt.Errorf("fabric: %s: got %d, want %d to %d", x.key, x.got, x.low, x.high)
		}
	}
	for i, q := range c.Quantum {
		if q < 0 {
			return fmt.Errorf("fabric: Quantum[%d]: got %d, want bytes or 0", i, q)
		}
	}
	switch {
	case c.Pause.Lanes != 0 && c.Pause.Dynamic && c.Buffer.Shared == 0:
		return fmt.Errorf("fabric: Pause.Dynamic: got no Buffer.Shared, want the bytes to share (try fixed thresholds)")
	case c.Pause.Lanes != 0 && !c.Pause.Dynamic && c.Pause.Off == 0:
		return fmt.Errorf("fabric: Pause.Off: got 0, want the bytes at which a lane is stopped")
	case c.Pause.Lanes>>max(1, c.Lanes) != 0:
		return fmt.Errorf("fabric: Pause.Lanes: got %#x, want lanes below %d", c.Pause.Lanes, max(1, c.Lanes))
	}
	return nil
}
