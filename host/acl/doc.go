// Package acl is the runtime that programs call: the aclrt* (rt*) functions as
// methods of a runner thread, with the real error codes. It owns processes,
// threads with their current contexts, devices as a process sees them, streams,
// events, notifies, memory calls, peer access, kernel launches, and the table
// of tasks.
//
// Host programs (Go functions and, through host/guest, WebAssembly ones) call
// it from their own coroutine; calls take host time and block in virtual time.
// hccp and hccl build on it. It must never know sockets, queue pairs,
// communicators or algorithms.
package acl
