package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

type logger struct {
	e   *Engine
	got []uint64
	at  []Time
}

func (l *logger) Handle(now Time, arg uint64) {
	l.got, l.at = append(l.got, arg), append(l.at, now)
}

func TestEventsRunInTimeThenPushOrder(t *testing.T) {
	e := New(1)
	l := &logger{e: e}
	id := e.Register(l)
	e.At(20, id, 3)
	e.At(10, id, 1)
	e.At(10, id, 2)
	e.At(20, id, 4)
	r := e.Run(0)
	require.Equal(t, Done, r.Reason)
	require.Nil(t, r.Stall)
	require.Equal(t, []uint64{1, 2, 3, 4}, l.got)
	require.Equal(t, []Time{10, 10, 20, 20}, l.at)
}

func TestLimitAndInterrupt(t *testing.T) {
	e := New(1)
	l := &logger{}
	id := e.Register(l)
	e.At(10, id, 1)
	e.At(30, id, 2)
	r := e.Run(20)
	require.Equal(t, LimitHit, r.Reason)
	require.Equal(t, Time(20), r.End)
	require.Len(t, l.got, 1)

	e = New(1)
	e.Go("spin", func(p *Proc) {
		for {
			p.Sleep(Nanosecond)
			if p.Now() == Microsecond {
				e.Interrupt()
			}
		}
	})
	require.Equal(t, Interrupted, e.Run(0).Reason)
	require.Equal(t, Microsecond, e.Now())
}

func TestWeakEventsDoNotKeepARunGoing(t *testing.T) {
	e := New(1)
	l := &logger{}
	id := e.Register(l)
	e.Weak(Second, id, 1)
	e.At(5, id, 2)
	r := e.Run(0)
	require.Equal(t, Done, r.Reason)
	require.Equal(t, []uint64{2}, l.got)
	require.Equal(t, Time(5), r.End)
}

func TestHoldCountsAsWork(t *testing.T) {
	e := New(1)
	var h handlerFunc = func(Time, uint64) { e.Release() }
	id := e.Register(&h)
	e.Hold()
	e.Weak(Second, id, 0) // a retransmission timer for the held data
	r := e.Run(0)
	require.Equal(t, Done, r.Reason)
	require.Nil(t, r.Stall)
	require.Equal(t, Second, r.End)
}

type handlerFunc func(Time, uint64)

func (h *handlerFunc) Handle(now Time, arg uint64) { (*h)(now, arg) }

func TestProcessesBlockInVirtualTime(t *testing.T) {
	e := New(1)
	var c Cond
	var order []string
	say := func(p *Proc, s string) { order = append(order, p.Now().String()+" "+p.Name()+" "+s) }
	a := e.Go("a", func(p *Proc) {
		p.Wait(&c, Cause{What: "b's signal"})
		say(p, "woken")
	})
	e.Go("b", func(p *Proc) {
		p.Sleep(3 * Microsecond)
		c.Signal(e)
		say(p, "signalled")
		p.Join(a)
		say(p, "joined")
		require.False(t, p.WaitTimeout(&c, Microsecond, Cause{}))
		say(p, "timed out")
	})
	r := e.Run(0)
	require.Equal(t, Done, r.Reason)
	require.Equal(t, []string{"3us b signalled", "3us a woken", "3us b joined", "4us b timed out"}, order)
	require.NotNil(t, r.Stall, "the wait that only a time-out ended is a stall")
	require.Equal(t, 3*Microsecond, r.Stall.At)
}

type part struct{ name, actor string }

func (p part) String() string { return p.name }
func (p part) Actor() string  { return p.actor }

func TestStallNamesWaitersAndCycle(t *testing.T) {
	e := New(1)
	var x, y Cond
	e.Go("rank 0", func(p *Proc) { p.Wait(&x, Cause{"notify", part{"7", "rank 1"}}) })
	e.Go("rank 1", func(p *Proc) { p.Sleep(Nanosecond); p.Wait(&y, Cause{"notify", part{"8", "rank 0"}}) })
	e.AddReporter(func(yield func(Waiting)) { yield(Waiting{Who: "stream 3", What: "event 1", Since: 5}) })
	r := e.Run(0)
	require.Equal(t, Stalled, r.Reason)
	require.Equal(t, Nanosecond, r.Stall.At)
	require.Equal(t, []string{"rank 0", "rank 1"}, r.Stall.Cycle)
	require.Equal(t, "stall at 1ns: 3 waiting and nothing left that could wake them\n"+
		"  rank 0 waits for notify 7 since 0s; rank 1 should act\n"+
		"  rank 1 waits for notify 8 since 1ns; rank 0 should act\n"+
		"  stream 3 waits for event 1 since 5ps\n"+
		"  cycle: rank 0 -> rank 1 -> rank 0\n", r.Stall.String())
}

func TestEveryCoroutineIsUnwoundAtTheEnd(t *testing.T) {
	e := New(1)
	var c Cond
	unwound := 0
	for range 10 {
		e.Go("w", func(p *Proc) {
			defer func() { unwound++ }()
			p.Wait(&c, Cause{What: "nothing"})
		})
	}
	require.Equal(t, Stalled, e.Run(0).Reason)
	require.Equal(t, 10, unwound)
}

