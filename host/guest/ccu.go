package guest

import (
	"encoding/binary"

	"hsim/host/acl"
	"hsim/host/mem"
)

// The data model's calls of CCU resources have no public names: their prototypes are this simulator's.
var ccuAnswers = map[string]answer{
	"rtGetCcudieNum": func(c call) uint32 {
		return c.number(1, func() (int, error) { return c.t.acl.GetCcudieNum(int(c.i32(0))) })
	},
	"rtGetCcudieInfo": func(c call) uint32 {
		const size = 32 // of rtCcuDieInfo
		if !c.out(2, size) {
			return c.noOut(2)
		}
		x, err := c.t.acl.GetCcudieInfo(int(c.i32(0)), c.id(1))
		if err != nil {
			return c.code(err)
		}
		status := 1
		if x.Ready {
			status = 0
		}
		b := c.bytes(c.u32(2), size)
		for i, v := range []int{x.Version, status, x.Xn, x.CKE, x.MS, x.Channels} {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
		}
		binary.LittleEndian.PutUint64(b[24:], uint64(x.Base))
		return 0
	},
	"rtGetDeviceLocalAddr": func(c call) uint32 {
		return c.address(2, func() (mem.Addr, error) { return c.t.acl.GetDeviceLocalAddr(int(c.i32(0)), c.id(1)) })
	},
	"rtGetDeviceRemoteAddr": func(c call) uint32 {
		return c.address(4, func() (mem.Addr, error) {
			return c.t.acl.GetDeviceRemoteAddr(int(c.i32(0)), c.id(1), int(c.i32(2)), c.id(3))
		})
	},
	"rtCcuBufAlloc": func(c call) uint32 {
		if !c.out(3, 4) {
			return c.noOut(3)
		}
		b, err := c.t.acl.CcuBufAlloc(int(c.i32(0)), c.id(1), int64(c.u32(2))*ccuSlice)
		if err != nil {
			return c.code(err)
		}
		return c.set(3, uint32(acl.HandleOf(c.t.p.acl, b)))
	},
	"rtCcuBufFree": func(c call) uint32 { return c.code(c.t.acl.CcuBufFree(c.ccuBuf(0))) },
	"rtCcuBufGetAddr": func(c call) uint32 {
		return c.address(1, func() (mem.Addr, error) { return c.t.acl.CcuBufGetAddr(c.ccuBuf(0)) })
	},
	"rtVariableCreate": func(c call) uint32 {
		if !c.out(2, 4) {
			return c.noOut(2)
		}
		v, err := c.t.acl.VariableCreate(int(c.i32(0)), c.id(1))
		if err != nil {
			return c.code(err)
		}
		return c.set(2, uint32(acl.HandleOf(c.t.p.acl, v)))
	},
	"rtVariableDestroy": func(c call) uint32 { return c.code(c.t.acl.VariableDestroy(c.variable(0))) },
	"rtVariableSet":     func(c call) uint32 { return c.code(c.t.acl.VariableSet(c.variable(0), c.u64(1))) },
}

// ccuSlice is the size of one buffer of a CCU.
const ccuSlice = 4096

func (c call) ccuBuf(i int) *acl.CcuBuf     { return c.t.p.acl.CcuBufOf(c.handle(i)) }
func (c call) variable(i int) *acl.Variable { return c.t.p.acl.VariableOf(c.handle(i)) }

// address answers a call that gives an address of the simulation, in 64 bits.
func (c call) address(out int, f func() (mem.Addr, error)) uint32 {
	return c.long64(out, func() (int64, error) {
		a, err := f()
		return int64(a), err
	})
}
