// Package ccu lets a Go program be a plugin of microprograms for communication units. A microprogram is two exported
// functions; the first records it through the functions of this package, the second computes the arguments of one launch:
//
//	//go:wasmexport hsim_ccu_all_gather_mesh
//	func record(reg *ccu.Register) int32
//
//	//go:wasmexport hsim_ccu_all_gather_mesh_launch
//	func launch(op *ccu.Invocation, args unsafe.Pointer, most uint32) int32
//
// Plugins of microprograms call it. It must never know more of the simulator than package abi says.
package ccu
