package hccl

import "fmt"

// Iter yields the steps of one rank in order. It keeps a constant amount of
// state and allocates nothing after NewIter.
//
// Every step of an algorithm has the same handshake, as HCCL's: Ready to each
// peer whose data will come; AwaitReady, then the writes, for each peer that
// gets data; AwaitData and the local work for each that sent. The operation (and
// each round of one that is larger than the scratch memory) ends with Last and
// AwaitLast. Why the binary registers behind it never lose a record: for an
// ordered pair S -> R the sequence is ready, data, ready, data, ..., last; R
// raises "ready" only after it consumed the data S sent upon the ready before,
// S raises "data" only after it consumed the ready that R raised after consuming
// the data before, and R raises the next operation's "last" only upon data that
// S sent after it had consumed this one's.
type Iter struct {
	p      Params
	f      frame
	phases []phase
	unit   int64 // elements of a full round
	done   int64 // elements of the rounds before this one
	round  int32
	rounds int32

	ph      int32
	index   int32 // steps of earlier phases
	s       int32
	stage   stage
	i, j    int32
	n       int32 // pieces or pairs in this stage
	outs    int32
	peer    int32
	piece   Step // the next piece to send
	barrier bool
	over    bool
}

type stage uint8

const (
	stBefore stage = iota
	stReady
	stSend
	stArrive
	stLocal
	stAck
	stAwaitAck
	stLast
	stAwaitLast
	stClosing
)

// NewIter returns the steps of p.Rank. Errors name what is impossible: an
// algorithm that the operation does not have, scratch memory for not even one
// element.
func NewIter(p Params) (*Iter, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	it := &Iter{p: p}
	it.f = frame{p: int32(p.Ranks), r: int32(p.Rank), root: int32(p.Root), levels: logCeil(int32(p.Ranks))}
	it.f.own = !p.InPlace && p.Op != Broadcast && (p.Op == AllGather || p.Op == AllToAll || p.Ranks == 1)
	it.phases = build(&it.p, &it.f)
	if it.phases == nil {
		return nil, fmt.Errorf("hccl: plan %v: algorithm %v has no schedule", p.Op, p.Alg)
	}
	if err := it.plan(); err != nil {
		return nil, err
	}
	it.Reset()
	return it, nil
}

// plan cuts the operation into rounds that fit into the scratch memory.
func (it *Iter) plan() error {
	p := &it.p
	it.unit, it.rounds = p.Count, 1
	slots := int64(0)
	for _, ph := range it.phases {
		slots = max(slots, int64(ph.slots()))
	}
	if p.Count == 0 {
		it.rounds = 0
	}
	if slots == 0 || p.Count == 0 || p.Scratch <= 0 {
		return nil
	}
	chunk := p.Scratch / (slots * p.Elem) // elements of a slot
	if chunk == 0 {
		return fmt.Errorf("hccl: plan %v: scratch memory of %d bytes: got room for no element, want at least %d bytes (raise HCCL_BUFFSIZE)",
			p.Op, p.Scratch, slots*p.Elem)
	}
	if p.Op == AllReduce && p.Alg != MeshOneShot {
		chunk *= int64(p.Ranks)
	}
	if chunk < p.Count {
		it.unit = chunk
		it.rounds = int32((p.Count + chunk - 1) / chunk)
	}
	return nil
}

// Rounds is how many times the algorithm runs, on parts of the vector.
func (it *Iter) Rounds() int { return int(it.rounds) }

// ScratchUse is the scratch memory the operation needs, in bytes.
func (it *Iter) ScratchUse() int64 {
	slots := int64(0)
	for _, ph := range it.phases {
		slots = max(slots, int64(ph.slots()))
	}
	it.layouts(0, min(it.unit, it.p.Count))
	use := slots * it.f.slot
	it.layouts(it.done, min(it.unit, it.p.Count-it.done))
	return use
}

// Reset goes back to the first step.
func (it *Iter) Reset() {
	it.round, it.done, it.over = 0, 0, it.rounds == 0
	if !it.over {
		it.begin()
	}
}

// layouts places the chunks of the n elements from e on.
func (it *Iter) layouts(e, n int64) {
	p, f := &it.p, &it.f
	part := layout{off: e * p.Elem, stride: p.Count * p.Elem, size: n * p.Elem, elem: p.Elem}
	whole := split(e*p.Elem, n, p.Elem, f.p)
	switch {
	case p.Op == AllReduce && p.Alg == MeshOneShot && f.p > 1:
		part.stride = 0
		f.input, f.output, f.result = part, part, part.off
	case p.Op == AllReduce || p.Op == Broadcast:
		f.input, f.output = whole, whole
		f.result = whole.at(f.r)
	case p.Op == ReduceScatter:
		f.input, f.output, f.result = part, part, part.off
	default:
		f.input, f.output = part, part
		if p.Op == AllGather {
			f.input.stride = 0
		}
	}
	if f.p == 1 {
		f.own = !p.InPlace && p.Op != Broadcast
	}
	f.slot = f.input.widest()
}

func (it *Iter) begin() {
	it.layouts(it.done, min(it.unit, it.p.Count-it.done))
	it.ph, it.index = 0, 0
	it.enter(0)
}

