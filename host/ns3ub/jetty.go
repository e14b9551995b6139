package ns3ub

import (
	"fmt"

	"hsim/host/topo"
	"hsim/host/transport"
)

// jetty is a queue of tasks that are sent one after the other, in slices that
// its flows draw from it.
type jetty struct {
	tasks    []int // not all slices drawn yet
	off      int64 // of the first task: bytes drawn
	inflight int64 // slices drawn and not complete
	flows    []int32
	blocked  bool // a flow found it at its limit
}

// entityKey is what tasks of one entity must agree in to follow each other.
type entityKey struct {
	group    int32
	src, dst int64
}

// flow is one end of a channel as a sender: slices of the jetties bound to it, in
// turn.
type flow struct {
	conn    transport.ConnID
	jetties []int32
	turn    int
	unsent  int   // slices posted of which packets are left to send
	posted  int64 // slices posted and not complete
}

// ahead is how many slices with packets left to send a flow holds: the one being
// sent and the next.
const ahead = 2

// startMessage hands a write or read to its jetty.
func (r *run) startMessage(i int) {
	t := &r.c.Tasks[i]
	k := entityKey{t.group, t.SrcEntity, t.DstEntity}
	n, shared := r.entity[k]
	if !shared {
		n = int32(len(r.jetties))
		j := jetty{}
		for _, ch := range r.c.groups[t.group].channels {
			f, err := r.flow(ch, t.Src)
			if err != nil {
				r.fail(err)
				return
			}
			j.flows = append(j.flows, f)
		}
		r.jetties = append(r.jetties, j)
		if t.SrcEntity >= 0 || t.DstEntity >= 0 {
			r.entity[k] = n
		}
	}
	j := &r.jetties[n]
	j.tasks = append(j.tasks, i)
	if len(j.tasks) > 1 {
		return
	}
	for _, f := range j.flows {
		r.flows[f].jetties = append(r.flows[f].jetties, n)
	}
	r.deal(j.flows)
}

// deal lets flows draw slices, one each in turn, until none can.
func (r *run) deal(flows []int32) {
	for again := true; again; {
		again = false
		for _, f := range flows {
			again = r.draw(f) || again
		}
	}
}

// draw posts the next slice on a flow and says whether there was one and room
// for it.
func (r *run) draw(f int32) bool {
	w := &r.flows[f]
	if w.unsent >= ahead || w.posted >= r.c.Attr.Segments {
		return false
	}
	for range w.jetties {
		if w.turn >= len(w.jetties) {
			w.turn = 0
		}
		n := w.jetties[w.turn]
		j := &r.jetties[n]
		if j.inflight >= r.c.Attr.Inflight {
			j.blocked = true
			w.turn++
			continue
		}
		r.post(f, n)
		return true
	}
	return false
}

// post takes the next slice of jetty n and sends it on flow f.
func (r *run) post(f, n int32) {
	w, j := &r.flows[f], &r.jetties[n]
	i := j.tasks[0]
	t := &r.c.Tasks[i]
	s := &r.tasks[i]
	wr := transport.WR{ID: uint64(n)<<32 | uint64(i), Op: transport.OpWrite, Flags: transport.Signaled,
		Local: s.src.Add(j.off), Remote: s.dst.Add(j.off), Len: min(r.slice(), t.Size-j.off)}
	if t.Op == OpRead {
		wr.Op = transport.OpRead
	}
	w.turn++
	w.unsent++
	w.posted++
	j.inflight++
	if j.off += wr.Len; j.off == t.Size {
		j.off = 0
		if j.tasks = j.tasks[1:]; len(j.tasks) == 0 {
			r.unbind(n)
		}
	}
	if err := r.net.Post(w.conn, &wr); err != nil {
		r.fail(err)
	}
}

