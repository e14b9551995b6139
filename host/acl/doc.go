// Package acl is the runtime that programs call: the aclrt* (rt*) functions as
// methods of a runner thread, with the real error codes. It owns processes,
// threads with their current contexts, devices and their status as a process sees
// them, streams and what captures make of them, events, notifies, callbacks,
// memory of every sort and how processes share it, peer access, kernels and their
// arguments, the resources of communication units, and the tables of all that.
//
// Host programs (Go functions and, through host/guest, WebAssembly ones) call
// it from their own coroutine; calls take host time and block in virtual time.
// hccp and hccl build on it. It must never know sockets, queue pairs,
// communicators or algorithms.
//
// Objects are Go pointers with a number per process for programs (Handle); null,
// wild, foreign and destroyed ones are refused with a code and change nothing.
// Interfaces lists every call by the name that programs import. With Config.Rows
// everything that ever was stays as a row of Runtime.Tables.
package acl
