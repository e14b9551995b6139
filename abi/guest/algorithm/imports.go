//go:build wasip1

// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package algorithm

import _ "unsafe" // go:wasmimport

// Send: Send a range to a peer; matches the peer's receives on the channel in order. No bytes: a signal.
//
//go:wasmimport hsim_algorithm_v1 send
func Send(buffer uint32, offset uint64, n uint64, peer uint32, channel uint32, stream uint32) int32

// Receive: Receive into a range of output or scratch.
//
//go:wasmimport hsim_algorithm_v1 receive
func Receive(buffer uint32, offset uint64, n uint64, peer uint32, channel uint32, stream uint32) int32

// ReceiveReduce: Receive and combine into a range of output or scratch.
//
//go:wasmimport hsim_algorithm_v1 receive_reduce
func ReceiveReduce(buffer uint32, offset uint64, n uint64, peer uint32, channel uint32, stream uint32) int32

// Copy: Copy inside the rank.
//
//go:wasmimport hsim_algorithm_v1 copy
func Copy(to uint32, toOffset uint64, from uint32, fromOffset uint64, n uint64, stream uint32) int32

// Reduce: Combine inside the rank.
//
//go:wasmimport hsim_algorithm_v1 reduce
func Reduce(to uint32, toOffset uint64, from uint32, fromOffset uint64, n uint64, stream uint32) int32

// Sync: Let stream wait for everything emitted so far on the other stream, and for the arrival of what that has sent.
//
//go:wasmimport hsim_algorithm_v1 sync
func Sync(stream uint32, other uint32) int32

// Log: Write a line to the log.
//
//go:wasmimport hsim_algorithm_v1 log
func Log(text string)

// Fail: Refuse the operation with an error; does not return.
//
//go:wasmimport hsim_algorithm_v1 fail
func Fail(text string)
