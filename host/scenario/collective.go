package scenario

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
)

// collective is one op run at one size: its buffers, and how far its ranks are.
type collective struct {
	w     *world
	run   *RunSpec
	pat   pattern
	count int64
	send  []mem.Addr
	recv  []mem.Addr
	owned []mem.Addr // what is freed at the end
	how   hccl.Choice
}

func newCollective(w *world, run *RunSpec, size int64) (*collective, error) {
	if _, err := w.communicator(); err != nil {
		return nil, err
	}
	ranks := len(w.devs)
	j := &collective{w: w, run: run, count: run.count(size, ranks)}
	j.pat = pattern{input: run.Input, op: run.Op, red: run.Reduce, dt: run.Dtype, ranks: int64(ranks), root: run.Root, count: j.count}
	if err := j.allocate(); err != nil {
		j.free()
		return nil, err
	}
	return j, nil
}

// bytes is the data_size of the row: what one rank sends, of reduce_scatter what it receives; or all ranks' parts together.
func (j *collective) bytes() int64 {
	if j.run.Whole || j.run.Op == hccl.AllToAll {
		return hccl.TestBytes(j.run.Op, j.count, j.run.Dtype.Size(), len(j.w.devs))
	}
	return j.count * j.run.Dtype.Size()
}

func (j *collective) params() hccl.Params {
	return hccl.Params{Op: j.run.Op, Ranks: len(j.w.devs), Count: j.count, Elem: j.run.Dtype.Size()}
}

func (j *collective) allocate() error {
	p := j.params()
	in, out := p.InBytes(), p.OutBytes()
	part := j.count * j.run.Dtype.Size()
	for r := range j.w.devs {
		own := mem.Addr(int64(r) * part)
		var a, b mem.Addr
		var err error
		switch {
		case j.run.Op == hccl.Broadcast:
			a, err = j.buffer(r, in, "buffer")
			b = a
		case !j.run.InPlace:
			if a, err = j.buffer(r, in, "send buffer"); err == nil {
				b, err = j.buffer(r, out, "receive buffer")
			}
		case j.run.Op == hccl.AllGather:
			b, err = j.buffer(r, out, "buffer")
			a = b + own
		case j.run.Op == hccl.ReduceScatter:
			a, err = j.buffer(r, in, "buffer")
			b = a + own
		default:
			a, err = j.buffer(r, in, "buffer")
			b = a
		}
		if err != nil {
			return err
		}
		j.send, j.recv = append(j.send, a), append(j.recv, b)
	}
	return nil
}

func (j *collective) buffer(rank int, n int64, name string) (mem.Addr, error) {
	a, err := j.w.mem.Alloc(mem.AllocSpec{Device: j.w.devs[rank].Index(), Size: n, Name: fmt.Sprintf("%s of rank %d", name, rank)})
	if err == nil {
		j.owned = append(j.owned, a)
	}
	return a, err
}

func (j *collective) free() {
	for _, a := range j.owned {
		_ = j.w.mem.Free(a) // what is left of a failed run is of no use to anybody
	}
	j.owned = nil
}

// fill writes the input of a rank; phantom memory keeps none.
func (j *collective) fill(rank int) error {
	if j.w.mem.Data() == mem.Phantom || j.run.Op == hccl.Broadcast && rank != j.run.Root {
		return nil
	}
	p := j.params()
	return j.pat.fill(j.w.mem, j.send[rank], rank, p.InBytes())
}

// serial reports whether repetitions have to be kept apart: each is checked, or each destroys its own input.
func (j *collective) serial() bool {
	return j.run.Check == CheckAll || j.run.InPlace
}

// start queues one repetition on a rank and takes the host time of the call.
func (j *collective) start(p *sim.Proc, rank int, s *device.Stream) error {
	l, err := j.w.comm.Rank(rank).Start(hccl.Args{Op: j.run.Op, Send: j.send[rank], Recv: j.recv[rank], Count: j.count, Dtype: j.run.Dtype,
		Red: j.run.Reduce, Root: j.run.Root, Algorithm: j.run.Algorithm, Schedule: j.w.sched[j.run.Index], Expansion: j.run.Expansion, Stream: s})
	if err != nil {
		return err
	}
	j.how = l.Choice
	if l.Host > 0 {
		p.Sleep(l.Host)
	}
	return nil
}

// check compares the results; the first mismatch is an error, and so is a check that cannot be made.
func (j *collective) check() (string, string, error) {
	switch {
	case j.run.Check == CheckNone || j.w.mem.Data() == mem.Phantom:
		return NoCheck, "", nil
	case !j.pat.verifiable():
		return NoCheck, fmt.Sprintf("the results of %d ranks do not fit into %s, so the check is off (NULL)", len(j.w.devs), dtypeName(j.run.Dtype)), nil
	}
	m, err := j.pat.check(j.w.mem, j.recv)
	if err != nil {
		return Failed, "", err
	}
	if m != nil {
		return Failed, m.String(), nil
	}
	return Success, "", nil
}

// row makes the line of the table from what was measured.
func (j *collective) row(size int64, total sim.Time) Row {
	r := Row{Run: j.run.Index, Op: j.run.Op.String(), Dtype: dtypeName(j.run.Dtype), Size: size, Bytes: j.bytes(), Iterations: j.run.Iterations,
		Algorithm: j.how.Name(), Expansion: j.how.Expansion.String(), Check: NoCheck}
	if j.run.Op.Reduces() {
		r.Reduce = j.run.Reduce.String()
	}
	t := total / sim.Time(j.run.Iterations)
	r.TimeUS = Micros(t)
	r.AlgGBps = Decimal(hccl.AlgBandwidth(j.run.Op, j.count, j.run.Dtype.Size(), len(j.w.devs), t) / 1e9)
	r.BusGBps = Decimal(hccl.BusBandwidth(j.run.Op, j.count, j.run.Dtype.Size(), len(j.w.devs), t) / 1e9)
	return r
}
