package acl

import (
	"hsim/host/device"
	"hsim/host/topo"
)

func (t *Thread) use(call string, logic int) (*deviceUse, error) {
	if logic < 0 || logic >= len(t.p.uses) {
		return nil, fail(InvalidDeviceID, call, "got device %d, want 0..%d, the devices visible to %s", logic, len(t.p.uses)-1, t.p.name)
	}
	return t.p.uses[logic], nil
}

// GetDeviceCount is the number of visible devices.
func (t *Thread) GetDeviceCount() int {
	t.pay()
	return len(t.p.uses)
}

// SetDevice binds the thread to a device: the process's reference count goes
// up, the default context is made on first use, and becomes current.
func (t *Thread) SetDevice(logic int) error {
	t.pay()
	u, err := t.use("aclrtSetDevice", logic)
	if err != nil {
		return err
	}
	if u.primary == nil {
		c, err := t.newContext("aclrtSetDevice", u, true)
		if err != nil {
			return err
		}
		u.primary = c
	}
	u.refs++
	t.ctx = u.primary
	return nil
}

// ResetDevice takes one SetDevice back. The last one waits for the tasks of the
// default context and frees it with all its streams; explicit contexts cannot
// be used any more.
func (t *Thread) ResetDevice(logic int) error { return t.resetDevice("aclrtResetDevice", logic, false) }

// ResetDeviceForce is ResetDevice whatever the count.
func (t *Thread) ResetDeviceForce(logic int) error {
	return t.resetDevice("aclrtResetDeviceForce", logic, true)
}

func (t *Thread) resetDevice(call string, logic int, force bool) error {
	t.pay()
	u, err := t.use(call, logic)
	if err != nil {
		return err
	}
	if u.refs == 0 {
		return fail(ContextNull, call, "device %d is not set by %s", logic, t.p.name)
	}
	if u.refs--; u.refs > 0 && !force {
		return nil
	}
	u.refs = 0
	u.primary.drain(t.proc)
	u.primary = nil
	for len(u.contexts) > 0 {
		u.contexts[len(u.contexts)-1].release(true)
	}
	clear(u.peers)
	return nil
}

// GetDevice is the logic id of the device of the current context.
func (t *Thread) GetDevice() (int, error) {
	t.pay()
	c, err := t.context("aclrtGetDevice")
	if err != nil {
		return 0, err
	}
	return c.use.logic, nil
}

// GetSocName is the name of the chip of the current device, or of the first
// visible one.
func (t *Thread) GetSocName() string {
	t.pay()
	if t.ctx != nil {
		return t.ctx.use.dev.Chip().SocName
	}
	return t.p.chip().SocName
}

// GetLogicDevIdByPhyDevId maps a physical id to the process's logic id.
func (t *Thread) GetLogicDevIdByPhyDevId(physical int) (int, error) {
	t.pay()
	for _, u := range t.p.uses {
		if u.physical == physical {
			return u.logic, nil
		}
	}
	return 0, fail(InvalidDeviceID, "aclrtGetLogicDevIdByPhyDevId", "got physical device %d, which %s does not see", physical, t.p.name)
}

// GetPhyDevIdByLogicDevId maps a logic id to the physical id.
func (t *Thread) GetPhyDevIdByLogicDevId(logic int) (int, error) {
	t.pay()
	u, err := t.use("aclrtGetPhyDevIdByLogicDevId", logic)
	if err != nil {
		return 0, err
	}
	return u.physical, nil
}

// DeviceGetBareTgid is the pid that whitelists of IPC objects compare.
func (t *Thread) DeviceGetBareTgid() int {
	t.pay()
	return t.p.pid
}

// GetRunMode is 1 where the program runs on a host, 0 on the device's own CPU.
func (t *Thread) GetRunMode() int {
	t.pay()
	if g := t.p.rt.graph; g != nil && g.HostOf(t.p.uses[0].dev.Node()) == topo.None {
		return 0
	}
	return 1
}

// DeviceCanAccessPeer reports whether memory of the peer can be reached
// directly: two different devices of one scale-up domain.
func (t *Thread) DeviceCanAccessPeer(logic, peer int) (bool, error) {
	const call = "aclrtDeviceCanAccessPeer"
	t.pay()
	u, err := t.use(call, logic)
	if err != nil {
		return false, err
	}
	v, err := t.use(call, peer)
	if err != nil {
		return false, err
	}
	return t.p.rt.canReach(u.dev, v.dev), nil
}

func (r *Runtime) canReach(a, b *device.Device) bool {
	if r.graph == nil || a == b {
		return false
	}
	return r.graph.Protocol(a.Node(), b.Node()) == a.Chip().ScaleUp
}

// DeviceEnablePeerAccess lets the current device reach the peer's memory; the
// other direction is the peer's to enable. It holds for the whole process.
func (t *Thread) DeviceEnablePeerAccess(peer int, flags uint32) error {
	const call = "aclrtDeviceEnablePeerAccess"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return err
	}
	v, err := t.use(call, peer)
	if err != nil {
		return err
	}
	if flags != 0 {
		return fail(ParamInvalid, call, "got flags %d, want 0", flags)
	}
	if !t.p.rt.canReach(c.use.dev, v.dev) {
		return fail(ParamInvalid, call, "device %d cannot reach device %d (aclrtDeviceCanAccessPeer says 0)", c.use.logic, peer)
	}
	c.use.peers[v.dev.Index()] = true
	return nil
}

// DeviceDisablePeerAccess ends DeviceEnablePeerAccess.
func (t *Thread) DeviceDisablePeerAccess(peer int) error {
	const call = "aclrtDeviceDisablePeerAccess"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return err
	}
	v, err := t.use(call, peer)
	if err != nil {
		return err
	}
	if !c.use.peers[v.dev.Index()] {
		return fail(ParamInvalid, call, "access from device %d to device %d is not enabled", c.use.logic, peer)
	}
	delete(c.use.peers, v.dev.Index())
	return nil
}

// DevicePeerAccessStatus reports whether access in that direction is enabled;
// peer is a physical id, as in the header.
func (t *Thread) DevicePeerAccessStatus(logic, peer int) (bool, error) {
	const call = "aclrtDevicePeerAccessStatus"
	t.pay()
	u, err := t.use(call, logic)
	if err != nil {
		return false, err
	}
	for _, v := range t.p.uses {
		if v.physical == peer {
			return u.peers[v.dev.Index()], nil
		}
	}
	return false, fail(InvalidDeviceID, call, "got physical device %d, which %s does not see", peer, t.p.name)
}
