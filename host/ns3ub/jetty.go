package ns3ub

import (
	"fmt"

	"hsim/host/topo"
	"hsim/host/transport"
)

// A jetty is a bundle of the channels of a group: a queue of tasks that are sent
// one after the other in slices, which its channels draw from it as they are free.
// Channels are shared by the jetties of all groups that hold them.

// entityKey is what tasks of one entity must agree in to follow each other.
type entityKey struct {
	group    int32
	src, dst int64
}

// startMessage hands a write or read to its jetty.
func (r *run) startMessage(i int) {
	t := &r.c.Tasks[i]
	s := &r.tasks[i]
	j, err := r.jetty(t)
	if err != nil {
		r.fail(err)
		return
	}
	wr := transport.WR{ID: uint64(i), Op: transport.OpWrite, Flags: transport.Signaled, Local: s.src, Remote: s.dst, Len: t.Size}
	if t.Op == OpRead {
		wr.Op = transport.OpRead
	}
	if err := r.net.Post(j, &wr); err != nil {
		r.fail(err)
	}
}

// jetty is the queue of a task: that of its entity, or one that no task is in.
func (r *run) jetty(t *Task) (transport.ConnID, error) {
	k := entityKey{t.group, t.SrcEntity, t.DstEntity}
	own := t.SrcEntity < 0 && t.DstEntity < 0
	if own {
		if free := r.idle[t.group]; len(free) > 0 {
			r.idle[t.group] = free[:len(free)-1]
			return free[len(free)-1], nil
		}
	} else if j, made := r.entity[k]; made {
		return j, nil
	}
	var ends []transport.ConnID
	for _, ch := range r.c.groups[t.group].channels {
		end, err := r.channel(ch, t.Src)
		if err != nil {
			return 0, err
		}
		ends = append(ends, end)
	}
	a := &r.c.Attr
	j, _, err := r.net.Bundle(ends, transport.BundleSpec{Slice: r.slice(), Outstanding: int(a.Inflight), Posted: int(a.Segments)})
	if err != nil {
		return 0, err
	}
	r.net.SetSink(j, (*messages)(r))
	if !own {
		r.entity[k] = j
	}
	return j, nil
}

// slice is how many bytes are sent on one channel before the next may follow on
// another: compact transport knows nothing larger than a packet.
func (r *run) slice() int64 {
	if r.c.Attr.CTP && r.c.Attr.SprayCTP && r.c.Attr.MultiPath {
		return mtu
	}
	return slice
}

// messages takes the ends of writes and reads.
type messages run

// Complete ends a task.
func (m *messages) Complete(x *transport.Completion) {
	r := (*run)(m)
	i := int(x.ID)
	t := &r.c.Tasks[i]
	if x.Status != transport.StatusOK {
		r.fail(fmt.Errorf("ns3ub: task %d: %v", t.ID, x.Status))
		return
	}
	if t.SrcEntity < 0 && t.DstEntity < 0 {
		r.idle[t.group] = append(r.idle[t.group], x.Conn)
	}
	r.progress(i, x.Bytes, x.First)
}

// fail ends the run at the next event.
func (r *run) fail(err error) {
	if r.failed == nil {
		r.failed = err
		r.eng.Interrupt()
	}
}

// channel is the end of channel ch at node from, made when first needed.
func (r *run) channel(ch int32, from int64) (transport.ConnID, error) {
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
		var err error
		pair[0], pair[1], err = r.net.Connect(transport.Spec{A: r.c.nodeID(k.NodeA), B: r.c.nodeID(k.NodeB), Protocol: r.proto, Index: int(ch), Via: via})
		if err != nil {
			return 0, err
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
