package hccl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// emitter is an Author that is a Go function.
type emitter func(p *Params, t *Tape) error

func (e emitter) Emit(p *Params, t *Tape) error { return e(p, t) }

func schedule(e emitter) *Schedule { return NewSchedule("mine", "mine.wasm", e) }

func in(off int64) Loc      { return Loc{Buf: Input, Off: off} }
func out(off int64) Loc     { return Loc{Buf: Output, Off: off} }
func scratch(off int64) Loc { return Loc{Buf: Scratch, Off: off} }

// doubling is recursive doubling all_reduce in place of the output; the ranks
// beyond the largest power of two fold into a neighbour.
func doubling(p *Params, t *Tape) error {
	n := p.Count * p.Elem
	pow := 1
	for 2*pow <= p.Ranks {
		pow *= 2
	}
	extra := p.Ranks - pow
	t.Local(out(0), in(0), n, false, 0)
	id := p.Rank - extra
	if p.Rank < 2*extra {
		if p.Rank%2 == 0 {
			t.Send(out(0), n, p.Rank+1, 0, 0)
			return t.Receive(out(0), n, false, p.Rank+1, 0, 0)
		}
		t.Receive(out(0), n, true, p.Rank-1, 0, 0)
		id = p.Rank / 2
	}
	for d := 1; d < pow; d *= 2 {
		q := id ^ d
		if q < extra {
			q = 2*q + 1
		} else {
			q += extra
		}
		t.Send(out(0), n, q, 0, 0)
		t.Receive(out(0), n, true, q, 0, 0)
	}
	if p.Rank < 2*extra {
		t.Send(out(0), n, p.Rank-1, 0, 0)
	}
	return nil
}

// ringOf passes the own block around: all_gather on a stream and channel.
func ringOf(p *Params, t *Tape, stream int) {
	n := p.Count * p.Elem
	right, left := (p.Rank+1)%p.Ranks, (p.Rank+p.Ranks-1)%p.Ranks
	block := func(r int) Loc { return out(int64((r+p.Ranks)%p.Ranks) * n) }
	for s := range p.Ranks - 1 {
		t.Send(block(p.Rank-s), n, right, stream, stream)
		t.Receive(block(p.Rank-s-1), n, false, left, stream, stream)
	}
}

// twoStreams sends the first half of every block around on stream 0 and the
// second half on stream 1, in opposite directions.
func twoStreams(p *Params, t *Tape) error {
	n := p.Count * p.Elem
	half := p.Count / 2 * p.Elem
	own := int64(p.Rank) * n
	t.Local(out(own), in(0), n, false, 0)
	t.Sync(1, 0)
	for dir, part := range [...][2]int64{{0, half}, {half, n - half}} {
		to, from := (p.Rank+1)%p.Ranks, (p.Rank+p.Ranks-1)%p.Ranks
		if dir == 1 {
			to, from = from, to
		}
		for s := range p.Ranks - 1 {
			mine, theirs := p.Rank-s, p.Rank-s-1
			if dir == 1 {
				mine, theirs = p.Rank+s, p.Rank+s+1
			}
			at := func(r int) Loc { return out(int64((r+2*p.Ranks)%p.Ranks)*n + part[0]) }
			t.Send(at(mine), part[1], to, dir, dir)
			t.Receive(at(theirs), part[1], false, from, dir, dir)
		}
	}
	return nil
}

// exchange is all_to_all, all sends and then all receives at once.
func exchange(p *Params, t *Tape) error {
	n := p.Count * p.Elem
	t.Local(out(int64(p.Rank)*n), in(int64(p.Rank)*n), n, false, 0)
	for d := 1; d < p.Ranks; d++ {
		q := (p.Rank + d) % p.Ranks
		t.Send(in(int64(q)*n), n, q, 0, 0)
	}
	for d := 1; d < p.Ranks; d++ {
		q := (p.Rank + p.Ranks - d) % p.Ranks
		t.Receive(out(int64(q)*n), n, false, q, 0, 0)
	}
	return nil
}

// star sends everything to rank 0, which reduces and sends back, on syncs of
// several streams.
func star(p *Params, t *Tape) error {
	n := p.Count * p.Elem
	if p.Rank > 0 {
		t.Send(in(0), n, 0, 0, 0)
		return t.Receive(out(0), n, false, 0, 0, 0)
	}
	t.Local(out(0), in(0), n, false, 0)
	for q := 1; q < p.Ranks; q++ {
		s := 1 + q%3
		t.Receive(scratch(int64(q)*n), n, false, q, 0, s)
		t.Sync(0, s)
		t.Local(out(0), scratch(int64(q)*n), n, true, 0)
	}
	for q := 1; q < p.Ranks; q++ {
		t.Send(out(0), n, q, 0, 0)
	}
	return nil
}

