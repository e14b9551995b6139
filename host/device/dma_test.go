package device

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

func (w *world) ints(a mem.Addr, v ...int32) {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	require.NoError(w.t, w.mem.Write(a, b))
}

func (w *world) get(a mem.Addr, n int) (v []int32) {
	b := make([]byte, 4*n)
	require.NoError(w.t, w.mem.Read(a, b))
	for i := range n {
		v = append(v, int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return v
}

func TestCopyReduceFill(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	s := w.stream(0)
	a, b := w.alloc(0, 12), w.alloc(0, 12)
	w.ints(a, 1, -2, 3)
	l := &log{}
	w.sys.SetObserver(l)
	w.push(s, Task{Kind: KindCopy, Dst: b, Src: a, Len: 12}, Task{Kind: KindReduce, Dst: b, Src: a, Len: 12, Dtype: mem.Int32, Red: mem.Sum},
		Task{Kind: KindFill, Dst: a, Len: 4, Value: 0x1ff})
	assert.Equal(t, []int32{0, 0, 0}, w.get(b, 3), "bytes move when the task ends")
	w.eng.Run(0)
	assert.Equal(t, []int32{2, -4, 6}, w.get(b, 3))
	assert.Equal(t, []int32{-1, -2, 3}, w.get(a, 3))
	// Copy: 1 us dispatch, 5 us alpha, 96 bits at 8 Gb/s; reduce at 4 Gb/s.
	assert.Equal(t, 6*us+12*sim.Nanosecond, l.rows[0].end)
	assert.Equal(t, 12*us+36*sim.Nanosecond, l.rows[1].end)
	assert.Equal(t, 18*us+40*sim.Nanosecond, l.rows[2].end)
}

// Two channels: three copies of 10 us on three streams take 10, 10 and 20 us.
func TestChannelsAreFinite(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	a, b := w.alloc(0, 1000), w.alloc(0, 1000)
	l := &log{}
	w.sys.SetObserver(l)
	var s []*Stream
	for range 4 {
		x := w.stream(0)
		w.push(x, Task{Kind: KindCopy, Dst: b, Src: a, Len: 1000, Flags: FlagNoDispatch})
		s = append(s, x)
	}
	assert.Equal(t, stChannel, s[2].state)
	s[2].Abort() // leaves the line; stream 3 is next
	s[0].Abort() // frees its channel at once
	w.eng.Run(0)
	require.Len(t, l.rows, 2)
	assert.Equal(t, 6*us, l.rows[0].end)
	assert.Equal(t, 6*us, l.rows[1].end)
	for i := range 3 {
		w.push(s[i], Task{Kind: KindCopy, Dst: b, Src: a, Len: 1000, Flags: FlagNoDispatch})
	}
	assert.Equal(t, []state{stBusy, stBusy, stChannel}, []state{s[0].state, s[1].state, s[2].state})
}

// B38: a copy past the end is a fault that names buffer and offset; nothing outside is written.
func TestB38CopyPastTheEnd(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	src := w.alloc(0, 1024)
	dst, err := w.mem.Alloc(mem.AllocSpec{Device: 0, Size: 1000, Name: "recvBuf"})
	require.NoError(t, err)
	require.NoError(t, w.mem.Fill(src, 1024, 7))
	w.push(s, Task{Kind: KindDelay}, Task{Kind: KindCopy, Dst: dst + 24, Src: src, Len: 1000})
	f := s.Err()
	require.NotNil(t, f)
	assert.Equal(t, CauseSDMA, f.Cause)
	assert.ErrorIs(t, f, mem.ErrBounds)
	var m *mem.Fault
	require.ErrorAs(t, f, &m)
	assert.Equal(t, int64(24), m.Offset)
	assert.Contains(t, f.Error(), "recvBuf")
	assert.Contains(t, f.Error(), "task 2")
	b := make([]byte, 1000)
	require.NoError(t, w.mem.Read(dst, b))
	assert.Equal(t, make([]byte, 1000), b)
}

func TestHostLinkTakesOneCopyEachWay(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	d := w.dev[0]
	d.cost.hostAlpha, d.cost.hostRate = 1*us, 8e9
	h, a := w.alloc(mem.Host, 1000), w.alloc(0, 1000)
	require.NoError(t, w.mem.Fill(h, 1000, 9))
	l := &log{}
	w.sys.SetObserver(l)
	w.push(w.stream(0), Task{Kind: KindHostCopy, Dst: a, Src: h, Len: 1000})
	w.push(w.stream(0), Task{Kind: KindHostCopy, Dst: a, Src: h, Len: 1000})
	w.push(w.stream(0), Task{Kind: KindHostCopy, Dst: h, Src: a, Len: 1000})
	w.eng.Run(0)
	var ends []sim.Time
	for _, r := range l.rows {
		ends = append(ends, r.end)
	}
	assert.Equal(t, []sim.Time{2 * us, 2 * us, 4 * us}, ends)
}

func TestBadTasks(t *testing.T) {
	w := newWorld(t, freeChip(), 2)
	s := w.stream(0)
	for name, c := range map[string]struct {
		task Task
		want Cause
	}{
		"kind":              {Task{Kind: 99}, CauseTask},
		"negative length":   {Task{Kind: KindCopy, Len: -1}, CauseSDMA},
		"no operation":      {Task{Kind: KindOp}, CauseTask},
		"foreign notify":    {Task{Kind: KindNotifyWait, Notify: w.dev[1].NotifyAddr(0)}, CauseTask},
		"no register":       {Task{Kind: KindNotifyRecord, Notify: 5, Flags: FlagDirect}, CauseTask},
		"no transport":      {Task{Kind: KindPost}, CausePost},
		"no peer transport": {Task{Kind: KindNotifyRecord, Notify: w.dev[1].NotifyAddr(0)}, CausePost},
		"no such peer":      {Task{Kind: KindPeerCopy, Dst: 5, Len: 4}, CauseSDMA},
	} {
		s.ClearErr()
		w.push(s, c.task)
		require.NotNil(t, s.Err(), name)
		assert.Equal(t, c.want, s.Err().Cause, "%s: %v", name, s.Err())
	}
	assert.False(t, s.Busy())
}
