package hccl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
)

// event is one transfer of a random schedule: in the order of the events no rank
// waits for ever, so no plan made of it may.
type event struct {
	from, to int
	block    int // of all_gather; -1 = the whole vector
	reduce   bool
	streams  [2]int
}

// gossip is a random all_gather: somebody who has a block gives it to somebody
// who does not, until all have all.
func gossip(rnd *rand.Rand, ranks, streams int) (list []event) {
	has := make([][]bool, ranks)
	for r := range has {
		has[r] = make([]bool, ranks)
		has[r][r] = true
	}
	for left := ranks * (ranks - 1); left > 0; {
		a, b, k := rnd.IntN(ranks), rnd.IntN(ranks), rnd.IntN(ranks)
		if has[a][k] && !has[b][k] {
			has[b][k] = true
			list = append(list, event{from: a, to: b, block: k, streams: [2]int{rnd.IntN(streams), rnd.IntN(streams)}})
			left--
		}
	}
	return list
}

// rumour is a random all_reduce: partial sums meet until one rank has all, and it
// spreads from there over what others have sent.
func rumour(rnd *rand.Rand, ranks, streams int) (list []event) {
	add := func(a, b int, reduce bool) {
		list = append(list, event{from: a, to: b, block: -1, reduce: reduce, streams: [2]int{rnd.IntN(streams), rnd.IntN(streams)}})
	}
	left := rnd.Perm(ranks)
	for len(left) > 1 {
		i := rnd.IntN(len(left))
		a := left[i]
		left = append(left[:i], left[i+1:]...)
		add(a, left[rnd.IntN(len(left))], true)
	}
	done := []int{left[0]}
	for _, r := range rnd.Perm(ranks) {
		if r != left[0] {
			add(done[rnd.IntN(len(done))], r, false)
			done = append(done, r)
		}
	}
	return list
}

// playEvents emits a rank's part of the events; the streams of a rank wait for each
// other, so that its steps are in order.
func playEvents(list []event) emitter {
	return func(p *Params, t *Tape) error {
		n := p.Count * p.Elem
		used := map[int]bool{0: true}
		latest := 0
		to := func(stream int) int {
			if stream != latest {
				t.Sync(stream, latest)
				latest = stream
			}
			used[stream] = true
			return stream
		}
		own := int64(0)
		if p.Op == AllGather {
			own = int64(p.Rank) * n
		}
		t.Local(out(own), in(0), n, false, 0)
		for _, e := range list {
			at := out(0)
			if e.block >= 0 {
				at = out(int64(e.block) * n)
			}
			// A channel for each pair of streams: every direction belongs to one.
			channel := e.streams[0]*4 + e.streams[1]
			switch p.Rank {
			case e.from:
				t.Send(at, n, e.to, channel, to(e.streams[0]))
			case e.to:
				t.Receive(at, n, e.reduce, e.from, channel, to(e.streams[1]))
			}
		}
		return nil
	}
}

// Whatever is right in some order of its transfers is proven, and gives the right
// result on devices.
func TestRandomSchedulesAreRight(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		ranks, streams := 2+rnd.IntN(6), 1+rnd.IntN(4)
		for _, op := range []OpKind{AllGather, AllReduce} {
			list := gossip(rnd, ranks, streams)
			if op == AllReduce {
				list = rumour(rnd, ranks, streams)
			}
			s := schedule(playEvents(list))
			for _, inPlace := range []bool{false, true} {
				_, err := s.Check(Params{Op: op, Ranks: ranks, Count: 16, Elem: 4, InPlace: inPlace, Scratch: 1 << 20})
				require.NoError(t, err, "seed %d, %v of %d ranks on %d streams, in place %v", seed, op, ranks, streams, inPlace)
			}
			if seed%15 != 0 {
				continue
			}
			c := newCluster(t, setup{chip: "a3", kind: "star", devices: ranks})
			j := c.job(c.comm(CommConfig{}), op, 16, mem.FP32, mem.Sum, false)
			j.sched = s
			value := j.whole(int(seed))
			j.start()
			c.run()
			for r := range ranks {
				var want []byte
				switch op {
				case AllGather:
					for q := range ranks {
						want = append(want, j.inputs[q]...)
					}
				default:
					for i := range int64(16) {
						sum := float32(0)
						for q := range ranks {
							sum += value(q, i)
						}
						want = append(want, fp32(sum, 1)...)
					}
				}
				require.Equal(t, want, c.read(j.recv[r], j.p.OutBytes()), fmt.Sprint("seed ", seed, " rank ", r))
			}
		}
	}
}

// FuzzTape: steps of any kind never do worse than an error that names a step.
func FuzzTape(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte{1, 0, 0, 16, 1, 0, 0, 2, 1, 0, 16, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := schedule(func(p *Params, tape *Tape) error {
			at := 0
			next := func(n int) int {
				if at >= len(b) {
					return 0
				}
				at++
				return int(b[at-1]) % n
			}
			for at < len(b) {
				loc := Loc{Buf: Buf(next(4)), Off: int64(next(80) - 8)}
				n := int64(next(48))
				switch next(6) {
				case 0:
					_ = tape.Send(loc, n, next(4), next(18), next(9))
				case 1, 2:
					_ = tape.Receive(loc, n, next(2) == 0, next(4), next(18), next(9))
				case 3, 4:
					_ = tape.Local(loc, Loc{Buf: Buf(next(4)), Off: int64(next(80) - 8)}, n, next(2) == 0, next(9))
				case 5:
					_ = tape.Sync(next(9), next(9))
				}
			}
			return nil
		})
		_, _ = s.Check(Params{Op: AllReduce, Ranks: 3, Count: 16, Elem: 1, Scratch: 64})
	})
}
