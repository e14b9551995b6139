package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
)

// MemcpyKind is the direction of a copy.
type MemcpyKind int

// The kinds.
const (
	HostToHost         MemcpyKind = 0
	HostToDevice       MemcpyKind = 1
	DeviceToHost       MemcpyKind = 2
	DeviceToDevice     MemcpyKind = 3
	MemcpyDefault      MemcpyKind = 4 // by the addresses
	HostToBufToDevice  MemcpyKind = 5 // as HostToDevice, from pageable memory
	InnerDeviceCopy    MemcpyKind = 6 // within one device
	InterDevicesMemcpy MemcpyKind = 7 // between two devices
)

var memcpyNames = [...]string{"host to host", "host to device", "device to host", "device to device", "default",
	"host to buffer to device", "inner device", "inter device"}

// String names the kind.
func (k MemcpyKind) String() string {
	if k >= 0 && int(k) < len(memcpyNames) {
		return memcpyNames[k]
	}
	return "unknown"
}

// fits says whether a kind goes with two locations.
func (k MemcpyKind) fits(dst, src Location) bool {
	switch k {
	case HostToHost:
		return dst == LocationHost && src == LocationHost
	case HostToDevice, HostToBufToDevice:
		return dst == LocationDevice && src == LocationHost
	case DeviceToHost:
		return dst == LocationHost && src == LocationDevice
	case DeviceToDevice, InnerDeviceCopy, InterDevicesMemcpy:
		return dst == LocationDevice && src == LocationDevice
	}
	return k == MemcpyDefault
}

func kindOf(dst, src Location) MemcpyKind {
	switch {
	case dst == LocationHost && src == LocationHost:
		return HostToHost
	case src == LocationHost:
		return HostToDevice
	case dst == LocationHost:
		return DeviceToHost
	}
	return DeviceToDevice
}

// Memcpy copies count bytes and waits for it. destMax is the room at dst.
// ParamInvalid, naming what is wrong, when count is 0 or more than destMax, a
// range does not hold count bytes, or the kind does not fit the locations;
// NoPermission for a peer's memory without peer access.
func (t *Thread) Memcpy(dst mem.Addr, destMax int64, src mem.Addr, count int64, kind MemcpyKind) error {
	const call = "aclrtMemcpy"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	if err := t.unsafe(call); err != nil {
		return err
	}
	task, kind, err := t.checkCopy(call, c.use, dst, destMax, src, count, kind)
	if err != nil {
		return err
	}
	if kind == HostToHost {
		return t.done(call, t.p.rt.mem.Copy(dst, src, count))
	}
	return t.hidden(call, c.use, &task)
}

// MemcpyAsync queues a copy, with the checks of Memcpy made at once.
func (t *Thread) MemcpyAsync(dst mem.Addr, destMax int64, src mem.Addr, count int64, kind MemcpyKind, s *Stream) error {
	const call = "aclrtMemcpyAsync"
	s, err := t.copyStream(call, s)
	if err != nil {
		return err
	}
	task, kind, err := t.checkCopy(call, s.ctx.use, dst, destMax, src, count, kind)
	if err != nil {
		return err
	}
	return t.push(call, s, &task, &TaskRow{Type: TypeMemcpy, What: kind.String(), Dst: dst, Src: src, Size: count})
}

