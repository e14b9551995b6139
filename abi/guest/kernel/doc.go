// Package kernel lets a Go program be a kernel plugin: functions of AI cores and AI CPUs. A kernel is an exported function:
//
//	//go:wasmexport hsim_kernel_scale
//	func scale(args unsafe.Pointer, n, block, blocks uint32) int32
//
// Plugins of kernels call it. It must never know more of the simulator than package abi says.
package kernel
