package hccl

import (
	"fmt"
	"strings"
)

// MaxVerifyRanks is the largest communicator Verify takes.
const MaxVerifyRanks = 192

// Verify executes the plans of all ranks symbolically and proves them: every
// output element is exactly the contributions it should be; every wait is met
// (no deadlock) and every record consumed; no binary register is raised while it
// may still be set; no byte is read or written while another access to it may be
// under way, for any timing that the handshakes allow. The operation runs twice
// on the same buffers, so that what one leaves behind for the next shows.
//
// p.Rank and p.InPlace are ignored; inPlace says who works in place (nil: nobody).
// A vector of more than a few elements per rank is replaced by a small one with
// the same remainder in every division, in two rounds where it has several.
func Verify(p Params, inPlace func(rank int) bool) error {
	return verify(p, inPlace, nil)
}

// stepper is an Iter, or a spoiled one in tests.
type stepper interface {
	Next(*Step) bool
	Reset()
}

func verify(p Params, inPlace func(rank int) bool, wrap func(rank int, it stepper) stepper) error {
	if p.Ranks > MaxVerifyRanks {
		return fmt.Errorf("hccl: verify %v %v: got %d ranks, want at most %d", p.Op, p.Alg, p.Ranks, MaxVerifyRanks)
	}
	p, err := scaled(p)
	if err != nil {
		return err
	}
	v := &verifier{p: p, n: p.Ranks}
	v.regs = make([]register, 3*v.n*v.n)
	v.flying = make([][]*transfer, v.n*v.n)
	for r := range v.n {
		q := p
		q.Rank = r
		q.InPlace = inPlace != nil && inPlace(r)
		it, err := NewIter(q)
		if err != nil {
			return err
		}
		if wrap == nil {
			v.iters = append(v.iters, it)
		} else {
			v.iters = append(v.iters, wrap(r, it))
		}
		v.clocks = append(v.clocks, make([]int32, v.n))
		v.clocks[r][r] = 1
		v.mems = append(v.mems, newMemory(&q, it.ScratchUse()))
	}
	for pass := range 2 {
		if err := v.run(); err != nil {
			return fmt.Errorf("hccl: verify %v %v, %d ranks, %d elements, pass %d: %w", p.Op, p.Alg, p.Ranks, p.Count, pass+1, err)
		}
	}
	return nil
}

// scaled is p with few elements.
func scaled(p Params) (Params, error) {
	p.Rank = 0
	it, err := NewIter(p)
	if err != nil {
		return p, err
	}
	n := int64(max(p.Ranks, 1))
	if p.Count <= 8*n {
		return p, nil
	}
	rounds := it.Rounds()
	p.Count, p.Scratch = 4*n+p.Count%n, 0
	if rounds < 2 {
		return p, nil
	}
	if it, err = NewIter(p); err == nil {
		p.Scratch = it.ScratchUse()/2 + int64(p.Ranks)*p.Elem
	}
	return p, err
}

// register is a binary notify of an ordered pair.
type register struct {
	set      bool
	clock    []int32 // of the recorder
	consumed int32   // tick of the owner's last wait on it
}

// The three registers of an ordered pair (sender, receiver): ready and last at
// the sender, data at the receiver.
const (
	regReady = iota
	regData
	regLast
)

type verifier struct {
	p      Params
	n      int
	iters  []stepper
	clocks [][]int32
	mems   []*memory
	regs   []register
	flying [][]*transfer // by pair: posted, arrival not yet seen by the receiver
}

func (v *verifier) reg(kind int, owner, writer int32) *register {
	return &v.regs[(kind*v.n+int(owner))*v.n+int(writer)]
}

func (v *verifier) run() error {
	pending := make([]Step, v.n)
	have := make([]bool, v.n)
	for r := range v.n {
		v.iters[r].Reset()
		if err := v.fill(int32(r)); err != nil {
			return err
		}
	}
	for left := v.n; left > 0; {
		moved := false
		for r := range v.n {
			for {
				if !have[r] {
					if pending[r].Len == -1 {
						break
					}
					if !v.iters[r].Next(&pending[r]) {
						pending[r].Len = -1
						left--
						break
					}
					have[r] = true
				}
				done, err := v.step(int32(r), &pending[r])
				if err != nil {
					return fmt.Errorf("rank %d, step %v: %w", r, pending[r], err)
				}
				if !done {
					break
				}
				have[r], moved = false, true
			}
		}
		if !moved && left > 0 {
			return v.deadlock(pending, have)
		}
	}
	for i := range v.regs {
		if v.regs[i].set {
			return fmt.Errorf("a record of rank %d at rank %d is never consumed", i%v.n, i/v.n%v.n)
		}
	}
	return v.results()
}

func (v *verifier) deadlock(pending []Step, have []bool) error {
	var s []string
	for r := range pending {
		if have[r] && len(s) < 8 {
			s = append(s, fmt.Sprintf("rank %d waits in step %v", r, pending[r]))
		}
	}
	return fmt.Errorf("deadlock: %s", strings.Join(s, "; "))
}

