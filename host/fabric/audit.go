package fabric

import (
	"fmt"

	"hsim/host/topo"
)

// Audit says what a fabric at rest cannot be right about, nil when there is
// nothing: packets that never came to an end, a wire that carried more than its
// rate, a switch that sent on something else than it got, losses that nothing
// explains.
func (f *Fabric) Audit() error {
	if f.flying != 0 {
		return fmt.Errorf("fabric: audit: got %d packets under way at the end, want none", f.flying)
	}
	now := f.e.Now()
	lossless := f.q != nil && (f.q.cell > 0 || f.q.c.Pause.Lanes == 1<<f.q.n-1)
	bounded := f.q != nil && f.q.bounded
	for i := range f.ports {
		id := topo.PortID(i)
		s := f.Stat(id)
		name := f.g.PortName(id)
		switch rate := f.ports[id].rate; {
		case s.Busy > now:
			return fmt.Errorf("fabric: audit port %s: got %v on the wire in %v", name, s.Busy, now)
		case rate > 0 && !f.rated && s.Bytes > rate.Bytes(s.Busy)+s.Packets: // a byte each is lost to whole picoseconds
			return fmt.Errorf("fabric: audit port %s: got %d bytes in %v, want at most %d at %v", name, s.Bytes, s.Busy, rate.Bytes(s.Busy), rate)
		case lossless && s.Full > 0:
			return fmt.Errorf("fabric: audit port %s: got %d packets without room on lanes that lose nothing", name, s.Full)
		case !f.faulty && !bounded && s.Drops > 0:
			return fmt.Errorf("fabric: audit port %s: got %d lost packets with sound links and buffers without end", name, s.Drops)
		}
	}
	for i := range f.g.Nodes {
		if err := f.balance(topo.NodeID(i)); err != nil {
			return err
		}
	}
	return nil
}

// balance says whether a switch sent on what it got. Frames that return credit
// begin and end at switches: with them there is no balance.
func (f *Fabric) balance(n topo.NodeID) error {
	if f.g.Nodes[n].Kind != topo.Switch || f.q != nil && f.q.c.Credits.Frame > 0 {
		return nil
	}
	var in, out Stat
	for _, p := range f.g.NodePorts(n) {
		from, to := f.Stat(f.g.Peer(p)), f.Stat(p)
		in.Packets += from.Packets - from.Drops
		in.Bytes += from.Bytes
		in.Drops += from.Drops
		out.Packets += to.Packets
		out.Bytes += to.Bytes
	}
	if in.Packets != out.Packets || in.Drops == 0 && in.Bytes != out.Bytes {
		return fmt.Errorf("fabric: audit %s: got %d packets and %d bytes in, %d and %d out", f.g.Nodes[n].Name, in.Packets, in.Bytes, out.Packets, out.Bytes)
	}
	return nil
}
