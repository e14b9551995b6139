// Package device is the inside of a chip: hardware queues (streams) and the
// task scheduler that runs their tasks, SDMA channels with inline reduce, the
// host link's DMA, notify registers, the doorbells of posted work requests, the
// threads and channels that AI CPU functions enqueue on, and the resources of a
// die's communication unit as the runtime hands them out.
//
// The runtime and the collectives push tasks; the transports deliver into
// memory and registers; kernels, events, callbacks and CCU missions come in as
// operations behind the Op interface. The package must never know processes,
// contexts, communicators, algorithms, runtime error codes or plugins.
package device
