//go:build wasip1

// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package transport

import "unsafe"

// Send: Send a packet that is not data after the present call returns: a probe, a notification. conn, kind, psn, msn, wire, flags, lane, path, cc and ext_* are read; entropy 0 is the connection's.
//
//go:wasmimport hsim_transport_v1 send
func Send(packet unsafe.Pointer) int32

// Random: The next number of the instance's seeded stream.
//
//go:wasmimport hsim_transport_v1 random
func Random() uint64

// Count: Add to a named counter of the report.
//
//go:wasmimport hsim_transport_v1 count
func Count(name string, by int64)

// Trace: Add a sample to a named track of the trace.
//
//go:wasmimport hsim_transport_v1 trace
func Trace(name string, value int64)

// Log: Write a line to the log.
//
//go:wasmimport hsim_transport_v1 log
func Log(text string)

// Fail: End the run of this plugin with an error; does not return.
//
//go:wasmimport hsim_transport_v1 fail
func Fail(text string)
