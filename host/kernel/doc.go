// Package kernel runs kernels: functions of WebAssembly modules, launched as
// blocks on the AI cores (or AI CPUs) of one device in virtual time.
//
// It owns kernel binaries and their functions, the cores and their queue of
// launches, the blocks (one coroutine and one instance with its own local memory
// each), the DMA engines of the cores, and what all of that costs. The device
// (or the runtime on its behalf) calls it; peers and notifies are reached through
// the DMA and Notifies interfaces that the device implements, the queues that AI
// CPU functions put work on through Threads; a Guard says what a launch may reach.
// It must never know streams, tasks, contexts, runtime error codes or collectives: a launch ends
// with a Fault whose Cause the runtime turns into its code.
//
// The model of a core: the local memory is the instance's memory. An inward and
// an outward DMA engine work beside the compute units; each moves one transfer at
// a time, in the order of issue, for the profile's start cost plus its bytes at
// the core's rate. The transfers under way on all cores share the HBM rate in
// equal parts, exactly. Vector, cube and scalar work blocks the block for its
// time. A core of either kind has all units: the first generation's cores do.
package kernel
