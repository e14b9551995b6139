package hccl

import "fmt"

// progress plays the waits and records of a plan until every stream has ended; it
// is what is checked of communicators that are too large for the whole proof.
// Channels deliver in order and every register is raised for one wait, by how
// plans are made; so one order of events shows them all.
func (g *program) progress() error {
	type runner struct {
		*tapeWalk
		rank, stream int
		step         Step
		have, over   bool
	}
	var all []runner
	signals := make([][]bool, len(g.ranks))
	for r := range g.ranks {
		c := &g.ranks[r]
		signals[r] = make([]bool, c.signals)
		for i := range c.outs {
			c.outs[i].readySet, c.outs[i].lastSet = false, false
		}
		for i := range c.ins {
			c.ins[i].dataSet = false
		}
		for s, code := range c.streams {
			if len(code) > 0 {
				all = append(all, runner{tapeWalk: g.walk(r, s).(*tapeWalk), rank: r, stream: s})
			}
		}
	}
	for left := len(all); left > 0; {
		moved := false
		for i := range all {
			t := &all[i]
			for !t.over {
				if !t.have {
					if !t.Next(&t.step) {
						t.over, moved = true, true
						left--
						break
					}
				}
				if t.have = !t.perform(&t.step, signals[t.rank]); t.have {
					break
				}
				moved = true
			}
		}
		if moved {
			continue
		}
		var s []string
		more := 0
		for i := range all {
			switch t := &all[i]; {
			case t.over:
			case len(s) < maxNamed:
				s = append(s, fmt.Sprintf("rank %d waits in step %v", t.rank, t.step))
			default:
				more++
			}
		}
		return deadlock(s, more)
	}
	return nil
}

// perform carries out a wait or record; false when it has to wait.
func (w *tapeWalk) perform(st *Step, signals []bool) bool {
	switch st.Kind {
	case Ready:
		w.rank.ins[w.queue].from.readySet = true
	case Send:
		w.rank.outs[w.queue].to.dataSet = true
	case Last:
		w.rank.ins[w.queue].from.lastSet = true
	case Signal:
		signals[st.Dst.Off] = true
	case AwaitReady:
		return lower(&w.rank.outs[w.queue].readySet)
	case AwaitData:
		return lower(&w.rank.ins[w.queue].dataSet)
	case AwaitLast:
		return lower(&w.rank.outs[w.queue].lastSet)
	case AwaitSignal:
		return lower(&signals[st.Dst.Off])
	}
	return true
}

// lower clears a register that is set.
func lower(set *bool) bool {
	was := *set
	*set = false
	return was
}
