package fabric

import (
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/topo"
)

// drawn is what was sent last on a port and is not on its track yet: packets for
// one node that follow each other, with no more between them than an
// acknowledgement takes, are one span.
type drawn struct {
	start, end     sim.Time
	bytes, packets int64
	dst            topo.NodeID
}

// draw puts a packet or train on the track of its port: whose it will be, from
// its first byte on the link to its last. The recorder is on.
func (f *Fabric) draw(id topo.PortID, p *Packet, start, end sim.Time) {
	d := &f.drawn[id]
	if d.packets == 0 || d.dst != p.Dst || start-d.end > (end-start)/4 {
		f.flush(id)
		*d = drawn{start: start, dst: p.Dst}
	}
	d.end = end
	d.bytes += int64(p.Wire)
	d.packets += int64(p.NPkts)
}

func (f *Fabric) flush(id topo.PortID) {
	if d := &f.drawn[id]; d.packets > 0 {
		f.rec.Span(f.tracks[id], f.g.Nodes[d.dst].Name, d.start, d.end, record.Int("bytes", d.bytes), record.Int("packets", d.packets))
		d.packets = 0
	}
}

// Drawn completes the tracks of the ports at the end of a run.
func (f *Fabric) Drawn() {
	for i := range f.drawn {
		f.flush(topo.PortID(i))
	}
}