// checkCopy makes the task of a copy that runs on the device of u.
func (t *Thread) checkCopy(call string, u *deviceUse, dst mem.Addr, destMax int64, src mem.Addr, count int64, kind MemcpyKind) (device.Task, MemcpyKind, error) {
	task := device.Task{Kind: device.KindCopy, Dst: dst, Src: src, Len: count}
	if kind < HostToHost || kind > InterDevicesMemcpy {
		return task, kind, fail(ParamInvalid, call, "got kind %d, want 0 to 7", kind)
	}
	if count <= 0 || destMax < count {
		return task, kind, fail(ParamInvalid, call, "got count %d and destMax %d, want 1 <= count <= destMax", count, destMax)
	}
	to, dstLoc := t.locate(dst)
	from, srcLoc := t.locate(src)
	if !kind.fits(dstLoc, srcLoc) {
		return task, kind, fail(ParamInvalid, call, "EE1001 src loc type=%d (%v), dst loc type=%d (%v), kind=%d (%v) is invalid%s",
			srcLoc, srcLoc, dstLoc, dstLoc, kind, kind, advice(dstLoc, srcLoc))
	}
	if err := t.checkRange(call, "dst", dst, count, to, dstLoc, mem.Writable); err != nil {
		return task, kind, err
	}
	if err := t.checkRange(call, "src", src, count, from, srcLoc, mem.Readable); err != nil {
		return task, kind, err
	}
	same := to.Device == from.Device
	switch {
	case kind == InnerDeviceCopy && !same:
		return task, kind, fail(ParamInvalid, call, "dst is on device %d and src on device %d, kind=%d (%v) is invalid", to.Device, from.Device, kind, kind)
	case kind == InterDevicesMemcpy && same:
		return task, kind, fail(ParamInvalid, call, "dst and src are both on device %d, kind=%d (%v) is invalid", to.Device, kind, kind)
	}
	if kind == MemcpyDefault {
		kind = kindOf(dstLoc, srcLoc)
	}
	if err := t.peerRights(call, u, "dst", dst, to, dstLoc); err != nil {
		return task, kind, err
	}
	if err := t.peerRights(call, u, "src", src, from, srcLoc); err != nil {
		return task, kind, err
	}
	switch {
	case dstLoc == LocationHost || srcLoc == LocationHost:
		task.Kind = device.KindHostCopy
	case !same || to.Device != u.dev.Index():
		task.Kind = device.KindPeerCopy
	}
	return task, kind, nil
}

func advice(dst, src Location) string {
	if dst == LocationUnregistered || src == LocationUnregistered {
		return " (an address is not allocated)"
	}
	k := kindOf(dst, src)
	return fmt.Sprintf(" (try kind %d, %v)", k, k)
}

// peerRights holds that the device of u may reach the memory.
func (t *Thread) peerRights(call string, u *deviceUse, side string, a mem.Addr, r mem.Range, loc Location) error {
	if loc != LocationDevice || r.Device == u.dev.Index() || u.peers[r.Device] != nil || t.p.mayReach(u.dev.Index(), a, r) {
		return nil
	}
	return fail(NoPermission, call, "%s %v is on device %d, which device %d may not access (call aclrtDeviceEnablePeerAccess first)",
		side, a, r.Device, u.dev.Index())
}

// mayReach says whether memory of another device is open to the device beside
// peer access: imported with it, or granted by MemSetAccess.
func (p *Process) mayReach(device int, a mem.Addr, r mem.Range) bool {
	switch r.Kind {
	case mem.KindIPC:
		x := p.importOf(a)
		return x != nil && x.peer
	case mem.KindReserve:
		v := p.reserved[r.Start]
		return p.granted(device, a) || v != nil && v.imported && v.device != nil && v.device.dev.Index() == device
	}
	return false
}

// hidden runs a task of a synchronous call on the thread's own queue of the
// driver and waits for it.
func (t *Thread) hidden(call string, u *deviceUse, task *device.Task) error {
	q := t.copies[u]
	if q == nil {
		var err error
		if q, err = u.dev.NewStream(device.StreamOptions{Hidden: true}); err != nil {
			return resource(call, err)
		}
		if t.copies == nil {
			t.copies = map[*deviceUse]*device.Stream{}
		}
		t.copies[u] = q
		u.queues = append(u.queues, q)
	}
	task.Flags |= device.FlagQuiet
	if err := q.Push(task); err != nil {
		return resource(call, err)
	}
	q.Drain(t.proc)
	if t.copies[u] != q { // another thread has ended the runtime's use of the device
		return fail(DeviceTaskAbort, call, "%s has given its devices back meanwhile", t.p.name)
	}
	f := q.Err()
	if f == nil {
		return nil
	}
	q.ClearErr()
	return wrap(FaultCode(f, u.dev), call, f)
}
