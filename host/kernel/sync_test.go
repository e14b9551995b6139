package kernel

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

func (r *rig) bytes(a mem.Addr, n int) []byte {
	r.t.Helper()
	p := make([]byte, n)
	require.NoError(r.t, r.mem.Read(a, p))
	return p
}

func TestMemWait(t *testing.T) {
	for _, c := range []struct {
		name     string
		relation uint64
		value    uint64
		raise    uint64
	}{
		{"eq", 0, 7, 7}, {"ne", 1, 0, 1}, {"ge", 2, 5, 6}, {"gt", 3, 5, 6}, {"ge from below", 2, 1 << 63, 1<<63 + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, "a3")
			a := r.alloc(8)
			waiter := r.launch(r.probe("flag"), Spec{Args: probeArgs(a, c.relation, 0, c.value)})
			raiser := r.launch(r.probe("raise"), Spec{Args: probeArgs(a, 18000, 0, c.raise)})
			r.run()
			require.NoError(t, waiter.err)
			require.NoError(t, raiser.err)
			assert.Equal(t, raiser.at+r.chip.SyncAIV, waiter.at)
		})
	}
}

// Nobody raises the flag: a stall that names kernel, block and address.
func TestMemWaitStalls(t *testing.T) {
	r := newRig(t, "a3")
	a := r.alloc(8)
	o := r.launch(r.probe("flag"), Spec{Args: probeArgs(a, 0, 0, 7)})
	res := r.run()
	assert.Equal(t, sim.Stalled, res.Reason)
	assert.False(t, o.done)
	assert.Contains(t, res.Stall.String(), "device 0 kernel flag block 0 waits for memory at "+a.String())
}

// A time-out is a weak event: the stall is seen first, then the launch fails.
func TestStallThenTimeout(t *testing.T) {
	r := newRig(t, "a3")
	o := r.launch(r.probe("flag"), Spec{Args: probeArgs(r.alloc(8), 0, 0, 7), Timeout: sim.Millisecond})
	res := r.run()
	require.NotNil(t, res.Stall)
	var f *Fault
	require.ErrorAs(t, o.err, &f)
	assert.Equal(t, Timeout, f.Cause)
	assert.Equal(t, r.chip.KernelLaunch+sim.Millisecond, o.at)
}

// board is a bank of binary notifies.
type board struct {
	set  [4]bool
	wake [4][]func()
}

func (b *board) RecordNotify(id uint32) error {
	if id >= 4 {
		return errors.New("got a notify the device does not have")
	}
	if w := b.wake[id]; len(w) > 0 {
		b.wake[id] = w[1:]
		w[0]()
	} else {
		b.set[id] = true
	}
	return nil
}

func (b *board) TakeNotify(id uint32, wake func()) (bool, func(), error) {
	if b.set[id] {
		b.set[id] = false
		return true, nil, nil
	}
	b.wake[id] = append(b.wake[id], wake)
	return false, func() { b.wake[id] = nil }, nil
}

func TestNotifies(t *testing.T) {
	var b board
	r := newRig(t, "a3", func(c *Config) { c.Notifies = &b })
	early := r.launch(r.probe("notified"), Spec{Args: probeArgs(0, 1, 0, 0)})
	record := r.launch(r.probe("notify"), Spec{Args: probeArgs(0, 1, 0, 0)})
	b.set[2] = true
	set := r.launch(r.probe("notified"), Spec{Args: probeArgs(0, 2, 0, 0)})
	wrong := r.launch(r.probe("notify"), Spec{Args: probeArgs(0, 9, 0, 0)})
	canceled := r.launch(r.probe("notified"), Spec{Args: probeArgs(0, 3, 0, 0), Timeout: sim.Microsecond})
	r.run()
	for _, o := range []*outcome{early, record, set} {
		require.NoError(t, o.err)
	}
	assert.Equal(t, r.chip.KernelLaunch+r.chip.SyncAIV, early.at)
	assert.Equal(t, [4]bool{}, b.set, "waits reset")
	assert.ErrorContains(t, wrong.err, "does not have")
	assert.Error(t, canceled.err)
	assert.Empty(t, b.wake[3], "an ended wait leaves the register")

	r = newRig(t, "a3")
	o := r.one(r.probe("notify"), Spec{Args: probeArgs(0, 1, 0, 0)})
	require.ErrorContains(t, o.err, "the device has none")
}

// wire is a DMA to peers that takes a fixed time.
type wire struct {
	r     *rig
	id    sim.ID
	queue []func()
	fail  error
	moves []int64
}

const wireTime = 5 * sim.Microsecond

func (w *wire) Handle(sim.Time, uint64) {
	f := w.queue[0]
	w.queue = w.queue[1:]
	f()
}

func (w *wire) Copy(dst, src mem.Addr, n int64, done func(error)) {
	w.moves = append(w.moves, n)
	w.queue = append(w.queue, func() {
		err := w.fail
		if err == nil {
			err = w.r.mem.Copy(dst, src, n)
		}
		done(err)
	})
	w.r.sim.After(wireTime, w.id, 0)
}

