// Package fabric moves packets through the graph: egress queues, switches,
// links, loss and link state.
//
// It owns every packet in flight and the clock of every port. host/transport
// sends packets and receives them at their destination; the fabric must never
// know connections, protocols or memory. One event moves a packet, or a train
// of packets, over one link.
package fabric
