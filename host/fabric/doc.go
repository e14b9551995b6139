// Package fabric moves packets through the graph: egress queues, switches, links,
// lanes, flow control, buffers, marks, loss and link state.
//
// It owns every packet in flight and the clock of every port. host/transport
// sends packets and receives them at their destination; the fabric must never
// know connections, protocols or memory. A switch handles all packets and trains of
// a window in one event (window.go, ahead.go, moments.go); a device, one in an event.
//
// A port has one of two disciplines. Without features it sends in order of arrival,
// and all that becomes of a packet at a port is decided when it arrives there
// (fabric.go). With any of Features on, ports queue packets and choose when their
// wire is free (queued.go, serve.go, wire.go): lanes by priority or by weight
// (lane.go), ports in turns (turns.go), stopped by credits (credit.go) or pauses and
// bounded by buffers (buffer.go), after a time to choose (alloc.go). Both choose ways
// (route.go), suffer faults (fault.go, loss.go) and count (sight.go).
package fabric
