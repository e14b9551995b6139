// Package guest runs host programs: WebAssembly commands, compiled from C, C++ or other languages, that call the runtime
// and the collective library by their public names. It is the program side of the ABI: every import of a program, and
// nothing else. A process is one instance with its memory, its table of device addresses and its threads, which are
// coroutines of the simulation; calls block in virtual time.
//
// It owns the translation between a 32-bit program and the simulation: pointers, handles, strings, structures, function
// pointers, stacks of threads, exit codes and output. The calls themselves are those of host/acl and host/hccl.
//
// host/scenario starts processes and reads how they ended. The package must never know sim.toml, a chip's figures, or how a
// call is carried out.
package guest