func TestSchedulesAreProven(t *testing.T) {
	for _, c := range []struct {
		name  string
		op    OpKind
		e     emitter
		place bool
	}{
		{"recursive doubling", AllReduce, doubling, true},
		{"ring", AllGather, func(p *Params, t *Tape) error {
			t.Local(out(int64(p.Rank)*p.Count*p.Elem), in(0), p.Count*p.Elem, false, 0)
			ringOf(p, t, 0)
			return nil
		}, true},
		{"two streams", AllGather, twoStreams, true},
		{"exchange", AllToAll, exchange, false},
		{"star", AllReduce, star, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schedule(c.e)
			for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 17, 32} {
				for _, count := range []int64{0, 1, 3, 1 << 20} {
					for _, inPlace := range []bool{false, c.place} {
						full, err := s.Check(Params{Op: c.op, Ranks: n, Count: count, Elem: 4, InPlace: inPlace, Scratch: 200 << 20})
						require.NoError(t, err, "%d ranks, %d elements, in place %v", n, count, inPlace)
						require.True(t, full)
					}
				}
			}
		})
	}
}

// What is wrong with a schedule is found before anything runs, and said with
// module, rank and step.
func TestSchedulesAreRefused(t *testing.T) {
	const n = 32 // bytes of the vector
	other := func(p *Params) int { return 1 - p.Rank }
	for _, c := range []struct {
		name string
		e    emitter
		want string
	}{
		{"wrong result", func(p *Params, t *Tape) error { return t.Local(out(0), in(0), n, false, 0) },
			"mine.wasm: all_reduce, 2 ranks, 8 elements: rank 0: output element 0 is element 0 of ranks 0, want element 0 of ranks 0,1"},
		{"nothing written", func(p *Params, t *Tape) error { return nil }, "output element 0 is nothing, want element 0 of ranks 0,1"},
		{"counts twice", func(p *Params, t *Tape) error {
			t.Local(out(0), in(0), n, false, 0)
			t.Send(in(0), n, other(p), 0, 0)
			t.Receive(out(0), n, true, other(p), 0, 0)
			return t.Local(out(0), in(0), n, true, 0)
		}, "rank 0, step 3 reduce input[0] -> output[0] 32 B: reduce counts a rank twice"},
		{"both receive first", func(p *Params, t *Tape) error {
			t.Receive(scratch(0), n, false, other(p), 0, 0)
			return t.Send(in(0), n, other(p), 0, 0)
		}, "deadlock: rank 0 waits in step 0 await-data rank 1; rank 1 waits in step 0 await-data rank 0"},
		{"swap in place", func(p *Params, t *Tape) error {
			t.Local(out(0), in(0), n, false, 0)
			t.Send(out(0), n, other(p), 0, 0)
			return t.Receive(out(0), n, false, other(p), 0, 0)
		}, "deadlock: rank 0 waits in step 1 await-ready rank 1"},
		{"race of streams", func(p *Params, t *Tape) error {
			t.Local(out(0), in(0), n, false, 0)
			return t.Local(out(0), in(0), n, false, 1)
		}, "rank 0, stream 1, step 1 copy input[0] -> output[0] 32 B: race with the write of rank 0, stream 0"},
		{"overwrites what is sent", func(p *Params, t *Tape) error {
			t.Local(scratch(0), in(0), n, false, 1)
			t.Sync(0, 1)
			t.Send(scratch(0), n, other(p), 0, 0)
			t.Receive(out(0), n, false, other(p), 0, 0)
			return t.Local(scratch(0), out(0), n, false, 1)
		}, "race"},
		{"lengths differ", func(p *Params, t *Tape) error {
			t.Local(out(0), in(0), n, false, 0)
			t.Send(in(0), n, other(p), 3, 0)
			return t.Receive(scratch(0), n-4, false, other(p), 3, 0)
		}, "rank 0, step 1, send to rank 1 on channel 3: got 32 bytes, but rank 1 receives 28 in its step 2"},
		{"nobody receives", func(p *Params, t *Tape) error { return t.Send(in(0), n, other(p), 0, 0) },
			"rank 0, step 0, send to rank 1 on channel 0: rank 1 receives nothing there"},
		{"one too many", func(p *Params, t *Tape) error {
			t.Send(in(0), n, other(p), 0, 0)
			t.Send(in(0), n, other(p), 0, 0)
			return t.Receive(out(0), n, false, other(p), 0, 0)
		}, "rank 0, step 1, send to rank 1 on channel 0: rank 1 receives only 1 messages there"},
		{"one too few", func(p *Params, t *Tape) error {
			t.Send(in(0), n, other(p), 0, 0)
			t.Receive(out(0), n, false, other(p), 0, 0)
			return t.Receive(out(0), n, false, other(p), 0, 0)
		}, "rank 1, step 2, receive from rank 0 on channel 0: rank 0 sends only 1 messages there"},
		{"nobody sends", func(p *Params, t *Tape) error { return t.Receive(out(0), n, false, other(p), 0, 0) },
			"rank 0, step 0, receive from rank 1 on channel 0: rank 1 sends nothing there"},
		{"outside", func(p *Params, t *Tape) error { return t.Send(in(4), n, other(p), 0, 0) },
			"rank 0, step 0, send of 32 bytes, input[4], rank 1, channel 0, stream 0: got 32 bytes at 4, outside the input of 32 bytes"},
		{"half an element", func(p *Params, t *Tape) error { return t.Local(out(2), in(0), 4, false, 0) }, "want whole elements of 4 bytes"},
		{"input is read-only", func(p *Params, t *Tape) error { return t.Local(in(0), out(0), 4, false, 0) }, "got the input to write to"},
		{"itself", func(p *Params, t *Tape) error { return t.Send(in(0), n, p.Rank, 0, 0) }, "got the own rank, want another one"},
		{"no such rank", func(p *Params, t *Tape) error { return t.Send(in(0), n, 2, 0, 0) }, "got rank 2, want 0 to 1"},
		{"no such channel", func(p *Params, t *Tape) error { return t.Send(in(0), n, other(p), 16, 0) }, "got channel 16, want 0 to 15"},
		{"no such stream", func(p *Params, t *Tape) error { return t.Sync(0, 8) }, "sync of stream 0 with stream 8: got stream 8, want 0 to 7"},
		{"one stream", func(p *Params, t *Tape) error { return t.Sync(1, 1) }, "got one stream, want two"},
		{"a channel of two streams", func(p *Params, t *Tape) error {
			t.Send(in(0), n, other(p), 0, 0)
			return t.Send(in(0), n, other(p), 0, 1)
		}, "step 1, send of 32 bytes, input[0], rank 1, channel 0, stream 1: channel 0 in this direction belongs to stream 0"},
		{"onto itself", func(p *Params, t *Tape) error { return t.Local(out(4), out(0), 8, false, 0) }, "source and target overlap"},
		{"without end", func(p *Params, t *Tape) error {
			for t.Local(out(0), in(0), n, false, 0) == nil {
			}
			return nil
		}, "rank 0, step 1048576, copy of 32 bytes, input[0] -> output[0], stream 0: got more than 1048576 steps"},
		{"too much to stage", func(p *Params, t *Tape) error {
			t.Local(out(0), in(0), n, false, 0)
			t.Send(in(0), n, other(p), 0, 0)
			t.Receive(out(0), n, true, other(p), 0, 0)
			return nil
		}, "rank 0, step 2, receive-reduce: the receive-reduces of one exchange stage 32 bytes, want at most 16"},
		{"refuses", func(p *Params, t *Tape) error { return fmt.Errorf("only on Sundays") },
			"hccl: algorithm mine of module mine.wasm: all_reduce, rank 0: only on Sundays"},
	} {
		scratch := int64(1 << 10)
		if c.name == "too much to stage" {
			scratch = 16
		}
		_, err := schedule(c.e).Check(Params{Op: AllReduce, Ranks: 2, Count: n / 4, Elem: 4, Scratch: scratch})
		require.ErrorContains(t, err, c.want, c.name)
		require.ErrorContains(t, err, "algorithm mine of module mine.wasm", c.name)
	}
}