func (w *wire) Reduce(dst, src mem.Addr, n int64, dt mem.Dtype, op mem.Op, done func(error)) {
	w.queue = append(w.queue, func() {
		_, err := w.r.mem.Reduce(dst, src, n, dt, op, 0)
		done(err)
	})
	w.r.sim.After(wireTime, w.id, 0)
}

func newWire(t *testing.T) (*rig, *wire) {
	w := &wire{}
	r := newRig(t, "a3", func(c *Config) { c.DMA = w })
	w.r = r
	w.id = r.sim.Register(w)
	return r, w
}

func (r *rig) peer(n int64) mem.Addr {
	a, err := r.mem.Alloc(mem.AllocSpec{Device: 1, Size: n})
	require.NoError(r.t, err)
	return a
}

func TestPeerMemory(t *testing.T) {
	r, w := newWire(t)
	a := r.peer(1000)
	require.NoError(t, r.mem.Fill(a, 1000, 3))
	alpha := r.chip.Core.DMAAlpha
	o := r.launch(r.probe("rows"), Spec{Args: probeArgs(a, 0, 0, 0)})
	r.run()
	require.NoError(t, o.err)
	assert.Equal(t, r.chip.KernelLaunch+2*(alpha+wireTime), o.at)
	assert.Equal(t, []int64{4, 4, 4, 4, 4, 4}, w.moves)

	r, _ = newWire(t)
	a = r.peer(16)
	o = r.one(r.probe("accumulate"), Spec{Args: probeArgs(a, 0, 0, 0)})
	require.NoError(t, o.err)
	assert.Equal(t, []byte{0, 0, 0, 0x40}, r.bytes(a+12, 4), "1 + 1 in fp32")

	// Bytes of an asynchronous move are those at its issue.
	r, _ = newWire(t)
	a = r.peer(64)
	o = r.one(r.probe("hurry"), Spec{Args: probeArgs(a, 64, 0, 0)})
	require.NoError(t, o.err)
	assert.Equal(t, byte(9), r.bytes(a, 1)[0])
	assert.Equal(t, r.chip.KernelLaunch+alpha+wireTime, o.at)
	n := 0
	for rg := range r.mem.Ranges {
		if !rg.Freed {
			n++
		}
	}
	assert.Equal(t, 1, n, "the staging ranges are gone")
}

func TestPeerFailures(t *testing.T) {
	r, w := newWire(t)
	w.fail = errors.New("link is down")
	for _, fn := range []string{"in", "out", "hurry", "duplex"} {
		o := r.launch(r.probe(fn), Spec{Args: probeArgs(r.peer(256), 64, 1, 1)})
		defer func() {
			var f *Fault
			require.ErrorAs(t, o.err, &f, fn)
			assert.Equal(t, Peer, f.Cause)
			assert.ErrorContains(t, f, "link is down")
		}()
	}
	r.run()
	r = newRig(t, "a3")
	o := r.one(r.probe("in"), Spec{Args: probeArgs(r.peer(64), 64, 1, 0)})
	require.ErrorContains(t, o.err, "no way to peers")
}

func TestMovesAndRows(t *testing.T) {
	r := newRig(t, "a3")
	a := r.alloc(1000)
	for i := range int64(3) {
		require.NoError(t, r.mem.Write(a.Add(100*i), []byte{byte(i), 1, 2, 3}))
	}
	o := r.launch(r.probe("rows"), Spec{Args: probeArgs(a, 0, 0, 0)})
	b := r.alloc(16)
	sum := r.launch(r.probe("accumulate"), Spec{Args: probeArgs(b, 0, 0, 0)})
	c := r.alloc(64)
	hurry := r.launch(r.probe("hurry"), Spec{Args: probeArgs(c, 64, 0, 0)})
	hello := r.launch(r.probe("hello"), Spec{})
	r.run()
	for _, x := range []*outcome{o, sum, hurry, hello} {
		require.NoError(t, x.err)
	}
	for i := range int64(3) {
		assert.Equal(t, []byte{byte(i), byte(i), 1, 2, 3}, r.bytes(a.Add(100*i), 5))
	}
	assert.Equal(t, []byte{0, 0, 0, 0x40}, r.bytes(b, 4))
	assert.Equal(t, byte(9), r.bytes(c, 1)[0])
	assert.Equal(t, []string{"device 0: testdata/probe.wasm: hello"}, r.logs)
}

type spans []int

func (s *spans) BlockDone(_ *Function, _ Unit, core, block int, start, end sim.Time) {
	*s = append(*s, core, block)
	if end < start {
		panic("a block ended before it began")
	}
}

func TestCoresAreTakenFromTheLowest(t *testing.T) {
	var s spans
	r := newRig(t, "a3", func(c *Config) { c.Observer = &s; c.Chip.VectorCores = 2 })
	o := r.one(r.probe("scalar"), Spec{Args: probeArgs(0, 1000, 0, 0), Blocks: 5})
	require.NoError(t, o.err)
	assert.Equal(t, spans{0, 0, 1, 1, 0, 2, 1, 3, 0, 4}, s)
}
