package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// Model is what a capture made: tasks of one or several streams that run again
// at every execution. It keeps a stream of the device for each captured one.
type Model struct {
	object
	ctx       *Context
	lanes     []*lane
	nodes     []*node
	capturing bool
	first     uint64 // the first captured task's row

	run      device.Ticket // the execution under way
	task     uint64        // its task
	left     int           // lanes that have not ended
	starting bool
	fault    *device.Fault
	waiting  []modelWait // executions behind it
}

type modelWait struct {
	ticket device.Ticket
	task   uint64
}

// ID is the model's number in the simulation.
func (m *Model) ID() int { return m.id }

// Tasks counts the captured tasks.
func (m *Model) Tasks() (n int) {
	for _, l := range m.lanes {
		n += len(l.tasks)
	}
	return n
}

// lane is what one stream contributes to a model.
type lane struct {
	model  *Model
	stream *Stream // the model's own
	of     *Stream // the captured one
	tasks  []capturedTask
	waits  []*node
	seq    uint32 // tasks that have run
}

type capturedTask struct {
	task device.Task
	row  TaskRow
}

// end gives back what a captured task holds.
func (c *capturedTask) end() {
	if o, ok := c.task.Op.(*launchOp); ok {
		o.release()
	}
}

// lastWork is the place of the last captured task that is no record.
func (l *lane) lastWork() int {
	for i := len(l.tasks) - 1; i >= 0; i-- {
		if _, record := l.tasks[i].task.Op.(*nodeRecord); !record {
			return i
		}
	}
	return -1
}

// describe makes the row of a captured task that has run.
func (l *lane) describe(row *TaskRow, t *device.Task) {
	row.Stream = l.stream.id
	if t.Sub == 0 || int(t.Sub) > len(l.tasks) {
		return
	}
	l.seq++
	c := l.tasks[t.Sub-1].row
	c.ID, c.Parent, c.Sub, c.Seq, c.Queued, c.Stream = row.ID, l.model.task, t.Sub, l.seq, row.Queued, row.Stream
	c.Captured = false
	*row = c
}

// node is a record of an event inside a model. Waits of the model for it hold
// until it has run in the same execution.
type node struct {
	model   *Model
	event   *Event
	lane    *lane
	at      int // place in the lane
	record  uint64
	done    bool
	waiting []device.Ticket
}

type (
	nodeRecord node
	nodeWait   node
)

// Start implements device.Op.
func (o *nodeRecord) Start(*device.Stream, *device.Task) device.Status {
	o.done = true
	waiting := o.waiting
	o.waiting = nil
	for _, k := range waiting {
		k.Finish(device.CauseNone, nil)
	}
	return device.Done
}

// Start implements device.Op.
func (o *nodeWait) Start(s *device.Stream, _ *device.Task) device.Status {
	if o.done {
		return device.Done
	}
	o.waiting = append(o.waiting, s.Ticket())
	return device.Pending
}

// Describe implements the wait reason of a stall report.
func (o *nodeWait) Describe(*device.Stream, *device.Task) (what, actor string) {
	return fmt.Sprintf("the record of event %d in model %d", o.event.id, o.model.id), o.lane.stream.q.Name()
}

// noOp is a captured task that does nothing: a reset inside a model.
type noOp struct{}

// Start implements device.Op.
func (noOp) Start(*device.Stream, *device.Task) device.Status { return device.Done }

// laneFeed feeds one execution's tasks of a lane to its stream.
type laneFeed struct {
	l *lane
	i int
}

// Next implements device.Feeder.
func (f *laneFeed) Next(t *device.Task) bool {
	if f.i == len(f.l.tasks) {
		return false
	}
	id, seq, sub := t.ID, t.Seq, t.Sub
	*t = f.l.tasks[f.i].task
	t.ID, t.Seq, t.Sub = id, seq, sub
	f.i++
	return true
}

// End implements the end of a device.Feeder.
func (f *laneFeed) End(_ *device.Stream, _ sim.Time, fault *device.Fault) { f.l.model.laneEnded(fault) }

// modelOp is the task of one execution on the user's stream.
type modelOp Model

// Start implements device.Op.
func (o *modelOp) Start(s *device.Stream, t *device.Task) device.Status {
	m := (*Model)(o)
	if m.run.Stream() != nil {
		m.waiting = append(m.waiting, modelWait{s.Ticket(), t.ID})
		return device.Pending
	}
	if !m.begin(s.Ticket(), t.ID) {
		return device.Pending
	}
	f := m.fault
	m.run = device.Ticket{}
	m.next()
	if f != nil {
		s.Fail(f.Cause, f)
	}
	return device.Done
}

