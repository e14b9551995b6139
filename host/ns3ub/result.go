package ns3ub

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"strings"

	"hsim/host/record"
	"hsim/host/sim"
)

// Result is what a run of a case found.
type Result struct {
	Tasks    []TaskResult // in the order of the file
	Makespan sim.Time     // when the last task was complete
	Done     int          // tasks complete
	Reason   sim.Reason
	Stall    *sim.Stall // the first one, nil without
	Packets  int64      // data packets of the tasks
	Hops     uint64     // link crossings of packets, acknowledgements included
	Train    int        // packets that travelled as one at most, 1 = packet level

	c     *Case
	audit error // of the fabric
}

// TaskResult is the times of one task; Done is false for one that was not
// complete when the run ended.
type TaskResult struct {
	ID                int64
	Start, End, First sim.Time
	Bytes             int64
	Done              bool
}

func (r *run) result(res *sim.Result) *Result {
	out := &Result{Done: r.done, Reason: res.Reason, Stall: res.Stall, Packets: r.c.Packets(), Hops: r.fab.Hops(), Train: r.train(), c: r.c, audit: r.fab.Audit()}
	for i := range r.tasks {
		s := &r.tasks[i]
		t := TaskResult{ID: r.c.Tasks[i].ID, Start: s.start, End: s.end, First: s.first, Bytes: r.c.Tasks[i].Size, Done: s.left == 0}
		out.Makespan = max(out.Makespan, t.End)
		out.Tasks = append(out.Tasks, t)
	}
	return out
}

// The columns that a result has beside those of the traffic file.
var resultColumns = []string{"taskStartTime(us)", "taskCompletesTime(us)", "firstPacketSends(us)", "lastPacketACKs(us)", "taskThroughput(Gbps)"}

// FileName is the file of the tasks' times, as that simulator names it.
const FileName = "task_statistics.csv"

// WriteFile writes the times of all tasks to path, whole or not at all.
func (r *Result) WriteFile(path string) error { return record.WriteFile(path, r.Write) }

// Write writes the rows of the traffic file with the times of every task. A
// task that was not complete has empty cells.
func (r *Result) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	t := r.c.traffic
	fmt.Fprintln(b, strings.Join(append(append([]string{}, t.head...), resultColumns...), ","))
	for i := range r.Tasks {
		x := &r.Tasks[i]
		cells := make([]string, len(t.head), len(t.head)+len(resultColumns))
		copy(cells, t.rows[r.c.Tasks[i].row].cells)
		if x.Done {
			first, last := sim.Time(0), sim.Time(0)
			if r.c.Attr.PacketTrace {
				first, last = x.First+r.c.chooses(r.c.node(r.c.Tasks[i].Src)), x.End
			}
			cells = append(cells, decimal(int64(x.Start), 1e6, 5), decimal(int64(x.End), 1e6, 5), decimal(int64(first), 1e6, 5), decimal(int64(last), 1e6, 5), x.throughput())
		} else {
			cells = append(cells, "", "", "", "", "")
		}
		fmt.Fprintln(b, strings.Join(cells, ","))
	}
	return b.Flush()
}

// throughput is the bits of a task over its time, in Gbps.
func (x *TaskResult) throughput() string {
	d := int64(x.End - x.Start)
	if d <= 0 {
		return "0.0"
	}
	v := new(big.Int).Mul(big.NewInt(x.Bytes), big.NewInt(8*1000*10000))
	half := big.NewInt(d / 2)
	v.Add(v, half).Div(v, big.NewInt(d))
	return decimal(v.Int64(), 10000, 4)
}

// decimal prints v/unit rounded to at most digits places, with one at least.
func decimal(v, unit int64, digits int) string {
	scale := int64(1)
	for range digits {
		scale *= 10
	}
	if unit > scale {
		v = (v + unit/scale/2) / (unit / scale)
	}
	s := strings.TrimRight(fmt.Sprintf("%d.%0*d", v/scale, digits, v%scale), "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	return s
}