// Above the limit of the whole proof a schedule is still matched, and played
// until it ends.
func TestLargeSchedulesAreChecked(t *testing.T) {
	p := Params{Op: AllReduce, Ranks: 300, Count: 1 << 18, Elem: 4, Scratch: 200 << 20}
	s := schedule(doubling)
	full, err := s.Check(p)
	require.NoError(t, err)
	require.False(t, full)
	g, err := s.program(&p)
	require.NoError(t, err)
	require.Less(t, g.bytes, 300*200, "steps are a few bytes each")

	_, err = schedule(func(p *Params, t *Tape) error {
		t.Receive(scratch(0), 4, false, (p.Rank+1)%p.Ranks, 0, 0)
		return t.Send(in(0), 4, (p.Rank+p.Ranks-1)%p.Ranks, 0, 0)
	}).Check(p)
	require.ErrorContains(t, err, "deadlock: rank 0 waits in step 0 await-data rank 1")
}

// Plans are kept for operations alike, and made anew for others.
func TestPlansAreKept(t *testing.T) {
	calls := 0
	s := schedule(func(p *Params, t *Tape) error {
		calls++
		return doubling(p, t)
	})
	p := Params{Op: AllReduce, Ranks: 4, Count: 8, Elem: 4}
	for _, count := range []int64{8, 8, 16, 8} {
		p.Count = count
		_, err := s.Check(p)
		require.NoError(t, err)
	}
	require.Equal(t, 2*4, calls)
}
