// Package guest lets a Go program be a kernel plugin: the imports of the kernel interface, its constants, and the exports
// every plugin needs. It is compiled to WebAssembly only:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mykernels.wasm .
//
// A kernel is an exported function:
//
//	//go:wasmexport hsim_kernel_scale
//	func scale(args unsafe.Pointer, n, block, blocks uint32) int32
//
// It must never know more of the simulator than package abi says.
package guest
