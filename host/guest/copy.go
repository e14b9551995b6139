package guest

import (
	"hsim/host/acl"
	"hsim/host/mem"
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
	"aclrtMemcpyBatch": func(c call) uint32 {
		return c.batch(func(list []acl.BatchPiece) (int, error) { return c.t.acl.MemcpyBatch(list) })
	},
	"aclrtMemcpyBatchAsync": func(c call) uint32 {
		return c.batch(func(list []acl.BatchPiece) (int, error) { return c.t.acl.MemcpyBatchAsync(list, c.stream(9)) })
	},
	"aclrtMemcpy2d": func(c call) uint32 {
		dst, src := c.rows()
		return c.code(c.t.acl.Memcpy2D(dst, c.size(1), src, c.size(3), c.size(4), c.size(5), acl.MemcpyKind(c.i32(6))))
	},
	"aclrtMemcpy2dAsync": func(c call) uint32 {
		dst, src := c.rows()
		return c.code(c.t.acl.Memcpy2DAsync(dst, c.size(1), src, c.size(3), c.size(4), c.size(5), acl.MemcpyKind(c.i32(6)), c.stream(7)))
	},
}

// maxBatch bounds what is read of the program's arrays; the runtime refuses more than 4096 pieces.
const maxBatch = 1 << 16

// rows translates the two sides of a copy of rows.
func (c call) rows() (dst, src mem.Addr) {
	width, height := c.size(4), c.size(5)
	extent := func(pitch int64) int64 { return pitch*max(height-1, 0) + width }
	return c.addr(0, extent(c.size(1))), c.addr(2, extent(c.size(3)))
}

// batch copies pieces given by four arrays. Where the pieces lie follows from their addresses.
func (c call) batch(f func(list []acl.BatchPiece) (int, error)) uint32 {
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
	failed, err := f(list)
	c.set(8, uint32(int32(failed)))
	return c.code(err)
}
