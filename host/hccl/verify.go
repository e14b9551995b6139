package hccl

import (
	"fmt"
	"slices"
	"strings"
)

// MaxVerifyRanks is the largest communicator Verify takes, and maxVerifyThreads
// the most streams of all ranks together.
const (
	MaxVerifyRanks   = 192
	maxVerifyThreads = 1024
)

// Verify executes the plans of all ranks symbolically and proves them: every
// output element is exactly the contributions it should be; every wait is met
// (no deadlock) and every record consumed; no binary register is raised while it
// may still be set; no byte is read or written while another access to it may be
// under way, for any timing that the handshakes allow. The operation runs twice
// on the same buffers, so that what one leaves behind for the next shows.
//
// p.Rank and p.InPlace are ignored; inPlace says who works in place (nil: nobody).
// Rounds of a built-in algorithm after the second full one repeat it and are left
// out.
func Verify(p Params, inPlace func(rank int) bool) error {
	return verify(p, inPlace, nil)
}

func verify(p Params, inPlace func(rank int) bool, wrap func(rank int, it Walker) Walker) error {
	fail := p.blame
	streams := p.Streams()
	if p.Ranks > MaxVerifyRanks || p.Ranks*streams > maxVerifyThreads {
		return fail(fmt.Errorf("got %d ranks of %d streams, want at most %d ranks and %d streams altogether", p.Ranks, streams, MaxVerifyRanks, maxVerifyThreads))
	}
	p, err := shortened(p)
	if err != nil {
		return err
	}
	n := p.Ranks
	v := &verifier{p: p, n: n, streams: streams, regs: map[regKey]*register{}, flying: map[regKey][]*transfer{}}
	for r := range n {
		q := p
		q.Rank = r
		q.InPlace = inPlace != nil && inPlace(r)
		scratch := int64(0)
		for s := range streams {
			w, use, err := q.walk(s)
			if err != nil {
				return err
			}
			scratch = max(scratch, use)
			if wrap != nil {
				w = wrap(r, w)
			}
			t := thread{rank: int32(r), stream: int32(s), walk: w, clock: make([]int32, n*streams)}
			t.clock[len(v.threads)] = 1
			v.threads = append(v.threads, t)
		}
		v.mems = append(v.mems, newMemory(&q, scratch))
	}
	for pass := range 2 {
		if err := v.run(); err != nil {
			if pass > 0 {
				err = fmt.Errorf("in a second run on the same buffers: %w", err)
			}
			return fail(err)
		}
	}
	return nil
}

// blame says of whose plan a fault is.
func (p *Params) blame(err error) error {
	if p.Schedule != nil {
		return fmt.Errorf("hccl: %v: %v, %d ranks, %d elements: %w", p.Schedule, p.Op, p.Ranks, p.Count, err)
	}
	return fmt.Errorf("hccl: verify %v %v, %d ranks, %d elements: %w", p.Op, p.Alg, p.Ranks, p.Count, err)
}

// deadlock lists what the first of those wait for who wait for ever.
func deadlock(waits []string, more int) error {
	if more > 0 {
		waits = append(waits, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("deadlock: %s", strings.Join(waits, "; "))
}

// shortened is p with at most three rounds, the last as it is.
func shortened(p Params) (Params, error) {
	if p.Schedule != nil {
		return p, nil
	}
	p.Rank = 0
	it, err := NewIter(p)
	if err != nil {
		return p, err
	}
	if more := int64(it.Rounds() - 3); more > 0 {
		p.Count -= more * it.unit
	}
	return p, nil
}

// register is a binary notify.
type register struct {
	set      bool
	clock    []int32 // of the recorder
	consumer int32   // thread of the last wait on it
	consumed int32   // and its tick
}

// regKey names a register by its owner, who raises it, and the channel. Of a
// signal, by is its number; of what flies, it is the sender.
type regKey struct {
	kind, channel uint8
	owner, by     int32
}

const (
	regReady = iota
	regData
	regLast
	regSignal
)

// thread is one stream of one rank.
type thread struct {
	rank, stream int32
	walk         Walker
	clock        []int32
	step         Step
	have, over   bool
}

type verifier struct {
	p       Params
	n       int
	streams int
	threads []thread
	mems    []*memory
	regs    map[regKey]*register
	flying  map[regKey][]*transfer // posted, arrival not yet seen by the receiver
}

func (v *verifier) reg(k regKey) *register {
	g := v.regs[k]
	if g == nil {
		g = &register{}
		v.regs[k] = g
	}
	return g
}

func (v *verifier) run() error {
	for r := range v.n {
		if err := v.fill(r); err != nil {
			return err
		}
	}
	for i := range v.threads {
		t := &v.threads[i]
		t.walk.Reset()
		t.have, t.over = false, false
	}
	for left := len(v.threads); left > 0; {
		moved := false
		for i := range v.threads {
			t := &v.threads[i]
			for !t.over {
				if !t.have {
					if !t.walk.Next(&t.step) {
						t.over, moved = true, true
						left--
						break
					}
					t.have = true
				}
				done, err := v.step(int32(i), &t.step)
				if err != nil {
					return fmt.Errorf("%s, step %v: %w", v.who(int32(i)), t.step, err)
				}
				if !done {
					break
				}
				t.have, moved = false, true
			}
		}
		if !moved {
			return v.deadlock()
		}
	}
	for _, k := range v.sortedRegs() {
		if v.regs[k].set {
			if k.kind == regSignal {
				return fmt.Errorf("signal %d of rank %d is never consumed", k.by, k.owner)
			}
			return fmt.Errorf("a record of rank %d at rank %d is never consumed", k.by, k.owner)
		}
	}
	return v.results()
}

// sortedRegs lists the registers in an order that does not depend on the map.
func (v *verifier) sortedRegs() []regKey {
	keys := make([]regKey, 0, len(v.regs))
	for k := range v.regs {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b regKey) int {
		for _, d := range [...]int32{int32(a.kind) - int32(b.kind), a.owner - b.owner, a.by - b.by} {
			if d != 0 {
				return int(d)
			}
		}
		return int(a.channel) - int(b.channel)
	})
	return keys
}

func (v *verifier) deadlock() error {
	var s []string
	more := 0
	for i := range v.threads {
		switch t := &v.threads[i]; {
		case !t.have:
		case len(s) < maxNamed:
			s = append(s, fmt.Sprintf("%s waits in step %v", v.who(int32(i)), t.step))
		default:
			more++
		}
	}
	return deadlock(s, more)
}

// maxNamed is how many of those who wait for ever are named.
const maxNamed = 8
