package device

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/units"
)

// channels are equal DMA channels and the streams that wait for one.
type channels struct {
	limited     bool
	free        int
	first, last *Stream
}

// startDMA starts a copy, reduce or fill on an SDMA channel.
func (s *Stream) startDMA(t *Task) {
	c := &s.dev.chip.SDMA
	rate := c.CopyRate
	if t.Kind == KindReduce || t.Kind == KindPeerReduce {
		rate = c.ReduceRate
	}
	s.occupy(&s.dev.sdma, c.Alpha, rate, t.Len)
}

// startHostCopy starts a copy over the host link, one at a time and direction.
func (s *Stream) startHostCopy(t *Task) {
	c := &s.dev.h2d
	if r, ok := s.sys.mem.Lookup(t.Dst); ok && r.Device == mem.Host {
		c = &s.dev.d2h
	}
	alpha := s.dev.cost.hostAlpha
	if t.Flags&FlagNoStart != 0 {
		alpha -= s.dev.chip.SDMA.Alpha
	}
	s.occupy(c, alpha, s.dev.cost.hostRate, t.Len)
}

// occupy takes a channel for alpha plus n bytes at the rate; a task that takes
// no time needs none.
func (s *Stream) occupy(c *channels, alpha sim.Time, rate units.Rate, n int64) {
	if n < 0 {
		s.pending = s.fault(CauseSDMA, fmt.Errorf("device: %v: got %d bytes, want 0 or more", s.cur.Kind, n))
		return
	}
	d := alpha
	if rate > 0 {
		d = d.Add(rate.Time(n))
	}
	if d == 0 {
		s.effect()
		return
	}
	s.dma = c
	s.deadline = d // until it has a channel: how long it takes
	if c.limited && c.free == 0 {
		s.state = stChannel
		s.since = s.sys.eng.Now()
		if c.last == nil {
			c.first = s
		} else {
			c.last.nextWait = s
		}
		c.last = s
		return
	}
	s.onChannel()
}

func (s *Stream) onChannel() {
	s.dma.free--
	s.state = stBusy
	s.arm(s.sys.eng.Now().Add(s.deadline))
}

// endDMA moves the bytes and passes the channel on.
func (s *Stream) endDMA() {
	c := s.dma
	s.dma = nil
	s.effect()
	c.release()
}

func (c *channels) release() {
	c.free++
	if s := c.first; s != nil {
		if c.first = s.nextWait; c.first == nil {
			c.last = nil
		}
		s.nextWait = nil
		s.onChannel()
	}
}

func (s *Stream) abortDMA() {
	c := s.dma
	s.dma = nil
	if s.state == stChannel {
		c.first, c.last = unlink(c.first, c.last, s)
		return
	}
	c.release()
}

// effect does the task's work on memory.
func (s *Stream) effect() {
	t := &s.cur
	if t.Len == 0 {
		return
	}
	var err error
	switch t.Kind {
	case KindReduce, KindPeerReduce:
		var over bool
		over, err = s.sys.mem.Reduce(t.Dst, t.Src, t.Len, t.Dtype, t.Red, s.dev.overflow)
		if over {
			s.dev.overflowed++
			s.Overflowed(EngineSDMA)
		}
	case KindFill:
		err = s.sys.mem.Fill(t.Dst, t.Len, byte(t.Value))
	default:
		err = s.sys.mem.Copy(t.Dst, t.Src, t.Len)
	}
	if err != nil {
		s.pending = s.fault(CauseSDMA, err)
	}
}

// Engine is a part of the device that computes.
type Engine uint8

// The engines that meet results outside a data type.
const (
	EngineSDMA Engine = iota
	EngineCube
	EngineVector
	EngineCPU
)

// Overflowed tells the system's listeners that a task of the stream had a result
// outside its data type.
func (s *Stream) Overflowed(e Engine) {
	for _, hear := range s.sys.onOver {
		hear(s, e)
	}
}

// SetOverflow sets what reductions of the device do with results outside their
// type; the start value follows the chip (Int8Saturate).
func (d *Device) SetOverflow(o mem.Overflow) {
	d.overflow = o
	if d.kernels != nil {
		d.kernels.SetOverflow(o)
	}
	if d.ccus != nil {
		d.ccus.SetOverflow(o)
	}
}

// Overflow is what SetOverflow set.
func (d *Device) Overflow() mem.Overflow { return d.overflow }

// Overflows counts reductions with a result outside its type.
func (d *Device) Overflows() uint64 { return d.overflowed }
