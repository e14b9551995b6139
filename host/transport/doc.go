// Package transport owns connections: their send and receive queues, the
// cursor from packet sequence numbers to work requests, arbitration at the
// ports, matching, completion order and flush. It drives transport plugins,
// which own the protocol: sequence numbers, windows, acknowledgements,
// retransmission, time-outs and path choice.
//
// host/device and the layers above post work requests and take completions
// through a Sink. The package reaches memory by address and knows nothing of
// streams, ranks or collectives.
package transport
