package sim

import (
	"fmt"
	"strings"
)

// Waiting is one line of a stall report: Who waits for What since Since. Actor,
// where known, names the waiter or part that should have acted; it links lines
// into a cycle.
type Waiting struct {
	Who   string
	What  string
	Since Time
	Actor string
}

// Cause is what a process waits for. What is a short phrase; On, where it
// implements fmt.Stringer, completes it, and where it implements
// interface{ Actor() string } names who should act. Both are asked only when a
// stall is reported.
type Cause struct {
	What string
	On   any
}

func (c Cause) describe(who string, since Time) Waiting {
	w := Waiting{Who: who, What: c.What, Since: since}
	if s, ok := c.On.(fmt.Stringer); ok {
		w.What = strings.TrimSpace(w.What + " " + s.String())
	} else if s, ok := c.On.(string); ok {
		w.What = strings.TrimSpace(w.What + " " + s)
	}
	if a, ok := c.On.(interface{ Actor() string }); ok {
		w.Actor = a.Actor()
	}
	return w
}

// Stall is the state in which only time-outs were left and somebody waited.
type Stall struct {
	At      Time
	Waiting []Waiting
	Cycle   []string // names of a cycle of waiters, in order, empty without one
}

func newStall(at Time, w []Waiting) *Stall {
	return &Stall{At: at, Waiting: w, Cycle: findCycle(w)}
}

// findCycle follows Actor links; the first cycle in report order is returned.
func findCycle(w []Waiting) []string {
	next := make(map[string]string, len(w))
	for _, x := range w {
		if _, seen := next[x.Who]; !seen && x.Actor != "" {
			next[x.Who] = x.Actor
		}
	}
	for _, start := range w {
		place := map[string]int{}
		var path []string
		for at := start.Who; at != ""; at = next[at] {
			if i, seen := place[at]; seen {
				return path[i:]
			}
			place[at] = len(path)
			path = append(path, at)
		}
	}
	return nil
}

// String prints the report, at most 20 waiters in full.
func (s *Stall) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stall at %v: %d waiting and nothing left that could wake them\n", s.At, len(s.Waiting))
	for i, w := range s.Waiting {
		if i == 20 {
			fmt.Fprintf(&b, "  ... and %d more\n", len(s.Waiting)-i)
			break
		}
		fmt.Fprintf(&b, "  %s waits for %s since %v", w.Who, w.What, w.Since)
		if w.Actor != "" {
			fmt.Fprintf(&b, "; %s should act", w.Actor)
		}
		b.WriteByte('\n')
	}
	if len(s.Cycle) > 0 {
		fmt.Fprintf(&b, "  cycle: %s -> %s\n", strings.Join(s.Cycle, " -> "), s.Cycle[0])
	}
	return b.String()
}
