package scenario

import (
	"bytes"
	"fmt"

	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
)

// launch is one kernel run at one size: the kernel runs once on every device, on data of its own.
type launch struct {
	w    *world
	run  *RunSpec
	use  *kernelUse
	n    int64        // elements of an operand
	bufs [][]mem.Addr // per device, in the order of the arguments
	args [][]byte
	size int64 // bytes of all operands of one device
}

func newLaunch(w *world, run *RunSpec, size int64) (job, error) {
	elem := run.Dtype.Size()
	j := &launch{w: w, run: run, use: w.kerns[run.Index], n: max((size+elem-1)/elem, 1)}
	for r := range w.devs {
		bufs, err := j.allocate(r)
		j.bufs = append(j.bufs, bufs)
		if err != nil {
			j.free()
			return nil, err
		}
		j.args = append(j.args, pack(j.use.args, bufs, j.n, elem))
	}
	return j, nil
}

func (j *launch) allocate(rank int) ([]mem.Addr, error) {
	var out []mem.Addr
	j.size = 0
	for i := range j.use.args {
		a := &j.use.args[i]
		if !a.isBuffer() {
			continue
		}
		n := j.elems(a) * j.run.Dtype.Size()
		j.size += n
		addr, err := j.w.mem.Alloc(mem.AllocSpec{Device: j.w.devs[rank].Index(), Size: n, Name: fmt.Sprintf("argument %d of %s", i, j.use.fn.Name)})
		if err != nil {
			return out, err
		}
		out = append(out, addr)
	}
	return out, nil
}

// elems is how many elements a buffer has: a negative number stands for so many operands.
func (j *launch) elems(a *kernelArg) int64 {
	switch {
	case a.elems > 0:
		return a.elems
	case a.elems < 0:
		return -a.elems * j.n
	}
	return j.n
}

func (j *launch) free() {
	for _, bufs := range j.bufs {
		for _, a := range bufs {
			_ = j.w.mem.Free(a) // what is left of a failed run is of no use to anybody
		}
	}
	j.bufs = nil
}

// inputs calls f for every input buffer of a device with its number among the inputs.
func (j *launch) inputs(rank int, f func(k int, a *kernelArg, at mem.Addr) error) error {
	b, k := 0, 0
	for i := range j.use.args {
		a := &j.use.args[i]
		if !a.isBuffer() {
			continue
		}
		if a.reads() {
			if err := f(k, a, j.bufs[rank][b]); err != nil {
				return err
			}
			k++
		}
		b++
	}
	return nil
}

func (j *launch) fill(rank int) error {
	if j.w.mem.Data() == mem.Phantom {
		return nil
	}
	return j.inputs(rank, func(k int, a *kernelArg, at mem.Addr) error {
		t := newTile(j.run.Dtype, func(i int64) int64 { return j.use.inputs(k, i) })
		return t.write(j.w.mem, at, 0, j.elems(a)*j.run.Dtype.Size())
	})
}

func (j *launch) serial() bool {
	if j.run.Check == CheckAll {
		return true
	}
	for i := range j.use.args {
		if j.use.args[i].kind == argInOut {
			return true
		}
	}
	return false
}

func (j *launch) start(p *sim.Proc, rank int, s *device.Stream) error {
	chip := j.w.devs[rank].Chip()
	op := &device.KernelOp{Fn: j.use.fn, Spec: kernel.Spec{Args: j.args[rank], Blocks: j.use.blocks, Unit: j.use.unit}}
	task := device.Task{Kind: device.KindOp, Op: op}
	if host := chip.HostCall + chip.HostLaunch; host > 0 {
		p.Sleep(host)
	}
	return s.Push(&task)
}

