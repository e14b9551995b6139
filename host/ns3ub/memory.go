package ns3ub

import (
	"fmt"

	"hsim/host/topo"
	"hsim/host/transport"
)

// Loads and stores are issued by two threads of a device, which share every task
// between them in equal parts. A thread has its tasks in a row and a bounded
// number of packets of each kind in flight; every packet is acknowledged by
// itself.

const memoryThreads = 2

type threadKey struct {
	node   int64
	number int
	op     Op
}

// thread is the packets of one kind that one thread issues.
type thread struct {
	parts  []part
	flying int64
	limit  int64
}

// part is a thread's share of a task.
type part struct {
	task     int
	off, end int64
	conn     transport.ConnID
}

// memoryID packs what a completion of a load or store needs to know.
func memoryID(task, number int) uint64 { return uint64(number)<<32 | uint64(task) }

// startMemory shares a load or store among the threads of its device.
func (r *run) startMemory(i int) {
	t := &r.c.Tasks[i]
	conn, err := r.memoryConn(t.Src, t.Dst, t.Priority)
	if err != nil {
		r.fail(err)
		return
	}
	each := t.Size / memoryThreads
	for n := range memoryThreads {
		k := threadKey{t.Src, n, t.Op}
		th := r.threads[k]
		if th == nil {
			th = &thread{limit: r.c.Attr.StoresInFlight}
			if t.Op == OpLoad {
				th.limit = r.c.Attr.LoadInFlight
			}
			r.threads[k] = th
		}
		p := part{task: i, off: int64(n) * each, end: int64(n+1) * each, conn: conn}
		if n == memoryThreads-1 {
			p.end = t.Size
		}
		if p.off < p.end {
			th.parts = append(th.parts, p)
		}
		r.issue(th, n)
	}
}

// issue sends packets of a thread up to its limit.
func (r *run) issue(th *thread, number int) {
	for th.flying < th.limit && len(th.parts) > 0 {
		p := &th.parts[0]
		t := &r.c.Tasks[p.task]
		wr := transport.WR{ID: memoryID(p.task, number), Op: transport.OpWrite, Flags: transport.Signaled,
			Local: r.tasks[p.task].src.Add(p.off), Remote: r.tasks[p.task].dst.Add(p.off), Len: min(r.c.Attr.StoreBytes, p.end-p.off)}
		if t.Op == OpLoad {
			wr.Op, wr.Len = transport.OpRead, min(r.c.Attr.LoadBytes, p.end-p.off)
		}
		conn := p.conn
		if p.off += wr.Len; p.off == p.end {
			th.parts = th.parts[1:]
		}
		th.flying++
		if err := r.net.Post(conn, &wr); err != nil {
			r.fail(err)
			return
		}
	}
}

// Complete takes the answer to a load or store.
func (r *run) Complete(x *transport.Completion) {
	i, number := int(x.ID&0xffffffff), int(x.ID>>32)
	t := &r.c.Tasks[i]
	if x.Status != transport.StatusOK {
		r.fail(fmt.Errorf("ns3ub: task %d: %v after %d bytes", t.ID, x.Status, t.Size-r.tasks[i].left))
		return
	}
	th := r.threads[threadKey{t.Src, number, t.Op}]
	th.flying--
	r.progress(i, x.Bytes, x.First)
	r.issue(th, number)
}

type memoryKey struct {
	src, dst, priority int64
}

// memoryConn is the connection that loads and stores of a pair share.
func (r *run) memoryConn(src, dst, priority int64) (transport.ConnID, error) {
	k := memoryKey{src, dst, priority}
	if c, made := r.memory[k]; made {
		return c, nil
	}
	a, b, err := r.net.Connect(transport.Spec{A: r.c.nodeID(src), B: r.c.nodeID(dst), Protocol: topo.UB_MEM, Index: int(priority)})
	if err != nil {
		return 0, err
	}
	r.net.SetSink(a, r)
	r.net.SetSink(b, r)
	r.memory[k] = a
	return a, nil
}
