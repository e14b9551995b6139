package guest

import (
	"errors"
	"fmt"
	"math"

	"hsim/host/acl"
	"hsim/host/hccl"
	"hsim/host/sim"
)

var commAnswers = map[string]answer{
	"HcclGetRootInfo": func(c call) uint32 {
		if !c.out(0, rootInfoBytes) {
			return c.nullPointer(0)
		}
		writeRoot(c.bytes(c.u32(0), rootInfoBytes), c.t.p.sys.roots.newRoot())
		return 0
	},
	"HcclCommInitRootInfo": func(c call) uint32 { return c.joinRoot(3, 0) },
	"HcclCommInitRootInfoConfig": func(c call) uint32 {
		if c.bytes(c.u32(3), commConfigBytes) == nil {
			return c.nullPointer(3)
		}
		return c.joinRoot(4, c.u32(3))
	},
	"HcclCommInitAll": commInitAll,
	"HcclCommDestroy": func(c call) uint32 {
		m := c.comm(0)
		if m == nil {
			return c.noComm(0)
		}
		c.t.p.dropSpare(m)
		return c.result(m.leave())
	},
	"HcclGetRankSize": func(c call) uint32 {
		return c.ofComm(1, func(m *member) uint32 { return uint32(m.comm.Size()) })
	},
	"HcclGetRankId": func(c call) uint32 {
		return c.ofComm(1, func(m *member) uint32 { return uint32(m.rank.ID()) })
	},
	"HcclGetCommName": func(c call) uint32 {
		m := c.comm(0)
		switch {
		case m == nil:
			return c.noComm(0)
		case !c.out(1, commNameBytes):
			return c.nullPointer(1)
		}
		c.putText(c.u32(1), m.comm.Name())
		return 0
	},
	"HcclGetCommAsyncError": func(c call) uint32 {
		return c.ofComm(1, func(m *member) uint32 { return uint32(hccl.CodeOf(m.comm.Err())) })
	},
	"HcclGetErrorString": func(c call) uint32 { return c.t.p.constant(hccl.Result(c.i32(0)).String()) },
}

// Sizes and places in HcclCommConfig, as hccl_types.h has it.
const (
	commNameBytes    = 128
	commConfigBytes  = 12 + 2*commNameBytes
	configBufferSize = 4
	configName       = 12
	configUnset      = math.MaxUint32
)

// result turns the outcome of a collective call into an HcclResult.
func (c call) result(err error) uint32 {
	if err == nil {
		return 0
	}
	code := hccl.CodeOf(err)
	var a *acl.Error
	if code == hccl.ErrInternal && errors.As(err, &a) {
		code = hccl.ErrRuntime
	}
	return c.failed(uint32(code), err)
}

func (c call) badComm(code hccl.Result, id, format string, args ...any) uint32 {
	return c.result(&hccl.Error{Code: code, ID: id, Call: c.name, Rank: -1, Text: fmt.Sprintf(format, args...)})
}

func (c call) nullPointer(i int) uint32 {
	return c.badComm(hccl.ErrPtr, "EI0003", "%s at %#x is null or outside the program's memory", c.declared().Args[i].Name, c.u32(i))
}

func (c call) noComm(i int) uint32 {
	if c.u32(i) == 0 {
		return c.nullPointer(i)
	}
	return c.badComm(hccl.ErrPara, "EI0003", "%s %#x is no communicator of this process, or was destroyed", c.declared().Args[i].Name, c.u32(i))
}

// commBase keeps handles of communicators apart from those of the runtime, which lie below.
const commBase = 0x78000000

func (p *Process) addMember(m *member) uint32 {
	p.members = append(p.members, m)
	m.handle = commBase + uint32(len(p.members))*8
	return m.handle
}

// comm resolves a communicator of the process; nil for null, wild and destroyed ones.
func (c call) comm(i int) *member {
	k := (c.u32(i) - commBase) / 8
	if h := c.u32(i); h < commBase || h%8 != 0 || k < 1 || k > uint32(len(c.t.p.members)) || c.t.p.members[k-1].gone {
		return nil
	}
	return c.t.p.members[k-1]
}

