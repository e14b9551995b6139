package wasm

import "fmt"

// reader walks a binary module. The first fault stays in err and ends the input, so that loops run out by themselves.
type reader struct {
	b   []byte
	pos int
	err error
}

func (r *reader) fail(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("got a module that is corrupt or not supported at byte %#x: "+format, append([]any{r.pos}, a...)...)
	}
	r.pos = len(r.b)
}

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail("unexpected end")
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

func (r *reader) skip(n int) {
	if n < 0 || n > len(r.b)-r.pos {
		r.fail("unexpected end")
		return
	}
	r.pos += n
}

// leb reads a LEB128 number of at most size bytes; the value is meant for unsigned ones.
func (r *reader) leb(size int) uint64 {
	var v uint64
	for i := range size {
		c := r.byte()
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v
		}
	}
	r.fail("a number is too long")
	return 0
}

func (r *reader) u32() uint32 {
	v := r.leb(5)
	if v > 0xffff_ffff {
		r.fail("a number is too large")
		return 0
	}
	return uint32(v)
}

// s32 reads a signed number of up to 32 bits.
func (r *reader) s32() int32 {
	start := r.pos
	v := r.leb(5)
	if r.err != nil {
		return 0
	}
	if shift := 7 * (r.pos - start); shift < 32 && v>>(shift-1)&1 == 1 {
		v |= ^uint64(0) << shift
	}
	return int32(v)
}

func (r *reader) name() string {
	n := int(r.u32())
	start := r.pos
	r.skip(n)
	if r.err != nil {
		return ""
	}
	return string(r.b[start:r.pos])
}

// count reads the length of a list whose items take at least one byte each.
func (r *reader) count() int {
	n := r.u32()
	if int64(n) > int64(len(r.b)-r.pos) {
		r.fail("a list is longer than the module")
		return 0
	}
	return int(n)
}

func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte {
	return append(appendU32(b, uint32(len(s))), s...)
}
