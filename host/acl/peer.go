package acl

import (
	"slices"

	"hsim/host/device"
	"hsim/host/soc"
	"hsim/host/topo"
)

// TopoKind is how two devices are joined: the bits of aclrtGetDevicesTopo.
type TopoKind uint64

// The kinds of connection.
const (
	TopoHCCS       TopoKind = 0x01 // a scale-up link
	TopoPIX        TopoKind = 0x02 // one PCIe switch
	TopoPIB        TopoKind = 0x04 // several PCIe switches; reserved
	TopoPHB        TopoKind = 0x08 // PCIe through the host's bridge
	TopoSYS        TopoKind = 0x10 // PCIe through several hosts' bridges
	TopoSIO        TopoKind = 0x20 // two dies of a package
	TopoHCCSSwitch TopoKind = 0x40 // scale-up through switches
)

// peerLink is the permission of a process's device to reach another one.
type peerLink struct {
	object
	p        *Process
	src, dst *device.Device
	kind     TopoKind
}

// GetDevicesTopo is how two devices are joined; 0 for a device and itself.
func (t *Thread) GetDevicesTopo(logic, other int) (TopoKind, error) {
	const call = "aclrtGetDevicesTopo"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return 0, err
	}
	v, err := t.use(call, other)
	if err != nil {
		return 0, err
	}
	return t.p.rt.topoKind(u.dev, v.dev), nil
}

func (r *Runtime) topoKind(a, b *device.Device) TopoKind {
	g := r.graph
	switch {
	case a == b:
		return 0
	case g == nil:
		return TopoPHB
	}
	for _, p := range g.NodePorts(a.Node()) {
		if g.PeerNode(p) != b.Node() {
			continue
		}
		if roleOf(a.Chip(), &g.Ports[p]) == soc.Package {
			return TopoSIO
		}
		if g.LinkOf(p).Protocols.Has(a.Chip().ScaleUp) {
			return TopoHCCS
		}
	}
	if g.Reachable(a.Node(), b.Node(), a.Chip().ScaleUp) {
		return TopoHCCSSwitch
	}
	ha, hb := g.HostOf(a.Node()), g.HostOf(b.Node())
	if ha != topo.None && ha == hb {
		return TopoPHB
	}
	return TopoSYS
}

// roleOf is what a device's port is wired for.
func roleOf(c *soc.Chip, p *topo.Port) soc.Role {
	for i := range c.Ports {
		g := &c.Ports[i]
		if g.Die == int(p.Die) && int(p.Index) >= g.First && int(p.Index) < g.First+g.Count {
			return g.Role
		}
	}
	return soc.Direct
}

// pair resolves a device and another one of the process.
func (t *Thread) pair(call string, logic, peer int) (u, v *deviceUse, err error) {
	if u, err = t.use(call, logic); err != nil {
		return nil, nil, err
	}
	if v, err = t.use(call, peer); err != nil {
		return nil, nil, err
	}
	if u == v {
		return nil, nil, fail(InvalidDeviceID, call, "got device %d twice, want two devices", logic)
	}
	return u, v, nil
}

// DeviceCanAccessPeer reports whether memory of the peer can be reached
// directly: two different devices of one scale-up domain.
func (t *Thread) DeviceCanAccessPeer(logic, peer int) (bool, error) {
	const call = "aclrtDeviceCanAccessPeer"
	if err := t.enter(call); err != nil {
		return false, err
	}
	u, v, err := t.pair(call, logic, peer)
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
// Errors: ContextNull, InvalidDeviceID, ParamInvalid for flags, FeatureNotSupport
// when nothing joins the devices.
func (t *Thread) DeviceEnablePeerAccess(peer int, flags uint32) error {
	const call = "aclrtDeviceEnablePeerAccess"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	_, v, err := t.pair(call, c.use.logic, peer)
	if err != nil {
		return err
	}
	if flags != 0 {
		return fail(ParamInvalid, call, "got flags %d, want 0", flags)
	}
	if !t.p.rt.canReach(c.use.dev, v.dev) {
		return fail(FeatureNotSupport, call, "device %d cannot reach device %d (aclrtDeviceCanAccessPeer says 0)", c.use.logic, peer)
	}
	t.p.connect(c.use, v.dev)
	return nil
}

func (p *Process) connect(u *deviceUse, to *device.Device) {
	if u.peers[to.Index()] == nil {
		l := &peerLink{p: p, src: u.dev, dst: to, kind: p.rt.topoKind(u.dev, to)}
		p.rt.links.add(l, p.rt.now())
		u.peers[to.Index()] = l
	}
}

// disconnect takes all peer access of the device away, in order of the peers.
func (u *deviceUse) disconnect() {
	var all []int
	for i := range u.peers {
		all = append(all, i)
	}
	slices.Sort(all)
	for _, i := range all {
		u.cut(i)
	}
}

func (u *deviceUse) cut(peer int) {
	l := u.peers[peer]
	l.p.rt.links.end(l, l.p.rt.now())
	delete(u.peers, peer)
}

// DeviceDisablePeerAccess ends DeviceEnablePeerAccess. Errors: ContextNull,
// InvalidDeviceID, ParamInvalid when access was not enabled.
func (t *Thread) DeviceDisablePeerAccess(peer int) error {
	const call = "aclrtDeviceDisablePeerAccess"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	_, v, err := t.pair(call, c.use.logic, peer)
	if err != nil {
		return err
	}
	if c.use.peers[v.dev.Index()] == nil {
		return fail(ParamInvalid, call, "access from device %d to device %d is not enabled", c.use.logic, peer)
	}
	c.use.cut(v.dev.Index())
	return nil
}

// DevicePeerAccessStatus reports whether access in that direction is enabled;
// peer is a physical id, as in the header.
func (t *Thread) DevicePeerAccessStatus(logic, peer int) (bool, error) {
	const call = "aclrtDevicePeerAccessStatus"
	if err := t.enter(call); err != nil {
		return false, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return false, err
	}
	for _, v := range t.p.uses {
		if v.physical == peer {
			return u.peers[v.dev.Index()] != nil, nil
		}
	}
	return false, fail(InvalidDeviceID, call, "got physical device %d, which %s does not see", peer, t.p.name)
}
