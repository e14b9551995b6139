package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"hsim/host/scenario"
	"hsim/host/sim"
)

// quietFor is how long a run may take before progress is shown.
const quietFor = 2 * time.Second

// progress shows on stderr where a slow run is: one line that is rewritten on a terminal, now and then a line elsewhere.
// It runs on the wall clock and only reads, so it cannot change a result.
type progress struct {
	w     io.Writer
	tty   bool
	start time.Time
	done  chan struct{}
	gone  chan struct{}

	mu    sync.Mutex
	now   scenario.Progress
	known bool
	shown bool // a line stands on the terminal
}

func startProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now(), done: make(chan struct{}), gone: make(chan struct{})}
	p.tty = terminalWidth(w) > 0
	go p.loop()
	return p
}

func (p *progress) update(x scenario.Progress) {
	p.mu.Lock()
	p.now, p.known = x, true
	p.mu.Unlock()
}

// log prints a line of a plugin.
func (p *progress) log(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, line)
}

// print writes a line of a program.
func (p *progress) print(w io.Writer, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(w, line)
}

func (p *progress) loop() {
	defer close(p.gone)
	every := 5 * time.Second // a minute at last: hours of a run are not worth a thousand lines of a log
	if p.tty {
		every = 200 * time.Millisecond
	}
	timer := time.NewTimer(quietFor)
	defer timer.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-timer.C:
			p.show()
			timer.Reset(every)
			if !p.tty {
				every = min(2*every, time.Minute)
			}
		}
	}
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known {
		return
	}
	line := progressLine(p.now, time.Since(p.start))
	if !p.tty {
		fmt.Fprintln(p.w, line)
		return
	}
	// A line that wraps cannot be rewritten.
	fmt.Fprint(p.w, "\r", cut(line, max(terminalWidth(p.w)-1, 1)), eraseToEnd)
	p.shown = true
}

// eraseToEnd clears a terminal's line from the cursor on.
const eraseToEnd = "\x1b[K"

// progressLine is `hsim: [3/44] a3 rdma: all_reduce 4MiB, iteration 120 of 1000, at 3.217ms, 12s`: virtual time, then the
// wall clock's.
func progressLine(x scenario.Progress, wall time.Duration) string {
	line := fmt.Sprintf("hsim: [%d/%d] ", x.Done+1, x.Total)
	if x.Variant != "" {
		line += x.Variant + ": "
	}
	line += x.Run
	if x.Size > 0 {
		line += " " + size(x.Size)
	}
	if x.Iterations > 1 {
		line += fmt.Sprintf(", iteration %d of %d", x.Iteration, x.Iterations)
	}
	if x.Now != nil {
		if at := x.Now(); at > 0 {
			line += ", at " + coarse(at).String()
		}
	}
	return scenario.Printable(line + ", " + wall.Truncate(time.Second).String())
}

// coarse leaves three decimals of the unit that a time is printed in.
func coarse(t sim.Time) sim.Time {
	unit := sim.Time(1)
	for unit*1_000_000 <= t {
		unit *= 1000
	}
	return t / unit * unit
}

// clear removes the line on the terminal.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r", eraseToEnd)
		p.shown = false
	}
}

func (p *progress) stop() {
	close(p.done)
	<-p.gone
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
