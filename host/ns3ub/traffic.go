package ns3ub

import "io/fs"

const (
	taskID = iota
	taskSrc
	taskDst
	taskSize
	taskOp
	taskPriority
	taskDelay
	taskPhase
	taskAfter
	taskSrcEntity
	taskDstEntity
	taskSrcPort
	taskDstPort
)

var trafficColumns = []column{
	{[]string{"taskId"}, true},
	{[]string{"sourceNode", "sourceNodeId"}, true},
	{[]string{"destNode", "destNodeId"}, true},
	{[]string{"dataSize(Byte)", "dataSize"}, true},
	{[]string{"opType"}, true},
	{[]string{"priority"}, true},
	{[]string{"delay"}, false},
	{[]string{"phaseId"}, false},
	{[]string{"dependOnPhases"}, false},
	{[]string{"srcEntityId"}, false},
	{[]string{"dstEntityId"}, false},
	{[]string{"srcPortHint"}, false},
	{[]string{"dstPortHint"}, false},
}

// readTraffic reads traffic.csv.
func (c *Case) readTraffic(fsys fs.FS, probs *problems) {
	t := readTable(fsys, c.Dir, "traffic.csv", trafficColumns, false, probs)
	if t == nil {
		return
	}
	c.noteColumns(t)
	c.traffic = t
	lines := map[int64]int{}
	for i := range t.rows {
		r := reader{t: t, row: &t.rows[i], probs: probs}
		k := Task{ID: r.int(taskID, 0, 1<<31-1), Src: r.device(c, taskSrc), Dst: r.device(c, taskDst), Size: r.int(taskSize, 1, maxBytes), Op: r.op(),
			Priority: r.int(taskPriority, 0, maxPriority), Phase: r.optional(taskPhase), After: r.ints(taskAfter, 1<<31-1),
			SrcEntity: r.optional(taskSrcEntity), DstEntity: r.optional(taskDstEntity), SrcPortHint: noPort, DstPortHint: noPort,
			line: r.row.line, row: i}
		if r.text(taskDelay) != "" {
			k.Delay = r.time(taskDelay)
		}
		if r.bad {
			continue
		}
		if k.Src == k.Dst {
			r.fail(taskDst, "got node %d at both ends, want two devices", k.Dst)
		}
		if r.text(taskSrcPort) != "" {
			k.SrcPortHint = r.port(c, taskSrcPort, k.Src)
		}
		if r.text(taskDstPort) != "" {
			k.DstPortHint = r.port(c, taskDstPort, k.Dst)
		}
		if line, taken := lines[k.ID]; taken {
			r.fail(taskID, "task %d is in line %d already, want every task once", k.ID, line)
		}
		lines[k.ID] = k.line
		if r.bad {
			continue
		}
		c.join(len(c.Tasks), &k)
		c.Tasks = append(c.Tasks, k)
	}
	if len(t.rows) == 0 {
		probs.add(t.path, 0, "got no task, want at least one")
	}
}

// join enters a task in its phase. Without a phase column every task is a phase
// of its own, numbered below 0.
func (c *Case) join(i int, k *Task) {
	if k.Phase < 0 {
		k.Phase = -1 - int64(i)
	}
	p := c.phases[k.Phase]
	if p == nil {
		p = &phase{after: map[int64]int{}, line: k.line}
		c.phases[k.Phase] = p
	}
	p.tasks = append(p.tasks, i)
	for _, q := range k.After {
		if _, known := p.after[q]; !known {
			p.after[q] = k.line
		}
	}
}

func (r *reader) op() Op {
	s := r.text(taskOp)
	for i, n := range opNames {
		if s == n {
			return Op(i)
		}
	}
	r.fail(taskOp, "got %q, want one of %s%s", s, listed(opNames[:]), tryName(s, opNames[:]))
	return 0
}

// optional reads a number that may be left out: -1 then.
func (r *reader) optional(col int) int64 {
	if r.text(col) == "" {
		return -1
	}
	return r.int(col, 0, 1<<31-1)
}
