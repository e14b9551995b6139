package guest

import "hsim/host/acl"

// What AI CPU functions enqueue work on: streams and channels that the program hands to them by number, in the arguments.

// maxExported bounds the notifies of a stream or of an end of a channel.
const maxExported = 1 << 16

// notifyList reads an array of notifies; ok is false where it lies outside memory.
func (c call) notifyList(list, n int) (out []*acl.Notify, ok bool) {
	count := c.u32(n)
	if count > maxExported || count > 0 && c.bytes(c.u32(list), 4*count) == nil {
		return nil, false
	}
	for k := range count {
		out = append(out, c.t.p.acl.NotifyOf(acl.Handle(c.word(c.u32(list)+4*k))))
	}
	return out, true
}

func streamExport(c call) uint64 {
	list, ok := c.notifyList(1, 2)
	if !ok || !c.out(3, 8) {
		return uint64(acl.ParamInvalid)
	}
	h, err := c.t.acl.ExportThread(c.stream(0), list...)
	if err != nil {
		return uint64(c.code(err))
	}
	c.set64(3, h)
	return 0
}

func devicesConnect(c call) uint64 {
	near, ok1 := c.notifyList(2, 3)
	far, ok2 := c.notifyList(4, 5)
	if !ok1 || !ok2 || !c.out(6, 8) || !c.out(7, 8) {
		return uint64(acl.ParamInvalid)
	}
	here, there, err := c.t.acl.ConnectThreads(int(c.i32(0)), int(c.i32(1)), near, far)
	if err != nil {
		return uint64(c.code(err))
	}
	c.set64(6, here)
	c.set64(7, there)
	return 0
}

func exportEnd(c call) uint64 { return uint64(c.code(c.t.acl.RemoveThread(c.u64(0)))) }
