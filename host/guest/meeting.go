package guest

import (
	"fmt"

	"hsim/host/sim"
)

// meeting is where the processes of a job exchange data.
type meeting struct {
	size    uint32
	pieces  [][]byte
	arrived int
	changed sim.Cond
}

// processExchange gives every process the pieces of all, in order of rank, once the last has come.
func processExchange(c call) uint64 {
	p := c.t.p
	j, n := p.job, uint32(len(p.job.procs))
	size := c.u32(2)
	mine := c.bytes(c.u32(0), size)
	if size > 0 && (mine == nil || uint64(size)*uint64(n) >= windowBase || c.bytes(c.u32(1), size*n) == nil) {
		return errno(eInval)
	}
	m := &j.meet
	if m.pieces == nil {
		m.pieces, m.size = make([][]byte, n), size
	}
	if m.pieces[p.rank] != nil || m.size != size {
		return errno(eInval)
	}
	m.pieces[p.rank] = append([]byte{}, mine...)
	if m.arrived++; m.arrived == int(n) {
		all := []byte{} // not nil, also when the pieces are empty
		for _, b := range m.pieces {
			all = append(all, b...)
		}
		for _, q := range j.procs {
			q.met = all
		}
		m.pieces, m.arrived = nil, 0
		m.changed.Broadcast(p.sys.eng)
	} else {
		p.met = nil
		for p.met == nil {
			c.t.acl.Proc().Wait(&m.changed, sim.Cause{What: "all processes of the run", On: j})
		}
	}
	if size > 0 {
		copy(c.bytes(c.u32(1), size*n), p.met)
	}
	p.met = nil
	return 0
}

// String says who is missing, for reports of a meeting.
func (j *Job) String() string {
	var out string
	for i, b := range j.meet.pieces {
		if b != nil {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += fmt.Sprint(i)
		if j.procs[i].over {
			out += " (ended)"
		}
		if len(out) > 60 {
			return "(missing: " + out + " and more)"
		}
	}
	return "(missing: " + out + ")"
}
