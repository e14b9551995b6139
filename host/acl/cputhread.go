package acl

import (
	"hsim/host/device"
	"hsim/host/mem"
)

// cpuHandle is a thread or channel that AI CPU functions of a device may use.
type cpuHandle struct {
	dev    *device.Device
	handle uint64
}

// ExportThread lets AI CPU functions enqueue work on a stream: its handle is what
// they pass to the thread imports. Work of other threads records the notifies, by
// their place in the list; they are of the stream's device. Errors: StreamContext,
// InvalidHandle, ParamInvalid.
func (t *Thread) ExportThread(s *Stream, notifies ...*Notify) (uint64, error) {
	const call = "HcclThreadExportToCommEngine"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return 0, err
	}
	d := s.ctx.use.dev
	list, err := t.registers(call, d, notifies)
	if err != nil {
		return 0, err
	}
	h := d.AddThread(device.Thread{Stream: s.q, Notifies: list})
	t.p.cpuHandles = append(t.p.cpuHandles, cpuHandle{d, h})
	return h, nil
}

// registers are the addresses of notifies that a device waits for.
func (t *Thread) registers(call string, d *device.Device, notifies []*Notify) ([]mem.Addr, error) {
	var list []mem.Addr
	for _, n := range notifies {
		if err := t.notify(call, n); err != nil {
			return nil, err
		}
		if n.dev != d || n.hw.die != nil {
			return nil, fail(ParamInvalid, call, "notify %d is not a register of %s", n.id, d.Name())
		}
		list = append(list, n.addr)
	}
	return list, nil
}

// ConnectThreads makes a channel between two devices of the process for AI CPU
// functions: each end's handle, for functions on its device. The notifies of an
// end are those that its peer records, by their place in the list. Errors:
// InvalidDeviceID, InvalidHandle, ParamInvalid, LinkTypeNotSupported.
func (t *Thread) ConnectThreads(logic, peer int, near, far []*Notify) (here, there uint64, err error) {
	const call = "HcclChannelAcquire"
	if err := t.enter(call); err != nil {
		return 0, 0, err
	}
	u, v, err := t.pair(call, logic, peer)
	if err != nil {
		return 0, 0, err
	}
	ours, err := t.registers(call, u.dev, near)
	if err != nil {
		return 0, 0, err
	}
	theirs, err := t.registers(call, v.dev, far)
	if err != nil {
		return 0, 0, err
	}
	sys := t.p.rt.sys
	a, err := sys.Connect(u.dev, v.dev)
	if err != nil {
		return 0, 0, wrap(LinkTypeNotSupported, call, err)
	}
	b, err := sys.Connect(v.dev, u.dev)
	if err != nil {
		return 0, 0, wrap(LinkTypeNotSupported, call, err)
	}
	here = u.dev.AddChannel(device.Channel{Conn: a, Local: ours, Remote: theirs})
	there = v.dev.AddChannel(device.Channel{Conn: b, Local: theirs, Remote: ours})
	t.p.cpuHandles = append(t.p.cpuHandles, cpuHandle{u.dev, here}, cpuHandle{v.dev, there})
	return here, there, nil
}

// RemoveThread ends ExportThread or one end of ConnectThreads. InvalidHandle for a
// number that the process does not have.
func (t *Thread) RemoveThread(handle uint64) error {
	const call = "HcclThreadRelease"
	if err := t.enter(call); err != nil {
		return err
	}
	for i, c := range t.p.cpuHandles {
		if c.handle == handle {
			c.dev.Remove(handle)
			t.p.cpuHandles = append(t.p.cpuHandles[:i], t.p.cpuHandles[i+1:]...)
			return nil
		}
	}
	return fail(InvalidHandle, call, "got thread %#x, which %s does not have", handle, t.p.name)
}
