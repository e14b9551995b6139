package guest

import (
	"hsim/host/acl"
)

var copyAnswers = map[string]answer{
	"aclrtMemcpy": func(c call) uint32 {
		n := c.size(3)
		return c.code(c.t.acl.Memcpy(c.addr(0, n), c.size(1), c.addr(2, n), n, acl.MemcpyKind(c.i32(4))))
	},
	"aclrtMemcpyAsync": func(c call) uint32 {
		n := c.size(3)
		return c.code(c.t.acl.MemcpyAsync(c.addr(0, n), c.size(1), c.addr(2, n), n, acl.MemcpyKind(c.i32(4)), c.stream(5)))
	},
	"aclrtMemset": func(c call) uint32 {
		return c.code(c.t.acl.Memset(c.addr(0, c.size(3)), c.size(1), byte(c.u32(2)), c.size(3)))
	},
	"aclrtMemsetAsync": func(c call) uint32 {
		return c.code(c.t.acl.MemsetAsync(c.addr(0, c.size(3)), c.size(1), byte(c.u32(2)), c.size(3), c.stream(4)))
	},
	"aclrtMemcpyBatch": memcpyBatch,
}

// maxBatch bounds what is read of the program's arrays; the runtime refuses more than 4096 pieces.
const maxBatch = 1 << 16

// memcpyBatch copies pieces given by four arrays. Where the pieces lie follows from their addresses.
func memcpyBatch(c call) uint32 {
	n := c.u32(4)
	if !c.out(8, 4) {
		return c.noOut(8)
	}
	if n > maxBatch {
		c.set(8, 0xffffffff)
		return c.bad(acl.ParamInvalid, "got %d pieces, want 1 to 4096", n)
	}
	var list []acl.BatchPiece
	for i := range 4 {
		if n > 0 && c.bytes(c.u32(i), n*4) == nil {
			return c.noOut(i)
		}
	}
	for k := range n {
		at := func(i int) uint32 { return c.word(c.u32(i) + 4*k) }
		count := int64(at(3))
		list = append(list, acl.BatchPiece{Dst: c.t.p.addr(at(0), count), DestMax: int64(at(1)), Src: c.t.p.addr(at(2), count), Count: count})
	}
	failed, err := c.t.acl.MemcpyBatch(list)
	c.set(8, uint32(int32(failed)))
	return c.code(err)
}