// slice is how many bytes are sent on one channel before the next may follow on
// another: compact transport knows nothing larger than a packet.
func (r *run) slice() int64 {
	if r.c.Attr.CTP && r.c.Attr.SprayCTP && r.c.Attr.MultiPath {
		return mtu
	}
	return slice
}

// unbind takes a jetty with nothing left to draw off its flows.
func (r *run) unbind(n int32) {
	for _, f := range r.jetties[n].flows {
		w := &r.flows[f]
		for k, x := range w.jetties {
			if x == n {
				w.jetties = append(w.jetties[:k], w.jetties[k+1:]...)
				if w.turn > k {
					w.turn--
				}
				break
			}
		}
	}
}

// Departed lets a flow draw when a slice has left.
func (r *run) Departed(c transport.ConnID, _ uint64) {
	if f := r.ownerOf(c); f != 0 {
		r.flows[f].unsent--
		r.draw(f)
	}
}

// Complete takes the acknowledgement of a slice.
func (r *run) Complete(x *transport.Completion) {
	f := r.ownerOf(x.Conn)
	if f == 0 {
		r.memoryDone(x)
		return
	}
	i, n := int(x.ID&0xffffffff), int32(x.ID>>32)
	if x.Status != transport.StatusOK {
		r.fail(fmt.Errorf("ns3ub: task %d: %v after %d bytes", r.c.Tasks[i].ID, x.Status, r.c.Tasks[i].Size-r.tasks[i].left))
		return
	}
	w, j := &r.flows[f], &r.jetties[n]
	w.posted--
	j.inflight--
	if j.blocked {
		j.blocked = false
		r.deal(j.flows)
	}
	r.progress(i, x.Bytes, x.First)
	for r.draw(f) {
	}
}

// ownerOf is the flow of a connection end, 0 for one of memory tasks.
func (r *run) ownerOf(c transport.ConnID) int32 {
	if int(c) < len(r.owner) {
		return r.owner[c]
	}
	return 0
}

// fail ends the run at the next event.
func (r *run) fail(err error) {
	if r.failed == nil {
		r.failed = err
		r.eng.Interrupt()
	}
}

// flow is the end of channel ch at node from, made when first needed.
func (r *run) flow(ch int32, from int64) (int32, error) {
	k := &r.c.Channels[ch]
	pair, made := r.ends[ch]
	if !made {
		via := &transport.Via{PortA: r.c.port(k.NodeA, k.PortA), PortB: topo.None, Lane: uint8(min(k.Priority, r.c.Attr.Lanes-1))}
		if k.PortB != noPort {
			via.PortB = r.c.port(k.NodeB, k.PortB)
		}
		via.ToA, via.ToB = r.routesTo(k.PortA), r.routesTo(k.PortB)
		if via.PortB == topo.None { // answers take the first way back
			via.PortB = r.c.shortest.Ports(r.c.nodeID(k.NodeB), r.c.nodeID(k.NodeA))[0]
		}
		a, b, err := r.net.Connect(transport.Spec{A: r.c.nodeID(k.NodeA), B: r.c.nodeID(k.NodeB), Protocol: r.proto, Index: int(ch), Via: via})
		if err != nil {
			return 0, err
		}
		for i, conn := range []transport.ConnID{a, b} {
			r.net.SetSink(conn, r)
			pair[i] = int32(len(r.flows))
			for int(conn) >= len(r.owner) {
				r.owner = append(r.owner, 0)
			}
			r.owner[conn] = pair[i]
			r.flows = append(r.flows, flow{conn: conn})
		}
		r.ends[ch] = pair
	}
	if from == k.NodeA {
		return pair[0], nil
	}
	return pair[1], nil
}

// routesTo is the number of the set of routes towards a destination port.
func (r *run) routesTo(port int64) uint8 {
	if r.c.routes == nil {
		port = noPort
	}
	n, made := r.nets[port]
	if !made {
		n = r.net.AddRoutes(r.c.table(port))
		r.nets[port] = n
	}
	return n
}
