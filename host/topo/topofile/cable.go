package topofile

import (
	"slices"
	"strconv"

	"hsim/host/soc"
	"hsim/host/topo"
)

// attach cables one port to a network.
func (w *wiring) attach(dev topo.NodeID, p Port, sw topo.NodeID, e *Edge) {
	g := w.d.Group(e.role(), p.Die, p.Index)
	l := topo.Link{Rate: g.Rate, Latency: g.Latency, Layer: uint8(e.Layer), Protocols: e.Protocols}
	if e.Host {
		h := w.d.HostOf(dev)
		w.d.Nodes()[h].Forwards = true
		w.extra[h] |= e.Protocols
		w.d.Link(w.d.NextPort(h), w.d.NextPort(sw), l)
		return
	}
	port, free := w.d.Port(dev, p.Die, p.Index)
	if free {
		w.d.Link(port, w.d.NextPort(sw), l)
		return
	}
	near := w.d.Far(port)
	if near == sw {
		return
	}
	w.d.Cable(port).Protocols |= e.Protocols
	l.Latency = g.Uplink
	w.d.Link(w.d.NextPort(near), w.d.NextPort(sw), l)
}

// cables joins the devices of each copy of the peers.
func (w *wiring) cables() {
	_, copies := w.instances(0)
	for _, members := range copies {
		devices := map[int]topo.NodeID{}
		for _, m := range members {
			devices[w.members[m].Local] = topo.NodeID(m)
		}
		for i := range w.f.Edges {
			e := &w.f.Edges[i]
			a, okA := devices[e.A]
			b, okB := devices[e.B]
			if e.Net || !okA || !okB {
				continue
			}
			for k := range e.APorts {
				w.cable(a, b, e.APorts[k], e.BPorts[k], e)
			}
		}
	}
}

func (w *wiring) cable(a, b topo.NodeID, pa, pb Port, e *Edge) {
	ga, gb := w.d.Group(soc.Direct, pa.Die, pa.Index), w.d.Group(soc.Direct, pb.Die, pb.Index)
	portA, freeA := w.d.Port(a, pa.Die, pa.Index)
	portB, freeB := w.d.Port(b, pb.Die, pb.Index)
	if !freeA || !freeB {
		if w.shadowed == 0 {
			w.shadowLine = e.Line
		}
		w.shadowed++
		for _, p := range []struct {
			id   topo.PortID
			free bool
		}{{portA, freeA}, {portB, freeB}} {
			if !p.free {
				w.d.Cable(p.id).Protocols |= e.Protocols
			} else {
				w.d.Drop(p.id)
			}
		}
		return
	}
	l := topo.Link{Rate: ga.Rate, Latency: max(ga.Latency, gb.Latency), Layer: uint8(e.Layer), Protocols: e.Protocols}
	if gb.Rate != 0 && (l.Rate == 0 || gb.Rate < l.Rate) {
		l.Rate = gb.Rate
	}
	w.d.Link(portA, portB, l)
}

// backups adds the idle backup device of every copy whose peers have one that
// no member is.
func (w *wiring) backups() {
	if !slices.Contains(w.f.Peers, BackupID) {
		return
	}
	_, copies := w.instances(0)
	for copy, members := range copies {
		if slices.ContainsFunc(members, func(m int) bool { return w.members[m].Local == BackupID }) {
			continue
		}
		last := members[len(members)-1]
		server := int(w.d.Nodes()[last].Server)
		dev := w.d.Backup("backup"+strconv.Itoa(copy), server, BackupID)
		for i := range w.f.Edges {
			e := &w.f.Edges[i]
			if e.A != BackupID || !e.Net || e.Host {
				continue
			}
			instances, _ := w.instances(e.Layer)
			at := slices.IndexFunc(w.nets, func(net network) bool {
				return net.layer == e.Layer && net.number == e.Instance && net.instance == instances[last]
			})
			if at < 0 {
				continue
			}
			for _, p := range e.APorts {
				w.attach(dev, p, w.nets[at].sw, e)
			}
		}
	}
}
