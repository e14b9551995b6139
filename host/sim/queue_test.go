package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// heapQueue is the reference: an inline binary heap ordered by (time, push).
type heapQueue struct {
	ev  []event
	seq []uint64
	n   uint64
}

func (h *heapQueue) less(i, j int) bool {
	return h.ev[i].t < h.ev[j].t || h.ev[i].t == h.ev[j].t && h.seq[i] < h.seq[j]
}

func (h *heapQueue) swap(i, j int) {
	h.ev[i], h.ev[j] = h.ev[j], h.ev[i]
	h.seq[i], h.seq[j] = h.seq[j], h.seq[i]
}

func (h *heapQueue) push(e event) {
	h.ev, h.seq = append(h.ev, e), append(h.seq, h.n)
	h.n++
	for i := len(h.ev) - 1; i > 0 && h.less(i, (i-1)/2); i = (i - 1) / 2 {
		h.swap(i, (i-1)/2)
	}
}

func (h *heapQueue) pop() event {
	top, last := h.ev[0], len(h.ev)-1
	h.swap(0, last)
	h.ev, h.seq = h.ev[:last], h.seq[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			return top
		}
		if c+1 < last && h.less(c+1, c) {
			c++
		}
		if !h.less(c, i) {
			return top
		}
		h.swap(c, i)
		i = c
	}
}

func TestQueueOrderMatchesHeap(t *testing.T) {
	for _, spread := range []uint64{1, 3, 64, 1000, 1 << 20, 1 << 40} {
		r := rand.New(rand.NewPCG(1, spread))
		var q queue
		var h heapQueue
		now := Time(0)
		for i := 0; i < 200_000; i++ {
			if q.n == 0 || r.Uint64()%3 != 0 {
				ev := event{t: now + Time(r.Uint64()%spread), arg: uint64(i)}
				q.push(ev)
				h.push(ev)
				continue
			}
			require.Equal(t, h.ev[0].t, q.peek(), "peek at step %d, spread %d", i, spread)
			got, want := q.pop(), h.pop()
			require.Equal(t, want, got, "step %d, spread %d", i, spread)
			require.GreaterOrEqual(t, got.t, now)
			now = got.t
		}
		for q.n > 0 {
			require.Equal(t, h.pop(), q.pop())
		}
	}
}

// BenchmarkHold is workload W12: pop one event, push one a random time later,
// with a fixed number pending.
func BenchmarkHold(b *testing.B) {
	for _, c := range []struct {
		name    string
		pending int
	}{{"1e3", 1e3}, {"1e5", 1e5}, {"1e6", 1e6}} {
		b.Run(c.name, func(b *testing.B) {
			var q queue
			r := rand.New(rand.NewPCG(7, 7))
			step := make([]Time, 1<<14)
			for i := range step {
				step[i] = Time(80*Nanosecond) + Time(r.ExpFloat64()*float64(Microsecond))
			}
			for i := 0; i < c.pending; i++ {
				q.push(event{t: step[i%len(step)] * Time(1+i%7)})
			}
			for i := 0; i < 2*c.pending; i++ { // reach the steady state
				ev := q.pop()
				ev.t += step[i&(len(step)-1)]
				q.push(ev)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				ev := q.pop()
				ev.t += step[i&(len(step)-1)]
				q.push(ev)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mholds/s")
		})
	}
}
