package device

import (
	"testing"

	"hsim/host/mem"
)

type counter struct{ left int }

func (c *counter) Next(t *Task) bool {
	if c.left == 0 {
		return false
	}
	c.left--
	t.Kind = KindDelay
	return true
}

// BenchmarkFeederTask is one empty task drawn from a feeder.
func BenchmarkFeederTask(b *testing.B) {
	w := newWorld(b, freeChip(), 1)
	s := w.stream(0)
	c := &counter{left: b.N}
	b.ReportAllocs()
	b.ResetTimer()
	if err := s.PushFeeder(c, nil); err != nil {
		b.Fatal(err)
	}
	w.eng.Run(0)
	if s.Busy() {
		b.Fatal("tasks left")
	}
}

// BenchmarkPushTask is one empty task pushed to an idle stream.
func BenchmarkPushTask(b *testing.B) {
	w := newWorld(b, freeChip(), 1)
	s := w.stream(0)
	t := Task{Kind: KindDelay}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Push(&t); err != nil {
			b.Fatal(err)
		}
	}
}

// pair feeds one side of a ping-pong between two streams.
type pair struct {
	left       int
	peer, mine mem.Addr
	first      bool
}

func (p *pair) Next(t *Task) bool {
	if p.left == 0 {
		return false
	}
	p.left--
	if p.first = !p.first; p.first {
		t.Kind, t.Notify, t.Flags = KindNotifyRecord, p.peer, FlagDirect
	} else {
		t.Kind, t.Notify, t.Timeout = KindNotifyWait, p.mine, 1836e12
	}
	return true
}

// BenchmarkPingPong is half a step of two devices that record each other's
// notify: per operation one record or one wait, each wait wakes the other side.
func BenchmarkPingPong(b *testing.B) {
	w := newWorld(b, freeChip(), 2)
	s, r := w.stream(0), w.stream(1)
	n, m := w.notify(0), w.notify(1)
	even := b.N &^ 1
	p, q := &pair{left: even, peer: m, mine: n}, &pair{left: even, peer: n, mine: m}
	b.ReportAllocs()
	b.ResetTimer()
	if err := s.PushFeeder(p, nil); err != nil {
		b.Fatal(err)
	}
	if err := r.PushFeeder(q, nil); err != nil {
		b.Fatal(err)
	}
	w.eng.Run(0)
	if s.Busy() || r.Busy() {
		b.Fatal("tasks left")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*even+1), "ns/task")
}

// ringSide is a device's part of a ring with the handshakes of a collective:
// ready to the left, wait for the right's ready, data to the right, wait for data.
type ringSide struct {
	left                          int
	at                            uint8
	toLeft, ready, toRight, datum mem.Addr
}

func (r *ringSide) Next(t *Task) bool {
	if r.left == 0 {
		return false
	}
	r.left--
	r.at = (r.at + 1) & 3
	switch r.at {
	case 1:
		t.Kind, t.Notify, t.Flags = KindNotifyRecord, r.toLeft, FlagDirect
	case 2:
		t.Kind, t.Notify, t.Timeout = KindNotifyWait, r.ready, 1836e12
	case 3:
		t.Kind, t.Notify, t.Flags = KindNotifyRecord, r.toRight, FlagDirect
	default:
		t.Kind, t.Notify, t.Timeout = KindNotifyWait, r.datum, 1836e12
	}
	return true
}

// BenchmarkRing1024 is a ring of 1024 devices: per task one record or wait,
// with the memory of all devices in play.
func BenchmarkRing1024(b *testing.B) {
	const n = 1024
	w := newWorld(b, freeChip(), n)
	var streams [n]*Stream
	var ready, data [n]mem.Addr
	for i := range n {
		streams[i], ready[i], data[i] = w.stream(i), w.notify(i), w.notify(i)
	}
	each := max(4, b.N/n&^3)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range n {
		f := &ringSide{left: each, toLeft: ready[(i+n-1)%n], ready: ready[i], toRight: data[(i+1)%n], datum: data[i]}
		if err := streams[i].PushFeeder(f, nil); err != nil {
			b.Fatal(err)
		}
	}
	if r := w.eng.Run(0); r.Stall != nil {
		b.Fatal(r.Stall)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*each), "ns/task")
}
