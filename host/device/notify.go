package device

import (
	"errors"
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
)

var errAborted = errors.New("the stream was aborted")

// notify is one register and the streams that wait for it, in wait order.
type notify struct {
	first, last *Stream
	by          int32 // slot + 1 of the stream that recorded it last, -1 for a remote write
	set         bool
}

// notifies are the registers of a device. Ids are dense, so one array that grows
// with the highest id in use is small and one cache miss away.
type notifies struct {
	regs  []notify
	limit int
	live  int
	ids   idSet
}

func (n *notifies) init(limit int) { n.limit = limit }

func (n *notifies) at(i int) *notify {
	if i >= len(n.regs) {
		n.grow(i)
	}
	return &n.regs[i]
}

func (n *notifies) grow(i int) {
	regs := make([]notify, min(n.limit, max(8, i+1, 2*len(n.regs))))
	copy(regs, n.regs)
	n.regs = regs
}

// AllocNotify takes the lowest free notify register, clears it and returns its
// number and address. Error: ErrNoNotify when the chip's limit is reached.
func (d *Device) AllocNotify() (int, mem.Addr, error) {
	n := &d.notifies
	if n.live >= n.limit {
		return 0, 0, fmt.Errorf("device: new notify of %s: %w: got %d live, want fewer than %d (free one first)",
			d.Name(), ErrNoNotify, n.live, n.limit)
	}
	id := n.ids.take()
	n.live++
	r := n.at(id)
	r.set, r.by = false, 0
	return id, d.NotifyAddr(id), nil
}

// FreeNotify gives a register back; the caller makes sure that no task uses it.
func (d *Device) FreeNotify(id int) error {
	if !d.notifies.ids.has(id) {
		return fmt.Errorf("device: free notify of %s: got %d, want an allocated one", d.Name(), id)
	}
	d.notifies.ids.give(id)
	d.notifies.live--
	return nil
}

// FreeNotifies is how many more notifies can be allocated.
func (d *Device) FreeNotifies() int { return d.notifies.limit - d.notifies.live }

// NotifyAddr is the address of register id.
func (d *Device) NotifyAddr(id int) mem.Addr { return d.notifyBase.Add(int64(id) * mem.RegisterSize) }

// NotifyID is the register at an address, ok only for one of this device.
func (d *Device) NotifyID(a mem.Addr) (id int, ok bool) {
	off := uint64(a) - uint64(d.notifyBase)
	id = int(off / mem.RegisterSize)
	return id, off%mem.RegisterSize == 0 && off/mem.RegisterSize < uint64(d.notifies.limit)
}

// NotifyValue reads register id: 0 or 1.
func (d *Device) NotifyValue(id int) uint64 { return d.ReadRegister(id) }

// WriteRegister implements mem.RegisterOwner: a write other than 0 records the
// notify, a 0 clears it.
func (d *Device) WriteRegister(index int, value uint64) {
	n := d.notifies.at(index)
	n.by = -1
	if r := d.sys.recorder; r != nil {
		n.by = r.slot + 1
	}
	if value == 0 {
		n.set = false
		return
	}
	if s := n.first; s != nil {
		if n.first = s.nextWait; n.first == nil {
			n.last = nil
		}
		s.nextWait = nil
		s.notified()
		return
	}
	n.set = true
}

// ReadRegister implements mem.RegisterOwner.
func (d *Device) ReadRegister(index int) uint64 {
	if index < len(d.notifies.regs) && d.notifies.regs[index].set {
		return 1
	}
	return 0
}

// recordNotify starts a KindNotifyRecord.
func (s *Stream) recordNotify(t *Task) {
	if _, ok := s.dev.NotifyID(t.Notify); !ok && t.Flags&FlagDirect == 0 {
		s.postNotify(t)
		return
	}
	before := s.sys.recorder
	s.sys.recorder = s
	err := s.sys.mem.WriteRegister(t.Notify, 1)
	s.sys.recorder = before
	if err != nil {
		s.pending = s.fault(CauseTask, err)
	}
}

// waitNotify starts a KindNotifyWait.
func (s *Stream) waitNotify(t *Task) {
	id, ok := s.dev.NotifyID(t.Notify)
	if !ok {
		s.pending = s.fault(CauseTask, fmt.Errorf("device: notify wait: got address %v, want a notify of %s", t.Notify, s.dev.Name()))
		return
	}
	n := s.dev.notifies.at(id)
	if n.set {
		n.set = false
		s.synced()
		return
	}
	if n.last == nil {
		n.first = s
	} else {
		n.last.nextWait = s
	}
	n.last = s
	s.state = stNotify
	s.since = s.sys.eng.Now()
	s.deadline = sim.Forever
	if t.Timeout > 0 {
		s.deadline = s.since.Add(t.Timeout)
		s.setTimer()
	}
}

// synced pays for a synchronising task whose notify is there.
func (s *Stream) synced() {
	s.state = stDone
	if cost := s.dev.cost.sync[s.class]; cost > 0 && s.cur.Flags&FlagNoSync == 0 {
		s.state = stBusy
		s.arm(s.sys.eng.Now().Add(cost))
	}
}

// notified goes on after the notify that the stream waits for was recorded.
func (s *Stream) notified() {
	s.synced()
	if s.state == stDone {
		s.sys.kick(s)
	}
}

// unwaitNotify takes the stream out of the notify's list.
func (s *Stream) unwaitNotify() {
	id, _ := s.dev.NotifyID(s.cur.Notify)
	n := s.dev.notifies.at(id)
	n.first, n.last = unlink(n.first, n.last, s)
}

func unlink(first, last, s *Stream) (*Stream, *Stream) {
	var before *Stream
	for t := first; t != nil; before, t = t, t.nextWait {
		if t != s {
			continue
		}
		if before == nil {
			first = t.nextWait
		} else {
			before.nextWait = t.nextWait
		}
		if last == s {
			last = before
		}
		break
	}
	s.nextWait = nil
	return first, last
}

// setTimer keeps at most one time-out event per stream under way in the common
// case: an event that comes too early sets the next one.
func (s *Stream) setTimer() {
	if s.timer == 0 || s.deadline < s.timer {
		s.timer = s.deadline
		s.sys.eng.Weak(s.deadline, s.sys.id, s.word(1))
	}
}

func (s *Stream) timerFired(now sim.Time) {
	if now >= s.timer {
		s.timer = 0
	}
	if s.state != stNotify && s.state != stOp || s.deadline == sim.Forever {
		return
	}
	if s.deadline > now {
		s.setTimer()
		return
	}
	if s.state == stOp {
		if a, ok := s.cur.Op.(aborter); ok {
			a.Abort(s, &s.cur)
		}
		if s.pending == nil {
			s.pending = s.fault(CauseTimeout, fmt.Errorf("device: %v did not end within %v", s.cur.Kind, s.cur.Timeout))
		}
		s.state = stDone
		s.sys.kick(s)
		return
	}
	id, _ := s.dev.NotifyID(s.cur.Notify)
	s.pending = s.fault(CauseNotify, fmt.Errorf("device: notify %d of %s was not recorded within %v", id, s.dev.Name(), s.cur.Timeout))
	s.unwaitNotify()
	s.state = stDone
	s.sys.kick(s)
}
