// Package ccu is the collective communication unit of a die: microprograms are
// recorded from WebAssembly modules, translated to the unit's instructions,
// given registers, and run as missions that move data while the cores do
// something else.
//
// It owns microprogram modules and their registration, the resources of a die
// and how they are handed out, channels between dies, the encoding of
// instructions, and the engine: registers, waits, asynchronous moves, loop
// engines, and what all of that costs. The device calls it and implements Port,
// the way to peers; the collectives register and launch programs. It must never
// know streams, communicators, algorithms, runtime error codes or which plugin
// carries a connection: a mission ends with a Fault that the device reports.
//
// Times. An instruction takes Chip.CCU.Issue on the mission or the loop engine
// that runs it; the loop engines of a die run side by side. Moves between device
// memory and buffers share one path into the die and one out of it, each at
// MSCopyRate in the order of issue; a copy inside device memory takes both; the
// reduction of k buffers takes k-1 of them at MSReduceRate. Moves to and from
// peers take what the transport takes. An event bit that a peer sets is seen
// Chip.SyncCCU after it arrived: the price of one synchronisation, which
// overlaps with that of others.
package ccu
