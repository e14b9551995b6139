package ccu

import (
	"fmt"
	"slices"

	"hsim/host/mem"
)

// ChannelNotifies is how many notifies of 16 bits a channel has at each end, and
// ChannelVariables how many variables it mirrors. Source: the public interface
// of channel notifies; the number of variables is hsim's.
const (
	ChannelNotifies  = 8
	ChannelVariables = 8
)

// half is what a channel takes of a granule of events and of variables.
const half = 8

// Channel is one end of a connection between two units: events that the peer
// sets and variables that it writes.
type Channel struct {
	unit     *Unit
	peer     *Channel
	number   int
	conn     int32 // of the Port; 0: the other die of the same device
	rank     uint32
	protocol uint8
	events   int // first CKE
	vars     int // first Xn
	user     *Program
}

// End describes one end for Join. Conn is the Port's connection as this end has
// it, 0 between the dies of one device. Rank is the rank of this end's device.
type End struct {
	Unit *Unit
	Conn int32
	Rank uint32
}

// Join makes a channel between two units; protocol is information for programs.
// Errors: a *LimitError, two devices without connections.
func Join(a, b End, protocol uint8) (*Channel, *Channel, error) {
	if a.Unit == b.Unit || (a.Unit.e == b.Unit.e) != (a.Conn == 0) || (a.Conn == 0) != (b.Conn == 0) {
		return nil, nil, fmt.Errorf("ccu: join %s and %s: got connections %d and %d, want two units, and none between dies of one device",
			a.Unit.Name(), b.Unit.Name(), a.Conn, b.Conn)
	}
	x, err := a.Unit.open(a.Conn, b.Rank, protocol)
	if err != nil {
		return nil, nil, err
	}
	y, err := b.Unit.open(b.Conn, a.Rank, protocol)
	if err != nil {
		x.close()
		return nil, nil, err
	}
	x.peer, y.peer = y, x
	return x, y, nil
}

func (u *Unit) open(conn int32, rank uint32, protocol uint8) (*Channel, error) {
	b, err := u.Take(Channels, 1)
	if err != nil {
		return nil, err
	}
	c := &Channel{unit: u, number: b.First, conn: conn, rank: rank, protocol: protocol}
	if c.events, err = u.slot(Events); err == nil {
		if c.vars, err = u.slot(Variables); err != nil {
			u.unslot(Events, c.events)
		}
	}
	if err != nil {
		u.pools[Channels].give(b)
		return nil, err
	}
	u.chans[c.number] = c
	return c, nil
}

// slot takes half a granule: two channels share one.
func (u *Unit) slot(r Resource) (int, error) {
	if len(u.halves[r]) == 0 {
		b, err := u.Take(r, 2*half)
		if err != nil {
			return 0, err
		}
		u.halves[r] = append(u.halves[r], b.First, b.First+half)
	}
	first := u.halves[r][0]
	u.halves[r] = u.halves[r][1:]
	return first, nil
}

// unslot gives half a granule back, and the granule once both halves are.
func (u *Unit) unslot(r Resource, first int) {
	twin := first ^ half
	if i := slices.Index(u.halves[r], twin); i >= 0 {
		u.halves[r] = slices.Delete(u.halves[r], i, i+1)
		u.pools[r].give(Block{min(first, twin), 2 * half})
		return
	}
	u.halves[r] = append(u.halves[r], first)
	slices.Sort(u.halves[r])
}

// Close gives both ends back. No program may use them any more.
func (c *Channel) Close() {
	p := c.peer
	c.close()
	p.close()
}

func (c *Channel) close() {
	u := c.unit
	if u.chans[c.number] != c {
		return
	}
	u.chans[c.number] = nil
	u.pools[Channels].give(Block{c.number, 1})
	u.unslot(Events, c.events)
	u.unslot(Variables, c.vars)
}

// Unit is the channel's end here.
func (c *Channel) Unit() *Unit { return c.unit }

// Peer is the other end.
func (c *Channel) Peer() *Channel { return c.peer }

// Number is the channel's number on its die.
func (c *Channel) Number() int { return c.number }

// notify is the register of the peer that a record sets.
func (c *Channel) notify(index int) int { return c.peer.events + index }

// describe says what an event of the unit is for, by its channel.
func (u *Unit) describe(cke int) (text string, c *Channel) {
	for _, c := range u.chans {
		if c != nil && cke >= c.events && cke < c.events+ChannelNotifies {
			return fmt.Sprintf("notify %d of the channel to rank %d", cke-c.events, c.rank), c
		}
	}
	for name, id := range u.tags {
		if id == cke {
			return fmt.Sprintf("tag %q", name), nil
		}
	}
	return "", nil
}

// remote is the address of a register at the peer, by its number there.
func (c *Channel) remote(op Op, number int) (mem.Addr, bool) {
	p := c.peer.unit
	switch op {
	case OpSyncXn:
		return p.Variable(number), number < len(p.xn)
	case OpSyncGSA:
		return p.Address(number), number < len(p.gsa)
	}
	return p.Event(number), number < len(p.cke)
}
