// Package sim is the virtual clock of hsim: an event queue in integer
// picoseconds, coroutines that block in virtual time, conditions with wait
// reasons, and named random streams.
//
// It owns time, order and the notion of a stall. Every other package of the
// simulator calls it; it knows none of them, and nothing of devices, networks
// or programs. All methods but Interrupt and Seen belong to the one goroutine
// that runs the engine (and to the coroutines it resumes).
package sim
