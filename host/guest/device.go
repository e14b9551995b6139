package guest

import (
	"math"

	"hsim/host/acl"
	"hsim/host/sim"
)

var deviceAnswers = map[string]answer{
	"aclInit": func(c call) uint32 {
		path, ok := c.text(c.u32(0))
		if !ok && c.u32(0) != 0 {
			return c.bad(acl.ACLInvalidParam, "configPath is no text")
		}
		if path != "" {
			path = c.t.p.path(path)
		}
		return c.code(c.t.acl.Init(path))
	},
	"aclFinalize": func(c call) uint32 { return c.code(c.t.acl.Finalize()) },
	"aclrtDeviceGetBareTgid": func(c call) uint32 {
		return c.number(0, c.t.acl.DeviceGetBareTgid)
	},
	"aclrtGetDeviceCount": func(c call) uint32 {
		return c.number(0, c.t.acl.GetDeviceCount)
	},
	"aclrtSetDevice":        func(c call) uint32 { return c.code(c.t.acl.SetDevice(int(c.i32(0)))) },
	"aclrtResetDevice":      func(c call) uint32 { return c.code(c.t.acl.ResetDevice(int(c.i32(0)))) },
	"aclrtResetDeviceForce": func(c call) uint32 { return c.code(c.t.acl.ResetDeviceForce(int(c.i32(0)))) },
	"aclrtGetDevice":        func(c call) uint32 { return c.number(0, c.t.acl.GetDevice) },
	"aclrtGetLogicDevIdByPhyDevId": func(c call) uint32 {
		return c.number(1, func() (int, error) { return c.t.acl.GetLogicDevIdByPhyDevId(int(c.i32(0))) })
	},
	"aclrtGetPhyDevIdByLogicDevId": func(c call) uint32 {
		return c.number(1, func() (int, error) { return c.t.acl.GetPhyDevIdByLogicDevId(int(c.i32(0))) })
	},
	"aclrtGetSocName":       func(c call) uint32 { return c.t.p.constant(c.t.acl.GetSocName()) },
	"aclrtSetDeviceSatMode": func(c call) uint32 { return c.code(c.t.acl.SetDeviceSatMode(acl.SatMode(c.i32(0)))) },
	"aclrtGetDeviceSatMode": func(c call) uint32 {
		return c.number(0, func() (int, error) {
			m, err := c.t.acl.GetDeviceSatMode()
			return int(m), err
		})
	},
	"aclrtGetDevicesTopo": func(c call) uint32 {
		return c.long64(2, func() (int64, error) {
			k, err := c.t.acl.GetDevicesTopo(c.id(0), c.id(1))
			return int64(k), err
		})
	},
	"aclrtDeviceCanAccessPeer": func(c call) uint32 {
		return c.flag(0, func() (bool, error) { return c.t.acl.DeviceCanAccessPeer(int(c.i32(1)), int(c.i32(2))) })
	},
	"aclrtDeviceEnablePeerAccess": func(c call) uint32 {
		return c.code(c.t.acl.DeviceEnablePeerAccess(int(c.i32(0)), c.u32(1)))
	},
	"aclrtDeviceDisablePeerAccess": func(c call) uint32 {
		return c.code(c.t.acl.DeviceDisablePeerAccess(int(c.i32(0))))
	},
	"aclrtDevicePeerAccessStatus": func(c call) uint32 {
		return c.flag(2, func() (bool, error) { return c.t.acl.DevicePeerAccessStatus(int(c.i32(0)), int(c.i32(1))) })
	},
	"aclrtGetDeviceInfo": func(c call) uint32 {
		return c.long64(2, func() (int64, error) { return c.t.acl.GetDeviceInfo(c.id(0), acl.DeviceAttr(c.i32(1))) })
	},
	"aclrtSetTsDevice": func(c call) uint32 { return c.code(c.t.acl.SetTsDevice(int(c.i32(0)))) },
	"aclrtGetRunMode":  func(c call) uint32 { return c.number(0, c.t.acl.GetRunMode) },
	"aclrtSynchronizeDevice": func(c call) uint32 {
		return c.timed(c.t.acl.SynchronizeTimeout(), c.t.acl.SynchronizeDevice)
	},
	"aclrtSynchronizeDeviceWithTimeout": func(c call) uint32 {
		return c.timed(c.i32(0), func() error { return c.t.acl.SynchronizeDeviceWithTimeout(c.i32(0)) })
	},
	"aclrtGetOverflowStatus": func(c call) uint32 {
		return c.code(c.t.acl.GetOverflowStatus(c.addr(0, c.size(1)), c.size(1), c.stream(2)))
	},
	"aclrtResetOverflowStatus": func(c call) uint32 { return c.code(c.t.acl.ResetOverflowStatus(c.stream(0))) },
	"aclrtGetMemInfo": func(c call) uint32 {
		if !c.out(1, 4) {
			return c.noOut(1)
		}
		if !c.out(2, 4) {
			return c.noOut(2)
		}
		free, total, err := c.t.acl.GetMemInfo()
		if err != nil {
			return c.code(err)
		}
		c.set(1, uint32(min(free, math.MaxUint32)))
		return c.set(2, uint32(min(total, math.MaxUint32)))
	},
	"aclrtSetOpWaitTimeout": func(c call) uint32 {
		return c.code(c.t.acl.SetOpWaitTimeout(seconds(c.u32(0))))
	},
	"aclrtSetOpExecuteTimeOut": func(c call) uint32 {
		return c.code(c.t.acl.SetOpExecuteTimeout(seconds(c.u32(0))))
	},
	"aclrtGetOpTimeOutInterval": func(c call) uint32 {
		return c.long64(0, func() (int64, error) {
			d, err := c.t.acl.GetOpTimeOutInterval()
			return int64(d / sim.Microsecond), err
		})
	},
	"aclGetRecentErrMsg": recentError,
}

