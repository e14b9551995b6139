package acl

import (
	"hsim/host/device"
	"hsim/host/soc"
)

// DeviceAttr is what GetDeviceInfo tells.
type DeviceAttr int

// The attributes of a device.
const (
	InfoAICPUs        DeviceAttr = 1
	InfoAICores       DeviceAttr = 101
	InfoCubeCores     DeviceAttr = 102
	InfoVectorCores   DeviceAttr = 201
	InfoWarpSize      DeviceAttr = 202
	InfoVectorThreads DeviceAttr = 203
	InfoLocalMemory   DeviceAttr = 204 // bytes of a vector core's memory
	InfoHBM           DeviceAttr = 301 // bytes
	InfoL2            DeviceAttr = 302 // bytes
	InfoSMP           DeviceAttr = 401
	InfoChip          DeviceAttr = 402 // number of the chip (package) in its server
	InfoSuperDevice   DeviceAttr = 403 // number in the superpod
	InfoSuperServer   DeviceAttr = 404
	InfoSuperPod      DeviceAttr = 405
	InfoPrivilege     DeviceAttr = 406
	InfoMainBoard     DeviceAttr = 407
	InfoVirtual       DeviceAttr = 501
)

// GetDeviceInfo reads an attribute. Errors: InvalidDeviceID, ParamInvalid for an
// unknown attribute, FeatureNotSupport for one that the chip or the cluster does
// not have.
func (t *Thread) GetDeviceInfo(logic int, a DeviceAttr) (int64, error) {
	const call = "aclrtGetDeviceInfo"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return 0, err
	}
	v, known, offered := t.p.rt.info(u.dev, a)
	switch {
	case !known:
		return 0, fail(ParamInvalid, call, "got attribute %d, want one of 1, 101, 102, 201 to 204, 301, 302, 401 to 407, 501", a)
	case !offered:
		return 0, fail(FeatureNotSupport, call, "attribute %d is not known of chip %s here", a, u.dev.Chip().Name)
	}
	return v, nil
}

func (r *Runtime) info(d *device.Device, a DeviceAttr) (v int64, known, offered bool) {
	c := d.Chip()
	server, index := r.placeOf(d)
	super := -1
	if r.graph != nil {
		super = int(r.graph.Nodes[d.Node()].Super)
	}
	switch a {
	case InfoAICPUs:
		return int64(c.AICPUs), true, true
	case InfoAICores, InfoCubeCores:
		return int64(c.CubeCores), true, true
	case InfoVectorCores:
		return int64(c.VectorCores), true, true
	case InfoLocalMemory:
		return c.LocalMemBytes, true, true
	case InfoHBM:
		return c.HBMBytes, true, true
	case InfoL2:
		return c.L2, true, true
	case InfoSMP, InfoPrivilege, InfoVirtual:
		return 0, true, true
	case InfoChip:
		return int64(index / perPackage(c)), true, true
	case InfoSuperDevice:
		return int64(r.SuperDeviceID(d)), true, super >= 0
	case InfoSuperServer:
		return int64(server), true, super >= 0
	case InfoSuperPod:
		return int64(super), true, super >= 0
	case InfoWarpSize, InfoVectorThreads, InfoMainBoard:
		return 0, true, false // no published figure
	}
	return 0, false, false
}

// perPackage is how many devices one package has.
func perPackage(c *soc.Chip) int {
	if c.Group(soc.Package) != nil {
		return 2
	}
	return 1
}

// SuperDeviceID is the number of a device in its superpod (sdid), by which other
// servers name it.
func (r *Runtime) SuperDeviceID(d *device.Device) int {
	if r.graph == nil {
		return d.Index()
	}
	super := r.graph.Nodes[d.Node()].Super
	id := 0
	for _, x := range r.sys.Devices() {
		if x == d {
			break
		}
		if r.graph.Nodes[x.Node()].Super == super {
			id++
		}
	}
	return id
}
