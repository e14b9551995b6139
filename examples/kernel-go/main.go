//go:build wasip1

// A kernel plugin in Go: build it with `hsim plugin build examples/kernel-go`, or with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o kernel-go.wasm .
//
// and name the file in sim.toml:
//
//	[plugins]
//	kernels = ["builtin", "kernel-go.wasm"]
//
// A Go module is some 2 MB and starts in milliseconds; the C example beside it is 1 KB and starts in microseconds.
package main

import (
	"unsafe"

	"hsim/abi/guest/kernel"
)

// scaleArgs is what the launch passes, as a C struct would have it: y[i] = factor * x[i] for n values of fp32.
type scaleArgs struct {
	x, y, n uint64
	factor  float32
	_       float32
}

// tile is how many values are in local memory at a time.
const tile = 4096

// scale runs once per block; the blocks share the tiles in turn.
//
//go:wasmexport hsim_kernel_go_scale
func scale(args unsafe.Pointer, argsLen, block, blocks uint32) int32 {
	a := kernel.Args[scaleArgs](args, argsLen)
	buf := make([]float32, tile)
	for first := uint64(block) * tile; first < a.n; first += uint64(blocks) * tile {
		part := buf[:min(tile, a.n-first)]
		if s := kernel.In(part, a.x+first*4); s != kernel.StatusOK {
			return s
		}
		for i := range part {
			part[i] *= a.factor
		}
		if s := kernel.Vector(uint64(len(part)), kernel.DtypeFp32); s != kernel.StatusOK {
			return s
		}
		if s := kernel.Out(a.y+first*4, part); s != kernel.StatusOK {
			return s
		}
	}
	return kernel.StatusOK
}

func main() {}
