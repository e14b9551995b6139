// Package hccl is collective communication in the manner of HCCL: algorithms as
// pure step generators, the choice among them, their expansion into stream
// tasks of the devices, communicators, argument checks, HCCL's result codes,
// and the arithmetic of hccl_test.
//
// It is called by the scenario, by the guest's Hccl* imports and by `hsim plan`
// and `hsim explain`. It must never know sim.toml, WebAssembly, packets, or
// which plugin carries a connection.
//
// An algorithm (schedule.go and the files named after algorithms) only says
// which pieces move in which step, over all ranks or at one level of a hierarchy
// (scheme.go, twolevel.go). Iter adds the handshake, once for all of them, and
// Verify proves a plan: contributions, matching, races, deadlocks.
//
// A Schedule is an algorithm of a user: an Author puts the steps of a rank onto a
// Tape, which adds the handshakes, and the steps of all ranks become a program.
// Package schedule in this room lets plugins be authors.
package hccl