// enter starts step s of the current phase.
func (it *Iter) enter(s int32) {
	it.s, it.stage, it.j = s, stBefore, 0
}

// Next fills st with the next step; false when there are no more.
func (it *Iter) Next(st *Step) bool {
	if it.over {
		return false
	}
	a := it.phases[it.ph]
	st.Round, st.Index, st.Notify = it.round, it.index+it.s, false
	for {
		switch it.stage {
		case stBefore:
			if a.local(it.s, -1, it.j, st) {
				it.j++
				if st.Len > 0 {
					return true
				}
				continue
			}
			if it.s >= a.steps() {
				a = it.advance(a, st)
				continue
			}
			it.n, it.outs = a.shape(it.s)
			it.stage, it.i, it.peer = stReady, 0, -1

		case stReady:
			for it.i < it.n {
				a.in(it.s, it.i, st)
				it.i++
				if st.Len > 0 && st.Peer != it.peer {
					it.peer = st.Peer
					st.Kind, st.Len = Ready, 0
					return true
				}
			}
			it.stage, it.i, it.peer = stSend, 0, -1
			it.fetch(a)

		case stSend:
			if it.piece.Len > 0 {
				if it.piece.Peer != it.peer {
					it.peer = it.piece.Peer
					st.Kind, st.Peer, st.Len = AwaitReady, it.peer, 0
					return true
				}
				st.Kind, st.Peer, st.Src, st.Dst, st.Len = Send, it.peer, it.piece.Src, it.piece.Dst, it.piece.Len
				it.fetch(a)
				st.Notify = it.piece.Len == 0 || it.piece.Peer != it.peer
				return true
			}
			it.stage, it.i, it.peer = stArrive, 0, -1

		case stArrive:
			for it.i < it.n {
				a.in(it.s, it.i, st)
				if st.Len > 0 {
					break
				}
				it.i++
			}
			if it.i == it.n {
				if it.i, it.peer = 0, -1; a.synced() {
					it.stage = stAck
				} else {
					a = it.leave(a, st)
				}
				continue
			}
			it.stage, it.j = stLocal, 0
			if st.Peer != it.peer {
				it.peer = st.Peer
				st.Kind, st.Len = AwaitData, 0
				return true
			}

		case stLocal:
			if a.local(it.s, it.i, it.j, st) {
				it.j++
				if st.Len > 0 {
					return true
				}
				continue
			}
			it.i++
			it.stage = stArrive

		case stAck:
			for it.i < it.n {
				a.in(it.s, it.i, st)
				it.i++
				if st.Len > 0 && st.Peer != it.peer {
					it.peer = st.Peer
					st.Kind, st.Len = Last, 0
					return true
				}
			}
			it.stage, it.i, it.peer = stAwaitAck, 0, -1

		case stAwaitAck:
			for it.i < it.outs {
				a.out(it.s, it.i, st)
				it.i++
				if st.Len > 0 && st.Peer != it.peer {
					it.peer = st.Peer
					st.Kind, st.Len = AwaitLast, 0
					return true
				}
			}
			a = it.leave(a, st)

		case stLast:
			for it.i < it.n {
				rec, wait := a.last(it.i)
				if it.barrier && it.j == 1 {
					it.j = 0
					it.i++
					if wait >= 0 {
						st.Kind, st.Peer, st.Len = AwaitLast, wait, 0
						return true
					}
					continue
				}
				if it.barrier {
					it.j = 1
				} else {
					it.i++
				}
				if rec >= 0 {
					st.Kind, st.Peer, st.Len = Last, rec, 0
					return true
				}
			}
			it.stage, it.i = stAwaitLast, 0
			if it.barrier {
				it.i = it.n
			}

		case stAwaitLast:
			for it.i < it.n {
				_, wait := a.last(it.i)
				it.i++
				if wait >= 0 {
					st.Kind, st.Peer, st.Len = AwaitLast, wait, 0
					return true
				}
			}
			it.stage, it.j = stClosing, 0

		case stClosing:
			if a.closing(it.j, st) {
				it.j++
				if st.Len > 0 {
					return true
				}
				continue
			}
			it.done += it.unit
			it.round++
			if it.round >= it.rounds {
				it.over = true
				return false
			}
			it.begin()
			a = it.phases[0]
			st.Round, st.Index = it.round, 0
		}
	}
}

// fetch looks up the next piece that is not empty; Len 0 when there is none.
func (it *Iter) fetch(a phase) {
	for it.i < it.outs {
		a.out(it.s, it.i, &it.piece)
		it.i++
		if it.piece.Len > 0 {
			return
		}
	}
	it.piece.Len = 0
}

// leave ends a step.
func (it *Iter) leave(a phase, st *Step) phase {
	it.enter(it.s + 1)
	st.Index = it.index + it.s
	if it.s >= a.steps() {
		a = it.advance(a, st)
	}
	return a
}

// advance leaves a finished phase: for the next one, or for the last handshake.
func (it *Iter) advance(a phase, st *Step) phase {
	it.index += a.steps()
	if int(it.ph)+1 < len(it.phases) {
		it.ph++
		a = it.phases[it.ph]
		it.enter(0)
	} else {
		it.s = 0
		it.n, it.barrier = a.lasts()
		it.stage, it.i, it.j = stLast, 0, 0
	}
	st.Index = it.index
	return a
}
