package scenario

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hsim/host/mem"
)

// kernelArg is one field of the struct that a kernel gets as its arguments, at its natural alignment.
type kernelArg struct {
	kind  argKind
	size  int    // bytes of the field
	value uint64 // of argNumber
	elems int64  // of a buffer: elements, 0 = as many as the run's size gives
}

type argKind uint8

const (
	argIn     argKind = iota // address of an input buffer
	argOut                   // address of an output buffer
	argInOut                 // address of a buffer that is both
	argNumber                // a constant
	argCount                 // elements of an operand
	argBytes                 // bytes of an operand
)

// defaultArgs is what a kernel gets that hsim does not know and whose run names no args.
var defaultArgs = []string{"in", "in", "out", "n"}

// parseArg reads one element of run.args of a kernel run.
func parseArg(text string, run *RunSpec) (kernelArg, error) {
	switch text {
	case "in":
		return kernelArg{kind: argIn, size: 8}, nil
	case "out":
		return kernelArg{kind: argOut, size: 8}, nil
	case "inout":
		return kernelArg{kind: argInOut, size: 8}, nil
	case "n":
		return kernelArg{kind: argCount, size: 8}, nil
	case "bytes":
		return kernelArg{kind: argBytes, size: 8}, nil
	case "dtype":
		return kernelArg{kind: argNumber, size: 4, value: uint64(run.Dtype)}, nil
	case "reduce":
		return kernelArg{kind: argNumber, size: 4, value: uint64(run.Reduce)}, nil
	}
	kind, number, _ := strings.Cut(text, ":")
	var v uint64
	var err error
	size := 8
	switch kind {
	case "u32", "u64":
		if kind == "u32" {
			size = 4
		}
		v, err = strconv.ParseUint(number, 0, size*8)
	case "i32", "i64":
		if kind == "i32" {
			size = 4
		}
		var n int64
		n, err = strconv.ParseInt(number, 0, size*8)
		v = uint64(n)
	case "f32":
		var f float64
		f, err = strconv.ParseFloat(number, 32)
		size, v = 4, uint64(math.Float32bits(float32(f)))
	default:
		return kernelArg{}, fmt.Errorf("%q: want in, out, inout, n, bytes, dtype, reduce, or a number such as u32:4, i64:-1 or f32:0.5", text)
	}
	if err != nil {
		return kernelArg{}, fmt.Errorf("%q: want %s: and a number that fits it", text, kind)
	}
	return kernelArg{kind: argNumber, size: size, value: v}, nil
}

// isBuffer, reads and writes say what a kernel does with the argument.
func (a *kernelArg) isBuffer() bool { return a.kind <= argInOut }
func (a *kernelArg) reads() bool    { return a.kind == argIn || a.kind == argInOut }
func (a *kernelArg) writes() bool   { return a.kind == argOut || a.kind == argInOut }

// pack lays the arguments out as a C struct of these fields; n is the elements of an operand.
func pack(args []kernelArg, buffers []mem.Addr, n, elem int64) []byte {
	var out []byte
	align := 1
	field := func(v uint64, size int) {
		for len(out)%size != 0 {
			out = append(out, 0)
		}
		align = max(align, size)
		if size == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		} else {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
	}
	next := 0
	for i := range args {
		switch a := &args[i]; a.kind {
		case argNumber:
			field(a.value, a.size)
		case argCount:
			field(uint64(n), 8)
		case argBytes:
			field(uint64(n*elem), 8)
		default:
			field(uint64(buffers[next]), 8)
			next++
		}
	}
	for len(out)%align != 0 {
		out = append(out, 0)
	}
	return out
}
