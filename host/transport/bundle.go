package transport

import "fmt"

// BundleSpec says how a bundle cuts its requests among its channels.
type BundleSpec struct {
	// Slice is the largest part of a request that goes over one channel, in
	// bytes: a multiple of the MTU, 0 = 64 KiB, the slice of UB's transactions.
	Slice int64
	// Even cuts a request into equal parts instead, one a channel, but none
	// smaller than Slice: as queue pairs share the data of a connection.
	Even bool
	// InTurn gives slices to the channels in turn; else the first that is free
	// takes the next one.
	InTurn bool
	// Ahead is how many slices with packets left to send a channel holds, 0 = 2:
	// the one being sent and the next.
	Ahead int
	// Outstanding bounds the slices of a bundle that are not answered, Posted
	// those of a channel; 0 = any number.
	Outstanding, Posted int
}

// maxChannels is the most of one bundle: 32, as HCCL has queue pairs of a connection
// and URMA jetties of a group.
const maxChannels = 32

// DefaultSlice is the slice of UB's transaction layer.
const DefaultSlice = 64 << 10

// Roles of connection ends.
const (
	rolePlain   = iota
	roleBundle  // its requests are cut in slices
	roleChannel // carries them
)

// bundle is what a connection end has that is a bundle.
type bundle struct {
	n        *Net
	id       ConnID
	spec     BundleSpec
	channels []*channel
	owned    bool // made with the channels, and closed with them
	turn     int  // channel of the next slice, where they take turns
	flying   int  // slices posted and not complete
	blocked  bool // a channel found it unwilling
	bound    bool
	pending  []arrival // at the peer: slices before their turn
}

// Bundle makes a connection of several: what is posted on its ends is cut in
// slices that go over the given ones, of which a request is complete when all its
// slices are. ends are ends of connections between one pair of devices, all at the
// first; several bundles may share them, and nothing else may be posted on them.
// Errors: ends that do not fit together, a slice that is no multiple of an MTU.
func (n *Net) Bundle(ends []ConnID, s BundleSpec) (a, b ConnID, err error) {
	if len(ends) == 0 {
		return 0, 0, fmt.Errorf("transport: bundle: got no connections, want at least one")
	}
	if s.Slice == 0 {
		s.Slice = DefaultSlice
	}
	if s.Ahead == 0 {
		s.Ahead = 2
	}
	if s.Slice < 0 || s.Ahead < 0 || s.Outstanding < 0 || s.Posted < 0 {
		return 0, 0, fmt.Errorf("transport: bundle: got a slice of %d bytes and limits of %d, %d and %d slices, want none below 0", s.Slice, s.Ahead, s.Outstanding, s.Posted)
	}
	head := n.conns.at(ends[0])
	for _, id := range ends {
		c := n.conns.at(id)
		switch {
		case c.node != head.node || c.far != head.far || c.proto != head.proto || c.mtu != head.mtu || c.service != head.service:
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s to %s is not of the kind of connection %d", id, n.Graph.Nodes[c.node].Name, n.Graph.Nodes[c.far].Name, ends[0])
		case c.role == roleBundle || c.state != ready:
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s is a bundle, failed or closed", id, n.Graph.Nodes[c.node].Name)
		case c.loose():
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s is not reliable", id, n.Graph.Nodes[c.node].Name)
		case s.Slice%int64(c.mtu) != 0:
			return 0, 0, fmt.Errorf("transport: bundle: got a slice of %d bytes, want a multiple of the MTU, %d", s.Slice, c.mtu)
		}
	}
	a, b = n.bundleEnd(ends, &s), n.bundleEnd(n.peers(ends), &s)
	n.conns.at(a).peer, n.conns.at(b).peer = b, a
	return a, b, nil
}

// group makes a bundle with the channels it is made of.
func (n *Net) group(car *carrierState, s Spec) (a, b ConnID, err error) {
	s.Channels = max(s.Channels, 1)
	if s.Channels > maxChannels {
		return 0, 0, fmt.Errorf("transport: connect %s to %s: got %d channels, want at most %d", n.Graph.Nodes[s.A].Name, n.Graph.Nodes[s.B].Name, s.Channels, maxChannels)
	}
	ends := make([]ConnID, s.Channels)
	for i := range ends {
		s.channel = i + 1
		if ends[i], _, err = n.Connect(s); err != nil {
			return 0, 0, err
		}
	}
	if a, b, err = n.Bundle(ends, car.Bundle); err != nil {
		return 0, 0, err
	}
	n.bundleAt(a).owned = true
	return a, b, nil
}

func (n *Net) peers(ends []ConnID) []ConnID {
	out := make([]ConnID, len(ends))
	for i, id := range ends {
		out[i] = n.conns.at(id).peer
	}
	return out
}

func (n *Net) bundleEnd(ends []ConnID, s *BundleSpec) ConnID {
	id, c := n.conns.get()
	head := n.conns.at(ends[0])
	c.node, c.far, c.proto, c.engine, c.service, c.mtu, c.order, c.role = head.node, head.far, head.proto, head.engine, head.service, head.mtu, head.order, roleBundle
	b := &bundle{n: n, id: id, spec: *s}
	for _, e := range ends {
		ch := n.channelOf(e, s)
		ch.members = append(ch.members, id)
		b.channels = append(b.channels, ch)
	}
	n.moreOf(c).bundle = b
	return id
}

func (n *Net) bundleAt(id ConnID) *bundle { return n.more[n.conns.at(id).more].bundle }

// closeBundle closes the channels that were made with a bundle.
func (n *Net) closeBundle(b *bundle) error {
	if !b.owned {
		return nil
	}
	for _, ch := range b.channels {
		if err := n.Close(ch.conn); err != nil {
			return err
		}
	}
	return nil
}