func TestPlacesOfEndedCoroutinesAreReused(t *testing.T) {
	e := New(1)
	var c Cond
	e.Go("parent", func(p *Proc) {
		for range 1000 {
			q := e.Go("child", func(q *Proc) { q.WaitTimeout(&c, Second, Cause{What: "parent"}) })
			p.Sleep(Nanosecond)
			c.Signal(e) // its time-out is still queued when the next one takes its place
			p.Join(q)
		}
	})
	require.Equal(t, Done, e.Run(0).Reason)
	require.LessOrEqual(t, len(e.procs), 3)
	require.Equal(t, Microsecond, e.Now())
}

func TestRandomStreamsAreIndependent(t *testing.T) {
	a, b := New(5), New(5)
	b.Rand("other").Uint64()
	require.Equal(t, a.Rand("x").Uint64(), b.Rand("x").Uint64())
	require.NotEqual(t, a.Rand("x").Uint64(), a.Rand("y").Uint64())
	require.NotEqual(t, New(6).Rand("x").Uint64(), a.Rand("x").Uint64())
}

func TestTimePrintsExactly(t *testing.T) {
	require.Equal(t, "1.5us", (1500 * Nanosecond).String())
	require.Equal(t, "180.530182us", Time(180530182).String())
	require.Equal(t, "0s", Time(0).String())
	require.Equal(t, "1ps", Time(1).String())
	require.Equal(t, "-2.5ms", (-2500 * Microsecond).String())
	require.Equal(t, "0.000001", Time(1).Micros())
	require.Equal(t, "180.530182", Time(180530182).Micros())
}

func BenchmarkCoroutineSwitch(b *testing.B) {
	e := New(1)
	e.Go("p", func(p *Proc) {
		for i := 0; i < b.N; i++ {
			p.Sleep(Nanosecond)
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	e.Run(0)
}

func BenchmarkEvent(b *testing.B) {
	e := New(1)
	n := 0
	var h handlerFunc
	var id ID
	h = func(now Time, arg uint64) {
		if n < b.N {
			n++
			e.At(now+Time(arg%1000)*Nanosecond, id, arg*6364136223846793005+1)
		}
	}
	id = e.Register(&h)
	for i := range uint64(1000) {
		e.At(Time(i), id, i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	e.Run(0)
}

func TestKill(t *testing.T) {
	e := New(1)
	var c Cond
	var log []string
	waits := e.Go("waits", func(p *Proc) {
		defer func() { log = append(log, "waits unwound") }()
		p.Wait(&c, Cause{What: "nothing"})
	})
	sleeps := e.Go("sleeps", func(p *Proc) {
		defer func() { log = append(log, "sleeps unwound") }()
		p.Sleep(Second)
	})
	e.Go("killer", func(p *Proc) {
		p.Sleep(Microsecond)
		fresh := p.Engine().Go("never begins", func(*Proc) { log = append(log, "began") })
		waits.Kill()
		sleeps.Kill()
		fresh.Kill()
		fresh.Kill()
		p.Join(waits)
		c.Signal(e) // nobody is left
		reuse := e.Go("reuse", func(p *Proc) { p.Sleep(2 * Microsecond); log = append(log, "reuse "+p.Now().String()) })
		p.Join(reuse)
		log = append(log, "end")
	})
	r := e.Run(0)
	require.Equal(t, Done, r.Reason)
	require.Nil(t, r.Stall)
	require.Equal(t, []string{"waits unwound", "sleeps unwound", "reuse 3us", "end"}, log)
	require.True(t, waits.Done())
	require.True(t, sleeps.Done())
	require.Zero(t, e.live)
}

// A coroutine serves one process after another; who is stopped while it waits, or
// before it began, leaves none behind that would run again.
func TestCoroutinesAreReused(t *testing.T) {
	e := New(1)
	ran, unwound := 0, 0
	e.Go("parent", func(p *Proc) {
		for range 1000 {
			p.Join(e.Go("child", func(q *Proc) { q.Sleep(Nanosecond); ran++ }))
		}
		require.Len(t, e.idle, 1)
		var c Cond
		for range 3 {
			e.Go("waits", func(q *Proc) {
				defer func() { unwound++ }()
				q.Wait(&c, Cause{What: "nothing"})
			})
		}
		p.Yield()
		e.Go("never begins", func(*Proc) { ran++ }).Kill()
	})
	e.Go("interrupts", func(p *Proc) { p.Sleep(2 * Microsecond); e.Interrupt() })
	require.Equal(t, Interrupted, e.Run(0).Reason)
	require.Equal(t, 1000, ran)
	require.Equal(t, 3, unwound)
	require.Empty(t, e.idle)
}

// Another goroutine sees a run go on.
func TestSeen(t *testing.T) {
	e := New(1)
	e.Go("ticks", func(p *Proc) {
		for e.Seen() < 10*Microsecond {
			p.Sleep(Nanosecond)
		}
	})
	seen := make(chan Time)
	go func() {
		for e.Seen() == 0 {
			runtime.Gosched()
		}
		seen <- e.Seen()
	}()
	require.Equal(t, Done, e.Run(Millisecond).Reason)
	require.Positive(t, <-seen)
	require.LessOrEqual(t, e.Seen(), e.Now())
	require.Greater(t, e.Now(), 10*Microsecond)
}
