package guest

import (
	"encoding/binary"

	"hsim/host/acl"
	"hsim/host/mem"
)

// argsAnswers collect the arguments of kernels and launch them. A device pointer of the program has 4 bytes and is a number
// of its own; kernels take addresses of 8 bytes, as on the real system, so that an argument that is one pointer is written
// as its address.
var argsAnswers = map[string]answer{
	"aclrtKernelArgsInit": func(c call) uint32 {
		if !c.out(1, 4) {
			return c.noOut(1)
		}
		a, err := c.t.acl.KernelArgsInit(c.function(0))
		if err != nil {
			return c.code(err)
		}
		return c.set(1, uint32(acl.HandleOf(c.t.p.acl, a)))
	},
	"aclrtKernelArgsAppend": func(c call) uint32 {
		value, ok := c.argument(1, 2)
		if !ok {
			return c.noOut(1)
		}
		return c.newParam(3, func() (acl.ArgHandle, error) { return c.t.acl.KernelArgsAppend(c.args(0), value) })
	},
	"aclrtKernelArgsAppendPlaceHolder": func(c call) uint32 {
		return c.newParam(1, func() (acl.ArgHandle, error) { return c.t.acl.KernelArgsAppendPlaceHolder(c.args(0)) })
	},
	"aclrtKernelArgsGetPlaceHolderBuffer": placeHolderBuffer,
	"aclrtKernelArgsParaUpdate": func(c call) uint32 {
		value, ok := c.argument(2, 3)
		if !ok {
			return c.noOut(2)
		}
		return c.code(c.t.acl.KernelArgsParaUpdate(c.args(0), c.param(1), value))
	},
	"aclrtKernelArgsFinalize": func(c call) uint32 { return c.code(c.t.acl.KernelArgsFinalize(c.args(0))) },
	"aclrtLaunchKernel": func(c call) uint32 {
		return c.code(c.t.acl.LaunchKernel(c.function(0), c.u32(1), c.addr(2, c.size(3)), c.size(3), c.stream(4)))
	},
	"aclrtLaunchKernelWithConfig": func(c call) uint32 {
		attrs, ok := c.launchAttrs(3)
		switch {
		case !ok:
			return c.noOut(3)
		case c.u32(5) != 0:
			return c.bad(acl.ParamInvalid, "reserve is %#x, want null", c.u32(5))
		}
		a := c.args(4)
		if err := c.t.p.upload(a); err != nil {
			return c.code(err)
		}
		return c.code(c.t.acl.LaunchKernelWithConfig(c.function(0), c.u32(1), c.stream(2), attrs, a))
	},
	"aclrtLaunchKernelWithHostArgs": func(c call) uint32 {
		attrs, ok := c.launchAttrs(3)
		if !ok {
			return c.noOut(3)
		}
		args := c.bytes(c.u32(4), c.u32(5))
		if args == nil && c.u32(5) > 0 {
			return c.noOut(4)
		}
		n := c.u32(7)
		const size = 8 // of aclrtPlaceHolderInfo
		if n > 1024 || n > 0 && c.bytes(c.u32(6), n*size) == nil {
			return c.noOut(6)
		}
		var holders []acl.PlaceHolder
		for k := range n {
			at := c.u32(6) + k*size
			holders = append(holders, acl.PlaceHolder{AddrOffset: int(int32(c.word(at))), DataOffset: int(int32(c.word(at + 4)))})
		}
		return c.code(c.t.acl.LaunchKernelWithHostArgs(c.function(0), c.u32(1), c.stream(2), attrs, args, holders))
	},
}

func (c call) args(i int) *acl.KernelArgs { return c.t.p.acl.ArgsOf(c.handle(i)) }

// param is an aclrtParamHandle: the number of the argument, counted from 1 so that it is never null.
func (c call) param(i int) acl.ArgHandle { return acl.ArgHandle(int(c.i32(i)) - 1) }

func (c call) newParam(out int, f func() (acl.ArgHandle, error)) uint32 {
	return c.number(out, func() (int, error) {
		h, err := f()
		return int(h) + 1, err
	})
}

// argument reads the value of an argument. One that is a live device pointer becomes the address behind it.
func (c call) argument(at, size int) ([]byte, bool) {
	n := c.u32(size)
	if n == 0 {
		return nil, true
	}
	b := c.bytes(c.u32(at), n)
	if b == nil {
		return nil, false
	}
	if n == 4 {
		if ptr := binary.LittleEndian.Uint32(b); ptr >= windowBase && c.t.p.window.find(ptr) != nil {
			return binary.LittleEndian.AppendUint64(nil, uint64(c.t.p.window.addr(ptr))), true
		}
	}
	return append([]byte{}, b...), true
}

// launchAttrs reads an aclrtLaunchKernelCfg; ok is false where it points outside memory.
func (c call) launchAttrs(i int) (list []acl.LaunchAttr, ok bool) {
	ok = c.table(c.u32(i), func(at uint32) {
		a := acl.LaunchAttr{ID: int(int32(c.word(at))), Value: uint64(c.word(at + 4))}
		switch a.ID {
		case acl.LaunchSchemMode, acl.LaunchPrefetch, acl.LaunchDump:
			a.Value &= 0xff
		case acl.LaunchTimeout:
			a.Value &= 0xffff
		case acl.LaunchTimeoutUs:
			a.Value = c.long(at + 4)
		}
		list = append(list, a)
	})
	return list, ok
}

// placed is the data behind a placeholder: where the program writes them, and where kernels read them.
type placed struct {
	handle acl.ArgHandle
	at, n  uint32
	dev    mem.Addr
}

func placeHolderBuffer(c call) uint32 {
	if !c.out(3, 4) {
		return c.noOut(3)
	}
	p, a, h, n := c.t.p, c.args(0), c.param(1), c.u32(2)
	dev, err := c.t.acl.KernelArgsGetPlaceHolderBuffer(a, h, int64(n))
	if err != nil {
		return c.code(err)
	}
	at, ok := p.heap.alloc(n)
	if !ok {
		return c.bad(acl.MemoryAllocation, "the program's memory has no %d bytes left for the data of a placeholder", n)
	}
	if p.placed == nil {
		p.placed = map[*acl.KernelArgs][]placed{}
	}
	list := p.placed[a]
	for i := range list {
		if list[i].handle == h {
			p.heap.free(list[i].at)
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	p.placed[a] = append(list, placed{h, at, n, dev})
	return c.set(3, at)
}

// unplace gives back the data behind placeholders of arguments that are gone.
func (p *Process) unplace() {
	for a, list := range p.placed { // in any order: the pieces are put together by address
		if !a.Freed() {
			continue
		}
		for _, x := range list {
			p.heap.free(x.at)
		}
		delete(p.placed, a)
	}
}

// upload copies the data behind placeholders to the device, which happens with the arguments.
func (p *Process) upload(a *acl.KernelArgs) error {
	for _, x := range p.placed[a] {
		b, err := p.in.Bytes(x.at, x.n)
		if err != nil {
			return err
		}
		if err := p.acl.Runtime().Mem().Write(x.dev, b); err != nil {
			return &acl.Error{Code: acl.ParamInvalid, Call: "aclrtLaunchKernelWithConfig", Err: err}
		}
	}
	return nil
}
