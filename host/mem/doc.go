// Package mem is the memory of a simulation: physical blocks and what they
// keep, the virtual ranges that map them, registered regions with their keys,
// and the element-wise reductions every engine shares.
//
// A Block is a physical memory block of a device (or of a host, device -1)
// with a store behind it: real bytes allocated when first written, phantom
// memory that checks bounds and keeps nothing, or registers that belong to a
// piece of hardware. A Range maps a block at an address, or reserves addresses in
// which blocks are mapped and unmapped; several ranges may map one block (a
// registered host buffer, an imported IPC handle). Addresses are unique in the
// whole simulation, so a look-up is one shift and one index.
//
// Everything above the world band uses it: devices, transports, kernels, the
// CCU, the runtime. It must never know HCCL, tasks, streams, topology or time:
// what an access costs is charged by whoever makes it.
package mem
