//go:build wasip1

// Command ccu-go is a CCU microprogram in Go: broadcast over a full mesh. Build it with `hsim plugin build
// examples/ccu-go`, or copy this directory, change it, and build the copy; then name the module in sim.toml:
//
//	[plugins]
//	ccu = ["builtin", "ccu-go.wasm"]
//
// A run with op = "broadcast", algorithm = "mesh" and expansion = "ccu_sched" looks for the program broadcast_mesh.
package main

import (
	"unsafe"

	"hsim/abi/guest/ccu"
)

func main() {} // not called: the module's functions are

// The arguments of a launch, in the order in which they are loaded.
const (
	argIn = iota
	argInToken
	argOut
	argOutToken
	argBytes
	argParts
	args = argParts + ccu.Parts
)

// record runs once for each rank, when the program is registered: it records what the CCU will do at every launch. Nothing
// moves here.
//
//go:wasmexport hsim_ccu_broadcast_mesh
func record(reg *ccu.Register) int32 {
	arg := ccu.LoadArgs(0, args)
	ccu.Before(reg.NChannels, ccu.MeshOutput, arg+argOut, arg+argOutToken)
	if reg.Rank == reg.Root {
		// The writes to all peers go on by themselves; each sets a bit when it is complete.
		from := ccu.Mem{Addr: ccu.Addresses(1), Token: arg + argInToken}
		ccu.AddressFrom(from.Addr, arg+argIn)
		done := ccu.Events((reg.NChannels + 15) / 16)
		for c := range reg.NChannels {
			to := ccu.Peer(c, ccu.MeshOutput)
			ccu.Write(c, to.Addr, to.Token, from.Addr, from.Token, arg+argBytes, done+int32(c/16), 1<<(c%16))
		}
		// The own copy runs meanwhile, through the buffers.
		own := ccu.Mem{Addr: ccu.Addresses(1), Token: arg + argOutToken}
		ccu.AddressFrom(own.Addr, arg+argOut)
		copier := ccu.NewCopier()
		copier.Copy(own, from, arg+argParts)
		for c := range reg.NChannels {
			ccu.EventWait(done+int32(c/16), 1<<(c%16))
		}
	}
	ccu.After(reg.NChannels)
	return ccu.StatusOK
}

// launch runs for every launch: the values that the program loads.
//
//go:wasmexport hsim_ccu_broadcast_mesh_launch
func launch(op *ccu.Invocation, room unsafe.Pointer, most uint32) int32 {
	if most < args || op.OutputBytes > ccu.Chunk { // one write each
		return ccu.StatusLimit
	}
	a := ccu.Args(room, most)
	a[argIn], a[argInToken] = op.Input, op.InputToken
	a[argOut], a[argOutToken] = op.Output, op.OutputToken
	a[argBytes] = op.OutputBytes
	own := op.OutputBytes
	if op.Input == op.Output { // in place: the root has nothing to copy
		own = 0
	}
	ccu.Split(a[argParts:], own)
	return args
}
