package hccl

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// program is the plan of a schedule: for every rank and stream its steps, a few
// bytes each.
type program struct {
	schedule *Schedule
	key      planKey
	streams  int
	scratch  int64 // bytes that a rank needs
	bytes    int
	ranks    []rankCode

	checked, full bool
	fault         error
}

// rankCode is one rank's part. A channel's place in outs or ins stands for it in
// the steps.
type rankCode struct {
	streams [][]byte
	outs    []outQueue
	ins     []inQueue
	stage   [MaxScheduleStreams]int64 // where the staging memory of a stream begins
	signals int32
	steps   int32 // that were emitted
}

// queueID is one direction of a channel.
type queueID struct {
	peer    int32
	channel uint8
}

func (q queueID) compare(o queueID) int {
	if q.peer != o.peer {
		return int(q.peer - o.peer)
	}
	return int(q.channel) - int(o.channel)
}

// outQueue is what goes to one peer over one channel; inQueue what comes.
type outQueue struct {
	queueID
	stream uint8
	busy   bool // the last message may be under way, read from at
	at     place
	sent   int32    // messages
	acks   []uint64 // the messages whose arrival is waited for, one bit each
	log    []byte   // length and step of each message, until matched
	last   int      // step of the latest
	to     *inQueue

	readySet, lastSet bool // while a plan is played
}

type inQueue struct {
	queueID
	stream  uint8
	land    []byte // where each message goes: buffer, offset against the one before, length
	off     int64
	count   int32
	log     []byte // steps, until matched
	last    int
	from    *outQueue
	stage   *[MaxScheduleStreams]int64
	group   int  // of the latest receive
	dataSet bool // while a plan is played
}

// staging is where messages wait that are to be reduced; its offsets begin at the
// share of the stream.
const staging = numBufs

func (o *outQueue) add(n int64, step int) {
	o.log = binary.AppendUvarint(binary.AppendUvarint(o.log, uint64(n)), uint64(step-o.last))
	o.last = step
}

func (o *outQueue) acked(message int32) {
	for int(message/64) >= len(o.acks) {
		o.acks = append(o.acks, 0)
	}
	o.acks[message/64] |= 1 << (message % 64)
}

func (o *outQueue) waits(message int32) bool {
	return int(message/64) < len(o.acks) && o.acks[message/64]>>(message%64)&1 != 0
}

func (i *inQueue) add(l Loc, n int64, step int) {
	i.land = append(i.land, byte(l.Buf))
	i.land = binary.AppendUvarint(binary.AppendVarint(i.land, l.Off-i.off), uint64(n))
	i.log = binary.AppendUvarint(i.log, uint64(step-i.last))
	i.off, i.last = l.Off, step
	i.count++
}

// The operations of the code. A first byte holds the operation, two buffers and
// whether the step's number is that of the operation before.
const (
	opReady     = iota
	opSend      // wait for ready, then write
	opAwaitData // then acknowledge where that is waited for
	opAwaitLast
	opCopy
	opReduce
	opSignal
	opAwaitSignal
	opSame = 0x80
)

// coder writes operations.
type coder struct {
	head, code []byte
	step       int
	off        [numBufs + 1]int64
	staged     int64 // most bytes of one exchange in staging memory
	stagedStep int
}

func (c *coder) op(op, step int, src, dst Buf) {
	b := byte(op) | byte(src)<<3 | byte(dst)<<5
	if step == c.step {
		c.code = append(c.code, b|opSame)
		return
	}
	c.code = binary.AppendVarint(append(c.code, b), int64(step-c.step))
	c.step = step
}

func (c *coder) message(op, step int, queue int32) {
	c.op(op, step, 0, 0)
	c.code = binary.AppendUvarint(c.code, uint64(queue))
}

func (c *coder) at(l Loc) {
	c.code = binary.AppendVarint(c.code, l.Off-c.off[l.Buf])
	c.off[l.Buf] = l.Off
}

