package hccl

import "fmt"

// access is a read or write, local at a tick of a thread, or by a transfer.
type access struct {
	thread, tick int32
	xfer         *transfer
}

// transfer ends when the clock of thread to has reached end; 0 while it may be
// flying.
type transfer struct {
	from    int32 // thread that posted it
	to, end int32
	step    Step
}

func (a *access) none() bool { return a.tick == 0 && a.xfer == nil }

func (a *access) before(clock []int32) bool {
	if a.xfer != nil {
		return a.xfer.end > 0 && clock[a.xfer.to] >= a.xfer.end
	}
	return clock[a.thread] >= a.tick
}

// touch checks an access of a thread against the ones before it.
func (v *verifier) touch(c *piece, by access, thread int32, write bool) error {
	clock := v.threads[thread].clock
	if !c.write.none() && !c.write.before(clock) {
		return fmt.Errorf("race with the write of %s", v.name(&c.write))
	}
	if !write {
		// What is known to be over by now needs no mention beside this read.
		kept := c.reads[:0]
		for _, r := range c.reads {
			if !r.before(clock) {
				kept = append(kept, r)
			}
		}
		c.reads = append(kept, by)
		return nil
	}
	for i := range c.reads {
		if c.reads[i].xfer == by.xfer && by.xfer != nil {
			return fmt.Errorf("a transfer reads and writes one place")
		}
		if !c.reads[i].before(clock) {
			return fmt.Errorf("overwrites what %s may still read", v.name(&c.reads[i]))
		}
	}
	c.reads = c.reads[:0]
	c.write = by
	return nil
}

func (v *verifier) name(a *access) string {
	if a.xfer != nil {
		return fmt.Sprintf("%s's step %v", v.who(a.xfer.from), a.xfer.step)
	}
	return v.who(a.thread)
}

// who names a thread.
func (v *verifier) who(thread int32) string {
	t := &v.threads[thread]
	if v.streams == 1 {
		return fmt.Sprintf("rank %d", t.rank)
	}
	return fmt.Sprintf("rank %d, stream %d", t.rank, t.stream)
}