func (j *launch) row(size int64, total sim.Time) Row {
	elem := j.run.Dtype.Size()
	r := Row{Run: j.run.Index, Op: j.run.Kernel, Dtype: dtypeName(j.run.Dtype), Size: size, Bytes: j.n * elem, Blocks: j.use.blocks,
		Iterations: j.run.Iterations, Check: NoCheck}
	if j.run.Shape[0] > 0 {
		r.Bytes = size
	}
	t := total / sim.Time(j.run.Iterations)
	r.TimeUS = Micros(t)
	if t > 0 {
		r.AlgGBps = Decimal(float64(r.Bytes) / (float64(t) / 1000))
		r.BusGBps = Decimal(float64(j.size) / (float64(t) / 1000))
	}
	return r
}

// check compares every output element with the expectation, where there is one.
func (j *launch) check() (string, string, error) {
	switch {
	case j.run.Check == CheckNone || j.w.mem.Data() == mem.Phantom:
		return NoCheck, "", nil
	case j.use.want == nil:
		return Ran, "", nil
	}
	return j.checkOutputs()
}

// checkOutputs computes what the first device must have, and compares the others with it: all have the same input.
func (j *launch) checkOutputs() (string, string, error) {
	b := 0
	for i := range j.use.args {
		a := &j.use.args[i]
		if !a.isBuffer() {
			continue
		}
		if a.writes() {
			if verdict, detail, err := j.compare(0, a, j.bufs[0][b]); err != nil || verdict != Success {
				return verdict, detail, err
			}
			for r := 1; r < len(j.bufs); r++ {
				m, err := j.equal(r, j.bufs[0][b], j.bufs[r][b], j.elems(a)*j.run.Dtype.Size())
				if err != nil {
					return Failed, "", err
				}
				if m != nil {
					return Failed, m.String(), nil
				}
			}
		}
		b++
	}
	return Success, "", nil
}

// equal compares n bytes of a device's output with the first device's.
func (j *launch) equal(rank int, first, other mem.Addr, n int64) (*mismatch, error) {
	var want, got [64 << 10]byte
	p := pattern{dt: j.run.Dtype}
	for at := int64(0); at < n; at += int64(len(want)) {
		m := min(n-at, int64(len(want)))
		if err := j.w.mem.Read(first+mem.Addr(at), want[:m]); err != nil {
			return nil, err
		}
		if err := j.w.mem.Read(other+mem.Addr(at), got[:m]); err != nil {
			return nil, err
		}
		if !bytes.Equal(want[:m], got[:m]) {
			return p.locate(got[:m], want[:m], rank, at/j.run.Dtype.Size()), nil
		}
	}
	return nil, nil
}

func (j *launch) compare(rank int, a *kernelArg, at mem.Addr) (string, string, error) {
	dt, n := j.run.Dtype, j.elems(a)
	size := dt.Size()
	o := operands{n: j.n, in: j.use.inputs}
	verdict, detail := Success, ""
	want := make([]byte, size)
	columns := max(j.run.Shape[1], 1)
	var i int64
	err := j.w.mem.Pieces(at, n*size, func(piece []byte) error {
		for ; len(piece) > 0 && verdict == Success; i++ {
			got := piece[:size]
			piece = piece[size:]
			if j.use.sample > 1 && i/columns%j.use.sample != 0 {
				continue
			}
			o.i = i
			v := j.use.want(&o)
			if !holdsSigned(dt, v) {
				verdict, detail = NoCheck, fmt.Sprintf("element %d should be %d, which does not fit into %s, so the check is off (NULL)", i, v, dtypeName(dt))
				return nil
			}
			store(want, dt, v)
			if string(want) != string(got) {
				verdict, detail = Failed, (&mismatch{rank: rank, element: i, got: fetch(got, dt), want: float64(v)}).String()
			}
		}
		return nil
	})
	return verdict, detail, err
}

// holdsSigned is holds for numbers that may be negative.
func holdsSigned(dt mem.Dtype, v int64) bool {
	if v >= 0 {
		return holds(dt, v)
	}
	switch dt {
	case mem.Uint8, mem.Uint16, mem.Uint32, mem.Uint64:
		return false
	}
	return v > -exactLimit(dt)
}
