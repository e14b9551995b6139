package device

import (
	"fmt"

	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/transport"
)

// Thread is a stream on which AI CPU functions enqueue work, with the notifies
// that threads wait for on it.
type Thread struct {
	Stream   *Stream
	Notifies []mem.Addr // registers of the stream's device
}

// Channel is one end of a connection that AI CPU functions use.
type Channel struct {
	Conn   transport.ConnID
	RKey   uint32     // of the peer's memory, 0 = none needed
	Local  []mem.Addr // registers here that the peer records
	Remote []mem.Addr // registers of the peer
}

// cpuThreads implements kernel.Threads for one device. Handles are numbers that
// are not reused: kind and device in the upper half.
type cpuThreads struct {
	dev      *Device
	threads  map[uint64]*Thread
	channels map[uint64]*Channel
	next     uint64
}

const (
	threadHandle  = 1 << 62
	channelHandle = 1 << 61
)

func (d *Device) cpuThreads() *cpuThreads {
	if d.threads == nil {
		d.threads = &cpuThreads{dev: d, threads: map[uint64]*Thread{}, channels: map[uint64]*Channel{}}
	}
	return d.threads
}

func (c *cpuThreads) handle(kind uint64) uint64 {
	c.next++
	return kind | uint64(c.dev.index)<<32 | c.next
}

// AddThread makes a thread and returns its handle, which is of this device only.
func (d *Device) AddThread(t Thread) uint64 {
	c := d.cpuThreads()
	h := c.handle(threadHandle)
	c.threads[h] = &t
	return h
}

// AddChannel makes a channel and returns its handle.
func (d *Device) AddChannel(ch Channel) uint64 {
	c := d.cpuThreads()
	h := c.handle(channelHandle)
	c.channels[h] = &ch
	return h
}

// Remove forgets a thread or a channel; it reports whether there was one.
func (d *Device) Remove(handle uint64) bool {
	c := d.cpuThreads()
	_, thread := c.threads[handle]
	_, channel := c.channels[handle]
	delete(c.threads, handle)
	delete(c.channels, handle)
	return thread || channel
}

// ThreadOf is the thread with a handle, nil without one.
func (d *Device) ThreadOf(handle uint64) *Thread { return d.cpuThreads().threads[handle] }

// Enqueue implements kernel.Threads.
func (c *cpuThreads) Enqueue(p *sim.Proc, w *kernel.Work) error {
	t := c.threads[w.Thread]
	if t == nil {
		return fmt.Errorf("device: enqueue on %s: got thread %#x, want one of this device", c.dev.Name(), w.Thread)
	}
	task, err := c.task(t, w)
	if err != nil {
		return fmt.Errorf("device: enqueue on %s: %w", t.Stream.Name(), err)
	}
	t.Stream.WaitRoom(p)
	return t.Stream.Push(&task)
}

// task is the task that a Work becomes.
func (c *cpuThreads) task(t *Thread, w *kernel.Work) (task Task, err error) {
	var ch *Channel
	if w.Kind >= kernel.WorkWrite {
		if ch = c.channels[w.Channel]; ch == nil {
			return task, fmt.Errorf("got channel %#x, want one of %s", w.Channel, c.dev.Name())
		}
	}
	if w.Len < 0 {
		return task, fmt.Errorf("got %d bytes, want 0 or more", w.Len)
	}
	switch w.Kind {
	case kernel.WorkCopy:
		return Task{Kind: KindPeerCopy, Dst: w.Dst, Src: w.Src, Len: w.Len}, nil
	case kernel.WorkReduce:
		return Task{Kind: KindPeerReduce, Dst: w.Dst, Src: w.Src, Len: w.Len, Dtype: w.Dtype, Red: w.Red}, nil
	case kernel.WorkRecord:
		to := c.threads[w.Target]
		if to == nil {
			return task, fmt.Errorf("got target thread %#x, want one of %s", w.Target, c.dev.Name())
		}
		task = Task{Kind: KindNotifyRecord}
		task.Notify, err = pick(to.Notifies, w.Notify)
	case kernel.WorkWait:
		task = Task{Kind: KindNotifyWait, Timeout: w.Timeout}
		task.Notify, err = pick(t.Notifies, w.Notify)
	case kernel.WorkChannelWait:
		task = Task{Kind: KindNotifyWait, Timeout: w.Timeout}
		task.Notify, err = pick(ch.Local, w.Notify)
	default:
		task, err = ch.post(w)
	}
	return task, err
}

// post is the work request of a Work on a channel.
func (ch *Channel) post(w *kernel.Work) (task Task, err error) {
	task = Task{Kind: KindPost, Conn: ch.Conn, RKey: ch.RKey, Dst: w.Dst, Src: w.Src, Len: w.Len}
	switch w.Kind {
	case kernel.WorkWrite:
		task.WROp = transport.OpWrite
	case kernel.WorkWriteReduce:
		task.WROp, task.Dtype, task.Red = transport.OpWriteReduce, w.Dtype, w.Red
	case kernel.WorkRead:
		task.WROp, task.Dst, task.Src = transport.OpRead, w.Src, w.Dst // remote, local
		task.Flags = FlagWaitCompletion
	case kernel.WorkFence:
		task.WROp, task.Len = transport.OpWrite, 0
		task.Flags = FlagWaitCompletion
	case kernel.WorkWriteNotify, kernel.WorkChannelRecord:
		task.WROp, task.Value = transport.OpWriteNotify, 1
		if w.Kind == kernel.WorkChannelRecord {
			task.WROp, task.Len = transport.OpNotify, 0
		}
		task.Notify, err = pick(ch.Remote, w.Notify)
	default:
		err = fmt.Errorf("got work of kind %d", w.Kind)
	}
	return task, err
}

func pick(list []mem.Addr, i uint32) (mem.Addr, error) {
	if uint64(i) >= uint64(len(list)) {
		return 0, fmt.Errorf("got notify %d, want 0 to %d", i, len(list)-1)
	}
	return list[i], nil
}
