// Package abi holds the plugin ABI, version 1, as data: kinds of modules, the functions each must export and may import,
// the records that pass through guest memory, and status codes.
//
// It owns the names, signatures and layouts; everything else about the ABI is derived from it. `go generate ./abi` writes
// the C header (include/hsim.h), the Go guest SDK (guest), the reference page (docs/interfaces.md) and the golden file
// (testdata/golden.txt), and a test refuses stale copies.
//
// host/wasm calls it to check modules at load; host/transport, host/kernel and host/ccu overlay its structs on guest memory.
// It must never know wazero, a simulation, or what a plugin does with a record.
package abi

//go:generate go run ./internal/gen/write
