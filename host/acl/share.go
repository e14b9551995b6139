package acl

import (
	"encoding/binary"
	"fmt"
	"slices"

	"hsim/host/device"
)

// FabricHandle names physical memory across servers: 128 bytes.
type FabricHandle [128]byte

// ShareNoPidCheck is the export flag by which any process may import.
const ShareNoPidCheck = 1

// shareable is physical memory that other processes may import: the seed's fd.
type shareable struct {
	object
	fd      uint64
	fabric  FabricHandle
	across  bool // by fabric handle
	of      *PhysHandle
	pids    whitelist
	peers   map[int]whitelist // by the importer's sdid, of fabric handles
	noCheck bool
}

func (s *shareable) close() {
	r := s.of.p.rt
	delete(r.fds, s.fd)
	delete(r.fabric, s.fabric)
	r.shares.end(s, r.now())
	s.of.share = nil
}

// firstFd keeps the numbers of shareable handles apart from small ones.
const firstFd = 0x1000

// MemExportToShareableHandle makes physical memory importable by other processes
// of the server and returns its number, the same at every call. handleType is 0,
// flags 0 or ShareNoPidCheck. Errors: InvalidHandle, ParamInvalid, also for
// imported memory.
func (t *Thread) MemExportToShareableHandle(h *PhysHandle, handleType int, flags uint64) (uint64, error) {
	const call = "aclrtMemExportToShareableHandle"
	s, err := t.export(call, h, handleType, flags)
	if err != nil {
		return 0, err
	}
	return s.fd, nil
}

// MemExportToFabricHandle is MemExportToShareableHandle for processes of other
// servers too (aclrtMemExportToShareableHandleV2 with the fabric type).
func (t *Thread) MemExportToFabricHandle(h *PhysHandle, flags uint64) (FabricHandle, error) {
	const call = "aclrtMemExportToShareableHandleV2"
	s, err := t.export(call, h, 0, flags)
	if err != nil {
		return FabricHandle{}, err
	}
	if !s.across {
		s.across = true
		binary.LittleEndian.PutUint64(s.fabric[:], s.fd)
		binary.LittleEndian.PutUint64(s.fabric[8:], uint64(t.p.rt.SuperDeviceID(h.use.dev)))
		copy(s.fabric[16:], fmt.Sprintf("memory %d of process %d", h.id, t.p.pid))
		t.p.rt.fabric[s.fabric] = s
	}
	return s.fabric, nil
}

func (t *Thread) export(call string, h *PhysHandle, handleType int, flags uint64) (*shareable, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if err := t.physical(call, h); err != nil {
		return nil, err
	}
	switch {
	case handleType != 0:
		return nil, fail(ParamInvalid, call, "got handle type %d, want 0", handleType)
	case flags > ShareNoPidCheck:
		return nil, fail(ParamInvalid, call, "got flags %d, want 0 or 1", flags)
	case h.remote != nil:
		return nil, fail(ParamInvalid, call, "%v was imported: its owner exports it", h)
	}
	r := t.p.rt
	if h.share == nil {
		s := &shareable{fd: firstFd + r.nextFd, of: h, peers: map[int]whitelist{}}
		r.nextFd++
		r.fds[s.fd] = s
		r.shares.add(s, r.now())
		h.share = s
	}
	h.share.noCheck = h.share.noCheck || flags == ShareNoPidCheck
	return h.share, nil
}

// MemSetPidToShareableHandle lets processes import. Errors: ParamInvalid for an
// unknown number and for no pid, NoPermission for a process that did not export.
func (t *Thread) MemSetPidToShareableHandle(fd uint64, pids ...int) error {
	const call = "aclrtMemSetPidToShareableHandle"
	if err := t.enter(call); err != nil {
		return err
	}
	s := t.p.rt.fds[fd]
	if err := t.mayList(call, s, len(pids)); err != nil {
		return err
	}
	s.pids.add(pids)
	return nil
}

// MemSetPidToFabricHandle lets processes on the device sdid import.
func (t *Thread) MemSetPidToFabricHandle(f FabricHandle, sdid int, pids ...int) error {
	const call = "aclrtMemSetPidToShareableHandleV2"
	if err := t.enter(call); err != nil {
		return err
	}
	s := t.p.rt.fabric[f]
	if err := t.mayList(call, s, len(pids)); err != nil {
		return err
	}
	w := s.peers[sdid]
	w.add(pids)
	s.peers[sdid] = w
	return nil
}

func (t *Thread) mayList(call string, s *shareable, pids int) error {
	switch {
	case s == nil:
		return fail(ParamInvalid, call, "got a handle that no live memory has")
	case pids == 0:
		return fail(ParamInvalid, call, "got no pid")
	case s.of.p != t.p:
		return fail(NoPermission, call, "the handle was exported by %s", s.of.p.name)
	}
	return nil
}

// MemImportFromShareableHandle makes a handle on memory of another process, used
// from a device of this one. Errors: ParamInvalid for an unknown number and the
// exporter itself, InvalidDeviceID, NoPermission for a pid that is not listed.
func (t *Thread) MemImportFromShareableHandle(fd uint64, logic int) (*PhysHandle, error) {
	const call = "aclrtMemImportFromShareableHandle"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	s := t.p.rt.fds[fd]
	if s != nil && s.of.p.server != t.p.server {
		s = nil // numbers are those of one server
	}
	return t.importShare(call, s, logic, func(d *device.Device) bool { return s.pids.has(t.p.pid) })
}

// MemImportFromFabricHandle is MemImportFromShareableHandle by fabric handle, also
// from another server of the superpod.
func (t *Thread) MemImportFromFabricHandle(f FabricHandle, logic int) (*PhysHandle, error) {
	const call = "aclrtMemImportFromShareableHandleV2"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	s := t.p.rt.fabric[f]
	return t.importShare(call, s, logic, func(d *device.Device) bool {
		return s.peers[t.p.rt.SuperDeviceID(d)].has(t.p.pid) || s.pids.has(t.p.pid)
	})
}

func (t *Thread) importShare(call string, s *shareable, logic int, listed func(*device.Device) bool) (*PhysHandle, error) {
	if s == nil {
		return nil, fail(ParamInvalid, call, "got a handle that no live memory has here")
	}
	u, err := t.use(call, logic)
	switch {
	case err != nil:
		return nil, err
	case s.of.p == t.p:
		return nil, fail(ParamInvalid, call, "%v belongs to this process", s.of)
	case !s.noCheck && !listed(u.dev):
		return nil, fail(NoPermission, call, "pid %d is not on the whitelist of %v (aclrtMemSetPidToShareableHandle)", t.p.pid, s.of)
	case u.dev != s.of.use.dev && !t.p.rt.canReach(u.dev, s.of.use.dev):
		return nil, fail(DRVInternalError, call, "%s does not reach the memory of %s", u.dev.Name(), s.of.use.dev.Name())
	}
	if err := t.p.rt.mem.HoldBlock(s.of.block); err != nil {
		return nil, wrap(ParamInvalid, call, err)
	}
	h := &PhysHandle{p: t.p, use: u, block: s.of.block, size: s.of.size, attr: s.of.attr, remote: s}
	t.p.rt.physical.add(h, t.p.rt.now())
	return h, nil
}

// allowed lists the pids that may import, those named by device too, in the order
// of the devices.
func (s *shareable) allowed() whitelist {
	all := slices.Clone(s.pids)
	var at []int
	for sdid := range s.peers {
		at = append(at, sdid)
	}
	slices.Sort(at)
	for _, sdid := range at {
		all.add(s.peers[sdid])
	}
	return all
}