// begin starts an execution and reports whether it is over already.
func (m *Model) begin(k device.Ticket, task uint64) bool {
	m.run, m.task, m.fault = k, task, nil
	for _, n := range m.nodes {
		n.done, n.waiting = false, nil
	}
	m.left, m.starting = len(m.lanes), true
	for _, l := range m.lanes {
		l.stream.q.ClearErr()
		if err := l.stream.q.PushFeeder(&laneFeed{l: l}, &device.Task{Flags: device.FlagQuiet}); err != nil {
			m.laneEnded(l.stream.q.Fault(device.CauseTask, err))
		}
	}
	m.starting = false
	return m.left == 0
}

// laneEnded counts a lane; a fault of one ends the others.
func (m *Model) laneEnded(f *device.Fault) {
	m.left--
	if f != nil && m.fault == nil {
		m.fault = f
		for _, l := range m.lanes {
			l.stream.q.Abort()
		}
	}
	if m.left > 0 || m.starting || m.run.Stream() == nil {
		return
	}
	k := m.run
	m.run = device.Ticket{}
	if f := m.fault; f != nil {
		k.Finish(f.Cause, f)
	} else {
		k.Finish(device.CauseNone, nil)
	}
	m.next()
}

// next starts the execution that waits longest.
func (m *Model) next() {
	for len(m.waiting) > 0 {
		w := m.waiting[0]
		m.waiting = m.waiting[1:]
		if !w.ticket.Pending() {
			continue
		}
		if !m.begin(w.ticket, w.task) {
			return
		}
		f := m.fault
		m.run = device.Ticket{}
		if f != nil {
			w.ticket.Finish(f.Cause, f)
		} else {
			w.ticket.Finish(device.CauseNone, nil)
		}
	}
}

// Abort ends the execution with its stream's task.
func (o *modelOp) Abort(s *device.Stream, _ *device.Task) {
	if m := (*Model)(o); m.run.Stream() == s {
		for _, l := range m.lanes {
			l.stream.q.Abort()
		}
	}
}

// Describe implements the wait reason of a stall report.
func (o *modelOp) Describe(*device.Stream, *device.Task) (what, actor string) {
	for _, l := range o.lanes {
		if l.stream.q.Busy() {
			actor = l.stream.q.Name()
		}
	}
	return fmt.Sprintf("the end of model %d", o.id), actor
}

// destroy gives the model's streams back.
func (m *Model) destroy() {
	r := m.ctx.p.rt
	for _, l := range m.lanes {
		delete(r.lanes, l.stream.q)
		if !l.stream.Gone {
			l.stream.q.Abort()
			l.stream.free()
		}
		for i := range l.tasks {
			l.tasks[i].end()
		}
	}
	r.models.end(m, r.now())
}

func (t *Thread) model(call string, m *Model) error {
	switch {
	case m == nil:
		return fail(ParamInvalid, call, "got a null model")
	case m.ctx == nil || m.ctx.p != t.p:
		return fail(InvalidHandle, call, "got a model that %s does not have", t.p.name)
	case m.Gone:
		return fail(InvalidHandle, call, "model %d was destroyed", m.id)
	case m.capturing:
		return fail(ModelCaptured, call, "the capture of model %d has not ended", m.id)
	case m.ctx.Gone:
		return fail(ModelContext, call, "the context of model %d was destroyed", m.id)
	}
	return nil
}

// RIExecuteAsync queues an execution of the model. Executions of one model run
// one after the other. Errors: InvalidHandle, ModelCaptured, ModelContext for a
// model of another context.
func (t *Thread) RIExecuteAsync(m *Model, s *Stream) error {
	const call = "aclmdlRIExecuteAsync"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	return t.execute(call, m, s)
}

func (t *Thread) execute(call string, m *Model, s *Stream) error {
	if err := t.model(call, m); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if m.ctx != s.ctx {
		return fail(ModelContext, call, "model %d is of context %d, %v is not", m.id, m.ctx.id, s)
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*modelOp)(m)}, &TaskRow{Type: TypeModel, What: fmt.Sprintf("model %d", m.id)})
}

// RIExecute runs the model on the default stream and waits for it, for at most ms
// milliseconds (-1 for ever).
func (t *Thread) RIExecute(m *Model, ms int32) error {
	const call = "aclmdlRIExecute"
	d, err := millis(call, ms)
	if err != nil {
		t.pay()
		return err
	}
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	if err := t.execute(call, m, nil); err != nil {
		return err
	}
	return t.await(call, t.ctx.def, d)
}

// RIDestroy frees a model and its streams, after its execution under way.
func (t *Thread) RIDestroy(m *Model) error {
	const call = "aclmdlRIDestroy"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.model(call, m); err != nil {
		return err
	}
	for _, l := range m.lanes {
		l.stream.q.Drain(t.proc)
	}
	m.destroy()
	return nil
}
