// Package record takes what a simulation shows to the outside: spans and counters on tracks, written as a Chrome
// trace-event file, and output files that appear whole or not at all.
//
// Who calls it: host/device and the engines record spans and counters through a *Recorder; host/scenario owns the Trace
// and decides when it is committed. A nil *Recorder is tracing switched off: every method returns at once and allocates
// nothing, so callers need no flag of their own.
//
// What it must never know: what a span means, and anything that would let recording change a run. A Recorder reads no
// clock and keeps no reference to the caller's data.
package record