func (c *coder) send(step int, queue int32, src Loc) {
	c.op(opSend, step, src.Buf, 0)
	c.code = binary.AppendUvarint(c.code, uint64(queue))
	c.at(src)
}

func (c *coder) local(op, step int, src, dst Loc, n int64) {
	c.op(op, step, src.Buf, dst.Buf)
	c.at(src)
	c.at(dst)
	c.code = binary.AppendUvarint(c.code, uint64(n))
}

func (c *coder) signal(op, step, peer, register int) {
	c.op(op, step, 0, 0)
	c.code = binary.AppendUvarint(binary.AppendUvarint(c.code, uint64(peer)), uint64(register))
}

// before adds a signal in front of everything.
func (c *coder) before(peer, register int) {
	c.head = append(c.head, opSignal|opSame)
	c.head = binary.AppendUvarint(binary.AppendUvarint(c.head, uint64(peer)), uint64(register))
}

// match ties sends to receives.
func (g *program) match() error {
	order := make([][]int32, len(g.ranks)) // in queues by peer and channel
	for r := range g.ranks {
		c := &g.ranks[r]
		list := make([]int32, len(c.ins))
		for i := range c.ins {
			list[i], c.ins[i].stage = int32(i), &c.stage
		}
		slices.SortFunc(list, func(a, b int32) int { return c.ins[a].queueID.compare(c.ins[b].queueID) })
		order[r] = list
	}
	for r := range g.ranks {
		c := &g.ranks[r]
		for i := range c.outs {
			o := &c.outs[i]
			there, id := &g.ranks[o.peer], queueID{int32(r), o.channel}
			n, ok := slices.BinarySearchFunc(order[o.peer], id, func(i int32, id queueID) int { return there.ins[i].queueID.compare(id) })
			if ok {
				o.to = &there.ins[order[o.peer][n]]
			}
			if err := g.compare(r, o); err != nil {
				return err
			}
			if o.to != nil {
				o.to.from, o.to.log = o, nil
				g.bytes += len(o.to.land)
			}
			o.log = nil
		}
	}
	for r := range g.ranks {
		for i := range g.ranks[r].ins {
			if q := &g.ranks[r].ins[i]; q.from == nil {
				step, _ := binary.Uvarint(q.log)
				return g.unmatched(r, int(step), fmt.Sprintf("receive from rank %d on channel %d", q.peer, q.channel), "rank %d sends nothing there", q.peer)
			}
		}
	}
	return nil
}

func (g *program) unmatched(rank, step int, what, format string, args ...any) error {
	return &StepFault{Schedule: g.schedule, Rank: rank, Step: step, What: what, Text: fmt.Sprintf(format, args...)}
}

// compare holds the messages of a queue against what the peer expects.
func (g *program) compare(rank int, o *outQueue) error {
	what := fmt.Sprintf("send to rank %d on channel %d", o.peer, o.channel)
	in := inQueue{}
	if o.to != nil {
		in = *o.to
	}
	log, land, steps := o.log, in.land, in.log
	step, theirs := 0, 0
	for len(log) > 0 {
		n := take(&log)
		step += int(take(&log))
		if len(land) == 0 {
			if o.to == nil {
				return g.unmatched(rank, step, what, "rank %d receives nothing there", o.peer)
			}
			return g.unmatched(rank, step, what, "rank %d receives only %d messages there", o.peer, in.count)
		}
		land = land[1:]
		_, k := binary.Varint(land)
		land = land[k:]
		m := take(&land)
		theirs += int(take(&steps))
		if n != m {
			return g.unmatched(rank, step, what, "got %d bytes, but rank %d receives %d in its step %d", n, o.peer, m, theirs)
		}
	}
	if len(land) > 0 {
		theirs += int(take(&steps))
		return g.unmatched(int(o.peer), theirs, fmt.Sprintf("receive from rank %d on channel %d", rank, o.channel), "rank %d sends only %d messages there", rank, o.sent)
	}
	return nil
}

// take reads the next number of b.
func take(b *[]byte) uint64 {
	n, k := binary.Uvarint(*b)
	*b = (*b)[k:]
	return n
}
