package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"hsim/host/scenario"
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
	width int // of the line on the terminal
}

func startProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now(), done: make(chan struct{}), gone: make(chan struct{})}
	if f, ok := w.(*os.File); ok {
		p.tty = term.IsTerminal(int(f.Fd()))
	}
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
	every := 5 * time.Second
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
	pad := max(p.width-len(line), 0)
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.width = len(line)
}

func progressLine(x scenario.Progress, wall time.Duration) string {
	name := ""
	if x.Variant != "" {
		name = x.Variant + ": "
	}
	if x.Size == 0 {
		return fmt.Sprintf("hsim: %s%s, row %d of %d, %ds", name, x.Run, x.Done+1, x.Total, int(wall.Seconds()))
	}
	return fmt.Sprintf("hsim: %s%s %s, row %d of %d, %ds", name, x.Run, size(x.Size), x.Done+1, x.Total, int(wall.Seconds()))
}

// clear removes the line on the terminal.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}

func (p *progress) stop() {
	close(p.done)
	<-p.gone
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