var contextAnswers = map[string]answer{
	"aclrtCreateContext": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		x, err := c.t.acl.CreateContext(int(c.i32(1)))
		if err != nil {
			return c.code(err)
		}
		return c.set(0, uint32(acl.HandleOf(c.t.p.acl, x)))
	},
	"aclrtDestroyContext":    func(c call) uint32 { return c.code(c.t.acl.DestroyContext(c.context(0))) },
	"aclrtSetCurrentContext": func(c call) uint32 { return c.code(c.t.acl.SetCurrentContext(c.context(0))) },
	"aclrtGetCurrentContext": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		x, err := c.t.acl.GetCurrentContext()
		if err != nil {
			return c.code(err)
		}
		return c.set(0, uint32(acl.HandleOf(c.t.p.acl, x)))
	},
	"aclrtCtxGetFloatOverflowAddr": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		a, err := c.t.acl.CtxGetFloatOverflowAddr()
		if err != nil {
			return c.code(err)
		}
		return c.visible(0, a)
	},
}

// seconds is a time-out of the program, 0 = for ever; so is one longer than the simulation can tell.
func seconds(n uint32) sim.Time {
	if sim.Time(n) > sim.Forever/sim.Second {
		return 0
	}
	return sim.Time(n) * sim.Second
}

// id is an unsigned argument that names a device.
func (c call) id(i int) int { return int(min(c.u32(i), math.MaxInt32)) }

// number answers a call that gives a 32-bit number.
func (c call) number(out int, f func() (int, error)) uint32 {
	if !c.out(out, 4) {
		return c.noOut(out)
	}
	v, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(out, uint32(v))
}

func (c call) long64(out int, f func() (int64, error)) uint32 {
	if !c.out(out, 8) {
		return c.noOut(out)
	}
	v, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set64(out, uint64(v))
}

// flag answers a call that gives 1 or 0.
func (c call) flag(out int, f func() (bool, error)) uint32 {
	return c.number(out, func() (int, error) {
		yes, err := f()
		if yes {
			return 1, err
		}
		return 0, err
	})
}

// constant returns a pointer to a text that stays, the same one for the same text; 0 for the empty one.
func (p *Process) constant(text string) uint32 {
	if text == "" {
		return 0
	}
	if at := p.texts[text]; at != 0 {
		return at
	}
	at, ok := p.heap.alloc(uint32(len(text) + 1))
	if !ok {
		return 0
	}
	b, err := p.in.Bytes(at, uint32(len(text)+1))
	if err != nil {
		return 0
	}
	copy(b, text)
	b[len(text)] = 0
	if p.texts == nil {
		p.texts = map[string]uint32{}
	}
	p.texts[text] = at
	return at
}

// recentError gives the text of the thread's latest failure, and forgets it.
func recentError(c call) uint32 {
	t := c.t
	if t.text != 0 {
		t.p.heap.free(t.text)
		t.text = 0
	}
	if t.failure == nil {
		return 0
	}
	text := t.failure.Error()
	t.failure = nil
	at, ok := t.p.heap.alloc(uint32(len(text) + 1))
	if !ok {
		return 0
	}
	t.text = at
	c.putText(at, text)
	return at
}
