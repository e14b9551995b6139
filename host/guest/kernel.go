package guest

import (
	"math"

	"hsim/host/acl"
	"hsim/host/mem"
)

var kernelAnswers = map[string]answer{
	"aclrtCreateBinary": func(c call) uint32 {
		data := c.bytes(c.u32(0), c.u32(1))
		if data == nil {
			return 0
		}
		b := c.t.acl.CreateBinary(append([]byte{}, data...))
		return uint32(acl.HandleOf(c.t.p.acl, b))
	},
	"aclrtDestroyBinary": func(c call) uint32 { return c.code(c.t.acl.DestroyBinary(c.t.p.acl.ImageOf(c.handle(0)))) },
	"aclrtBinaryLoad": func(c call) uint32 {
		return c.newBinary(1, func() (*acl.Binary, error) { return c.t.acl.BinaryLoad(c.t.p.acl.ImageOf(c.handle(0))) })
	},
	"aclrtBinaryUnLoad": func(c call) uint32 {
		err := c.t.acl.BinaryUnLoad(c.binary(0))
		c.t.p.unplace()
		return c.code(err)
	},
	"aclrtBinaryLoadFromFile": func(c call) uint32 {
		path, ok := c.text(c.u32(0))
		if !ok {
			return c.noOut(0)
		}
		options, ok := c.loadOptions(1)
		if !ok {
			return c.noOut(1)
		}
		return c.newBinary(2, func() (*acl.Binary, error) { return c.t.acl.BinaryLoadFromFile(c.t.p.path(path), options...) })
	},
	"aclrtBinaryLoadFromData": func(c call) uint32 {
		data := c.bytes(c.u32(0), c.u32(1))
		if data == nil {
			return c.noOut(0)
		}
		options, ok := c.loadOptions(2)
		if !ok {
			return c.noOut(2)
		}
		return c.newBinary(3, func() (*acl.Binary, error) {
			return c.t.acl.BinaryLoadFromData("binary", append([]byte{}, data...), options...)
		})
	},
	"aclrtBinaryGetFunction": func(c call) uint32 {
		name, ok := c.text(c.u32(1))
		if !ok {
			return c.noOut(1)
		}
		return c.newFunction(2, func() (*acl.Function, error) { return c.t.acl.BinaryGetFunction(c.binary(0), name) })
	},
	"aclrtBinaryGetFunctionByEntry": func(c call) uint32 {
		return c.newFunction(2, func() (*acl.Function, error) { return c.t.acl.BinaryGetFunctionByEntry(c.binary(0), c.u64(1)) })
	},
	"aclrtRegisterCpuFunc": func(c call) uint32 {
		function, ok := c.text(c.u32(1))
		if !ok {
			return c.noOut(1)
		}
		kernel, ok := c.text(c.u32(2))
		if !ok {
			return c.noOut(2)
		}
		return c.newFunction(3, func() (*acl.Function, error) { return c.t.acl.RegisterCpuFunc(c.binary(0), function, kernel) })
	},
	"aclrtGetFunctionAddr": func(c call) uint32 {
		for i := 1; i <= 2; i++ {
			if !c.out(i, 4) {
				return c.noOut(i)
			}
		}
		aic, aiv, err := c.t.acl.GetFunctionAddr(c.function(0))
		if err != nil {
			return c.code(err)
		}
		for i, a := range []mem.Addr{aic, aiv} {
			c.set(1+i, 0)
			if a != 0 {
				if r := c.visible(1+i, a); r != 0 {
					return r
				}
			}
		}
		return 0
	},
	"aclrtGetFunctionName": func(c call) uint32 {
		name, err := c.t.acl.GetFunctionName(c.function(0), int(min(c.u32(1), math.MaxInt32)))
		if err != nil {
			return c.code(err)
		}
		if !c.out(2, uint32(len(name)+1)) {
			return c.noOut(2)
		}
		c.putText(c.u32(2), name)
		return 0
	},
}

func (c call) binary(i int) *acl.Binary     { return c.t.p.acl.BinaryOf(c.handle(i)) }
func (c call) function(i int) *acl.Function { return c.t.p.acl.FunctionOf(c.handle(i)) }

func (c call) newBinary(out int, f func() (*acl.Binary, error)) uint32 {
	if !c.out(out, 4) {
		return c.noOut(out)
	}
	b, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(out, uint32(acl.HandleOf(c.t.p.acl, b)))
}

func (c call) newFunction(out int, f func() (*acl.Function, error)) uint32 {
	if !c.out(out, 4) {
		return c.noOut(out)
	}
	x, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(out, uint32(acl.HandleOf(c.t.p.acl, x)))
}

// loadOptions reads an aclrtBinaryLoadOptions; ok is false where it points outside memory.
func (c call) loadOptions(i int) (list []acl.BinaryOption, ok bool) {
	ok = c.table(c.u32(i), func(at uint32) {
		o := acl.BinaryOption{ID: int(int32(c.word(at))), Value: uint64(c.word(at + 4))}
		if o.ID == acl.BinaryCPUMode {
			o.Value = uint64(int64(int32(c.word(at + 4))))
		}
		list = append(list, o)
	})
	return list, ok
}

// optionSize is the size of aclrtBinaryLoadOption and of aclrtLaunchKernelAttr: a number, and a union of 16 bytes.
const optionSize = 20

// table reads a structure that holds an array and its length, at 0 and 4. A null pointer is an empty one.
func (c call) table(at uint32, each func(at uint32)) bool {
	if at == 0 {
		return true
	}
	if c.bytes(at, 8) == nil {
		return false
	}
	first, n := c.word(at), c.word(at+4)
	if n > 64 || n > 0 && c.bytes(first, n*optionSize) == nil {
		return false
	}
	for k := range n {
		each(first + k*optionSize)
	}
	return true
}
