package hccl

import (
	"fmt"
	"sort"
)

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
	p Params
	*scheme
	unit   int64 // elements of a full round
	done   int64 // elements of the rounds before this one
	round  int32
	rounds int32
	use    int64 // bytes of scratch memory

	ph      int    // number of the phase or, in the last handshakes, of the closer
	a       phase  // the phase or closer
	f       *frame // of it
	index   int32  // steps of earlier phases
	s       int32
	stage   stage
	i, j    int32
	n       int32 // pieces or pairs in this stage
	outs    int32
	peer    int32
	piece   Step // the next piece to send
	barrier bool
	over    bool

	streams int // of the rank
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

// NewIter returns the steps of p.Rank of a built-in algorithm of one stream.
// Errors name what is impossible: an algorithm that the operation does not have,
// scratch memory for not even one element.
func NewIter(p Params) (*Iter, error) { return newIter(p, 0) }

func newIter(p Params, stream int32) (*Iter, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	it := &Iter{p: p, streams: p.Streams()}
	it.scheme = newScheme(&it.p, stream)
	if err := it.plan(); err != nil {
		return nil, err
	}
	it.Reset()
	return it, nil
}

// plan cuts the operation into rounds that fit into the scratch memory.
func (it *Iter) plan() error {
	it.unit, it.rounds = it.count, 1
	if it.count == 0 {
		it.rounds = 0
		return nil
	}
	room := it.p.Scratch / int64(it.streams)
	if it.use = it.need(it.unit); it.p.Scratch > 0 && it.use > room {
		it.unit = int64(sort.Search(int(it.count), func(n int) bool { return it.need(int64(n)+1) > room }))
		if it.unit == 0 {
			return fmt.Errorf("hccl: plan %v: scratch memory of %d bytes: got room for no element, want at least %d bytes (raise HCCL_BUFFSIZE)",
				it.p.Op, it.p.Scratch, it.need(1)*int64(it.streams))
		}
		it.rounds = int32((it.count + it.unit - 1) / it.unit)
		it.use = it.need(it.unit)
	}
	it.use += it.base
	return nil
}

// Rounds is how many times the algorithm runs, on parts of the vector.
func (it *Iter) Rounds() int { return int(it.rounds) }

// ScratchUse is the scratch memory the operation needs, in bytes.
func (it *Iter) ScratchUse() int64 { return it.use }

// Reset goes back to the first step.
func (it *Iter) Reset() {
	it.round, it.done, it.over = 0, 0, it.rounds == 0
	if !it.over {
		it.begin()
	}
}

func (it *Iter) begin() {
	it.place(it.first+it.done, min(it.unit, it.count-it.done))
	it.index = 0
	it.turn(it.phases, 0)
	it.enter(0)
}

// turn goes to a phase or closer.
func (it *Iter) turn(list []phase, n int) {
	it.ph, it.a, it.f = n, list[n], list[n].group()
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
	a := it.a
	st.Round, st.Index, st.Notify, st.Channel = it.round, it.index+it.s, false, 0
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
				if st.Len > 0 && it.meets(st) {
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
			if it.meets(st) {
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
				if st.Len > 0 && it.meets(st) {
					st.Kind, st.Len = Last, 0
					return true
				}
			}
			it.stage, it.i, it.peer = stAwaitAck, 0, -1

		case stAwaitAck:
			for it.i < it.outs {
				a.out(it.s, it.i, st)
				it.i++
				if st.Len > 0 && it.meets(st) {
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
						st.Kind, st.Peer, st.Len = AwaitLast, it.f.rank(wait), 0
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
					st.Kind, st.Peer, st.Len = Last, it.f.rank(rec), 0
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
					st.Kind, st.Peer, st.Len = AwaitLast, it.f.rank(wait), 0
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
			if it.ph+1 < len(it.closers) {
				it.turn(it.closers, it.ph+1)
				it.close()
				a = it.a
				continue
			}
			if !it.nextRound() {
				return false
			}
			a = it.a
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
			it.piece.Peer = it.f.rank(it.piece.Peer)
			return
		}
	}
	it.piece.Len = 0
}

// meets makes the peer of a piece a rank, and says whether it is another one than
// that of the piece before.
func (it *Iter) meets(st *Step) bool {
	st.Peer = it.f.rank(st.Peer)
	other := st.Peer != it.peer
	it.peer = st.Peer
	return other
}

// nextRound goes to the next round; false when there are no more.
func (it *Iter) nextRound() bool {
	it.done += it.unit
	it.round++
	if it.round >= it.rounds {
		it.over = true
		return false
	}
	it.begin()
	return true
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

// advance leaves a finished phase: for the next one, or for the last handshakes.
func (it *Iter) advance(a phase, st *Step) phase {
	it.index += a.steps()
	if it.ph+1 < len(it.phases) {
		it.turn(it.phases, it.ph+1)
		it.enter(0)
	} else {
		it.turn(it.closers, 0)
		it.close()
	}
	st.Index = it.index
	return it.a
}

// close begins the last handshake of a closer.
func (it *Iter) close() {
	it.s = 0
	it.n, it.barrier = it.a.lasts()
	it.stage, it.i, it.j = stLast, 0, 0
}