// step carries out one step; false when it has to wait.
func (v *verifier) step(r int32, st *Step) (bool, error) {
	switch st.Kind {
	case Ready:
		return true, v.record(v.reg(regReady, st.Peer, r), r, st.Peer)
	case Last:
		return true, v.record(v.reg(regLast, st.Peer, r), r, st.Peer)
	case AwaitReady:
		return v.wait(v.reg(regReady, r, st.Peer), r), nil
	case AwaitLast:
		return v.wait(v.reg(regLast, r, st.Peer), r), nil
	case AwaitData:
		if !v.wait(v.reg(regData, r, st.Peer), r) {
			return false, nil
		}
		pair := int(st.Peer)*v.n + int(r)
		for _, x := range v.flying[pair] {
			x.end = v.clocks[r][r]
		}
		v.flying[pair] = v.flying[pair][:0]
		return true, nil
	case Send:
		return true, v.send(r, st)
	}
	return true, v.local(r, st)
}

func (v *verifier) record(g *register, r, owner int32) error {
	if g.set {
		return fmt.Errorf("the notify at rank %d is raised twice: a record is lost", owner)
	}
	if v.clocks[r][owner] < g.consumed {
		return fmt.Errorf("the notify at rank %d may be raised before the record before it was consumed", owner)
	}
	g.set = true
	g.clock = append(g.clock[:0], v.clocks[r]...)
	v.clocks[r][r]++
	return nil
}

func (v *verifier) wait(g *register, r int32) bool {
	if !g.set {
		return false
	}
	g.set = false
	mine := v.clocks[r]
	for i, t := range g.clock {
		mine[i] = max(mine[i], t)
	}
	mine[r]++
	g.consumed = mine[r]
	return true
}

func (v *verifier) send(r int32, st *Step) error {
	src, err := v.mems[r].at(st.Src, st.Len)
	if err != nil {
		return err
	}
	dst, err := v.mems[st.Peer].at(st.Dst, st.Len)
	if err != nil {
		return err
	}
	x := &transfer{to: st.Peer, step: *st}
	by := access{rank: r, xfer: x}
	for i := range src {
		if err := v.touch(&src[i], by, r, false); err != nil {
			return fmt.Errorf("source byte %d: %w", i, err)
		}
		if err := v.touch(&dst[i], by, r, true); err != nil {
			return fmt.Errorf("target byte %d: %w", i, err)
		}
		dst[i].val = src[i].val
	}
	pair := int(r)*v.n + int(st.Peer)
	v.flying[pair] = append(v.flying[pair], x)
	if st.Notify {
		return v.record(v.reg(regData, st.Peer, r), r, st.Peer)
	}
	return nil
}

func (v *verifier) local(r int32, st *Step) error {
	src, err := v.mems[r].at(st.Src, st.Len)
	if err != nil {
		return err
	}
	dst, err := v.mems[r].at(st.Dst, st.Len)
	if err != nil {
		return err
	}
	by := access{rank: r, tick: v.clocks[r][r]}
	for i := range src {
		if err := v.touch(&src[i], by, r, false); err != nil {
			return err
		}
		if err := v.touch(&dst[i], by, r, true); err != nil {
			return err
		}
		if st.Kind == Copy {
			dst[i].val = src[i].val
			continue
		}
		a, b := &dst[i].val, &src[i].val
		if a.elem != b.elem || a.ranks[0]|a.ranks[1]|a.ranks[2] == 0 || b.ranks[0]|b.ranks[1]|b.ranks[2] == 0 {
			return fmt.Errorf("reduce of %v with %v", *a, *b)
		}
		for w := range a.ranks {
			if a.ranks[w]&b.ranks[w] != 0 {
				return fmt.Errorf("reduce counts a rank twice: %v with %v", *a, *b)
			}
			a.ranks[w] |= b.ranks[w]
		}
	}
	return nil
}

// fill is the user writing the input before the operation (and whatever it likes
// into the output), results the user reading the output after it.
func (v *verifier) fill(r int32) error {
	by := access{rank: r, tick: v.clocks[r][r]}
	in, out := v.mems[r].cells[Input], v.mems[r].cells[Output]
	for i := range out {
		if err := v.touch(&out[i], by, r, true); err != nil {
			return fmt.Errorf("the user of rank %d writes output element %d: %w", r, i, err)
		}
		out[i].val = value{}
	}
	for i := range in {
		if err := v.touch(&in[i], by, r, true); err != nil {
			return fmt.Errorf("the user of rank %d writes input element %d: %w", r, i, err)
		}
		in[i].val = value{}
		if v.p.Op != Broadcast || int(r) == v.p.Root {
			in[i].val = single(int(r), int64(i))
		}
	}
	return nil
}

func (v *verifier) results() error {
	for r := range v.n {
		out := v.mems[r].cells[Output]
		by := access{rank: int32(r), tick: v.clocks[r][r]}
		for i := range out {
			if err := v.touch(&out[i], by, int32(r), false); err != nil {
				return fmt.Errorf("the user of rank %d reads output element %d: %w", r, i, err)
			}
			if want := v.want(r, int64(i)); out[i].val != want {
				return fmt.Errorf("rank %d: output element %d is %v, want %v", r, i, out[i].val, want)
			}
		}
	}
	return nil
}

func (v *verifier) want(r int, i int64) (w value) {
	count := v.p.Count
	switch v.p.Op {
	case Broadcast:
		return single(v.p.Root, i)
	case AllGather:
		return single(int(i/count), i%count)
	case AllToAll:
		return single(int(i/count), int64(r)*count+i%count)
	}
	for q := range v.n {
		w.ranks[q/64] |= 1 << (q % 64)
	}
	w.elem = i
	if v.p.Op == ReduceScatter {
		w.elem += int64(r) * count
	}
	return w
}