func (c call) ofComm(out int, f func(m *member) uint32) uint32 {
	m := c.comm(0)
	switch {
	case m == nil:
		return c.noComm(0)
	case !c.out(out, 4):
		return c.nullPointer(out)
	}
	return c.set(out, f(m))
}

// joinRoot is HcclCommInitRootInfo; config is the address of an HcclCommConfig or 0.
func (c call) joinRoot(out int, config uint32) uint32 {
	s := c.t.p.sys
	switch {
	case s.cfg.HCCL == nil:
		return c.badComm(hccl.ErrNotSupport, "", "this simulation has no collective library")
	case !c.out(out, 4):
		return c.nullPointer(out)
	}
	info := c.bytes(c.u32(1), rootInfoBytes)
	if info == nil {
		return c.nullPointer(1)
	}
	id, ok := readRoot(info)
	if !ok {
		return c.badComm(hccl.ErrPara, "EI0015", "got a root info that HcclGetRootInfo has not made")
	}
	m, err := c.newMember()
	if err != nil {
		return c.result(err)
	}
	cfg := s.cfg.Comm
	c.configure(&cfg, config)
	if err := s.join(c, c.name, id, c.id(0), c.id(2), m, cfg); err != nil {
		return c.result(err)
	}
	return c.set(out, c.t.p.addMember(m))
}

// newMember is a rank on the thread's current device.
func (c call) newMember() (*member, error) {
	ctx := c.t.acl.Current()
	if ctx == nil {
		return nil, &acl.Error{Code: acl.ContextNull, Call: c.name, Text: "the thread has no current device (call aclrtSetDevice first)"}
	}
	return &member{p: c.t.p, dev: ctx.Device(), ctx: ctx.ID()}, nil
}

// configure reads what an HcclCommConfig sets.
func (c call) configure(cfg *hccl.CommConfig, at uint32) {
	if at == 0 {
		return
	}
	if mb := c.word(at + configBufferSize); mb != configUnset && mb != 0 {
		cfg.BufferBytes = int64(mb) << 20
	}
	if name, ok := c.text(at + configName); ok && name != "" {
		cfg.Name = name[:min(len(name), commNameBytes-1)]
	}
}

// commInitAll makes a communicator over devices of the calling process at once.
func commInitAll(c call) uint32 {
	p, n := c.t.p, c.u32(0)
	s, devs := p.sys, p.acl.Devices()
	switch {
	case s.cfg.HCCL == nil:
		return c.badComm(hccl.ErrNotSupport, "", "this simulation has no collective library")
	case n < 1 || n > uint32(len(devs)):
		return c.badComm(hccl.ErrPara, "EI0003", "got %d devices, want 1 to %d", n, len(devs))
	case !c.out(2, n*4):
		return c.nullPointer(2)
	}
	var list []int
	if c.u32(1) != 0 {
		if list = c.list(c.u32(1), int64(n)); list == nil {
			return c.nullPointer(1)
		}
	}
	ranks := make([]*member, n)
	for i := range ranks {
		id := i
		if list != nil {
			id = list[i]
		}
		if id < 0 || id >= len(devs) {
			return c.badComm(hccl.ErrPara, "EI0003", "got device %d, want 0 to %d", id, len(devs)-1)
		}
		ranks[i] = &member{p: p, dev: devs[id]}
	}
	if _, err := s.communicator(ranks, s.cfg.Comm); err != nil {
		return c.result(err)
	}
	for i, m := range ranks {
		c.putWord(c.u32(2)+4*uint32(i), p.addMember(m))
	}
	return 0
}

// leave ends a rank's use of its communicator; the last one frees it.
func (m *member) leave() error {
	m.gone = true
	if *m.left--; *m.left == 0 {
		return m.comm.Close()
	}
	return nil
}

// leaveAll leaves what a process that ends has not destroyed.
func (p *Process) leaveAll() {
	for _, m := range p.members {
		if !m.gone {
			_ = m.leave() // what is still under way belongs to the other ranks
		}
	}
	p.members = nil
}

// busy lets the host's share of a call pass.
func (c call) busy(d sim.Time) {
	if d > 0 {
		c.t.acl.Proc().Sleep(d)
	}
}
