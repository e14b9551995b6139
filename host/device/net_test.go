package device

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/topo"
	"hsim/host/transport"
)

// wire is a transport that keeps what is posted until the test completes it.
type wire struct {
	conns    int32
	posts    []transport.WR
	on       []transport.ConnID
	sinks    map[transport.ConnID]transport.Sink
	features uint32
	refuse   error
}

func (n *wire) Connect(transport.Spec) (a, b transport.ConnID, err error) {
	n.conns += 2
	return transport.ConnID(n.conns - 1), transport.ConnID(n.conns), nil
}

func (n *wire) Post(c transport.ConnID, wr *transport.WR) error {
	if n.refuse != nil {
		return n.refuse
	}
	n.posts, n.on = append(n.posts, *wr), append(n.on, c)
	return nil
}

func (n *wire) SetSink(c transport.ConnID, s transport.Sink) { n.sinks[c] = s }
func (n *wire) Features(topo.Protocol) uint32                { return n.features }

func (n *wire) complete(i int, s transport.Status) {
	n.sinks[n.on[i]].Complete(&transport.Completion{Conn: n.on[i], ID: n.posts[i].ID, Op: n.posts[i].Op, Status: s})
}

func wired(t *testing.T) (*world, *wire) {
	w := newWorld(t, freeChip(), 3)
	n := &wire{sinks: map[transport.ConnID]transport.Sink{}}
	w.sys.SetNet(n)
	w.sys.topo = &topo.Graph{Devices: 3, Nodes: make([]topo.Node, 3)}
	return w, n
}

func TestPostDoesNotWait(t *testing.T) {
	w, n := wired(t)
	s := w.stream(0)
	w.sys.Attach(7)
	w.push(s, Task{Kind: KindDelay}, Task{Kind: KindPost, Conn: 7, WROp: transport.OpWriteReduceNotify, Src: 1, Dst: 2, Len: 3, RKey: 4,
		Notify: 5, Value: 6, Dtype: mem.FP16, Red: mem.Max})
	assert.False(t, s.Busy())
	require.Len(t, n.posts, 1)
	got := n.posts[0]
	id := got.ID
	got.ID = 0
	assert.Equal(t, transport.WR{Op: transport.OpWriteReduceNotify, Local: 1, Remote: 2, Len: 3, RKey: 4, NotifyAddr: 5, NotifyValue: 6,
		Dtype: mem.FP16, Red: mem.Max}, got)
	assert.Equal(t, transport.ConnID(7), n.on[0])
	assert.NotZero(t, id)
}

// An error completion is latched on the stream that posted, and only there.
func TestErrorCompletionFindsItsStream(t *testing.T) {
	w, n := wired(t)
	s, r := w.stream(0), w.stream(0)
	w.sys.Attach(7)
	var heard []*Stream
	w.sys.OnFault(func(s *Stream, _ *Fault) { heard = append(heard, s) })
	w.push(r, Task{Kind: KindPost, Conn: 7})
	w.push(s, Task{Kind: KindDelay}, Task{Kind: KindPost, Conn: 7})
	n.complete(1, transport.StatusRetry)
	assert.Nil(t, r.Err())
	f := s.Err()
	require.NotNil(t, f)
	assert.Equal(t, CauseLink, f.Cause)
	assert.EqualValues(t, 12, f.Status)
	assert.EqualValues(t, 2, f.Seq)
	assert.Contains(t, f.Error(), "retry exceeded")
	assert.Equal(t, []*Stream{s}, heard)
	// Completions for a stream that is gone, and its slot's next user, are nobody's.
	w.push(s, Task{Kind: KindPost, Conn: 7})
	require.NoError(t, w.dev[0].Free(s))
	again := w.stream(0)
	n.complete(2, transport.StatusRetry)
	assert.Nil(t, again.Err())
}

func TestRefusedPost(t *testing.T) {
	w, n := wired(t)
	n.refuse = errors.New("no room")
	s := w.stream(0)
	w.push(s, Task{Kind: KindPost, Conn: 7})
	require.NotNil(t, s.Err())
	assert.Equal(t, CausePost, s.Err().Cause)
	assert.ErrorIs(t, s.Err(), n.refuse)
}

func TestWaitForCompletion(t *testing.T) {
	w, n := wired(t)
	s := w.stream(0)
	w.sys.Attach(7)
	w.push(s, Task{Kind: KindPost, Conn: 7, Flags: FlagWaitCompletion})
	assert.True(t, s.Busy())
	assert.NotZero(t, n.posts[0].Flags&transport.Signaled)
	n.complete(0, transport.StatusOK)
	assert.False(t, s.Busy())
	assert.Nil(t, s.Err())
	w.push(s, Task{Kind: KindPost, Conn: 7, Flags: FlagWaitCompletion})
	n.complete(1, transport.StatusRemoteAccess)
	require.NotNil(t, s.Err())
	assert.Equal(t, CauseLink, s.Err().Cause)
	assert.EqualValues(t, 10, s.Err().Status)
}

// A peer copy pushes from the source; from the destination's stream it reads
// where the protocol can, else the source writes.
func TestPeerCopy(t *testing.T) {
	for _, c := range []struct {
		name     string
		stream   int // device of the stream; data go from 0 to 1
		features uint32
		op       transport.Op
		end      transport.ConnID // 1: end at device 0
	}{
		{"push", 0, abi.FeatureRead, transport.OpWrite, 1},
		{"pull", 1, abi.FeatureRead, transport.OpRead, 2},
		{"pull without reads", 1, 0, transport.OpWrite, 1},
		{"third party", 2, abi.FeatureRead, transport.OpWrite, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, n := wired(t)
			n.features = c.features
			a, b := w.alloc(0, 64), w.alloc(1, 64)
			s := w.stream(c.stream)
			w.push(s, Task{Kind: KindPeerCopy, Dst: b, Src: a, Len: 64})
			require.Len(t, n.posts, 1)
			p := n.posts[0]
			assert.Equal(t, c.op, p.Op)
			assert.Equal(t, c.end, n.on[0])
			if c.op == transport.OpRead {
				a, b = b, a
			}
			assert.Equal(t, a, p.Local)
			assert.Equal(t, b, p.Remote)
			assert.True(t, s.Busy())
			n.complete(0, transport.StatusOK)
			assert.False(t, s.Busy())
			assert.Nil(t, s.Err())
		})
	}
}

func TestPeerCopyWithinADeviceIsSDMA(t *testing.T) {
	w, n := wired(t)
	a, b := w.alloc(0, 4), w.alloc(0, 4)
	w.ints(a, 42)
	w.push(w.stream(0), Task{Kind: KindPeerCopy, Dst: b, Src: a, Len: 4})
	assert.Empty(t, n.posts)
	assert.Equal(t, []int32{42}, w.get(b, 1))
}

func TestPeerCopyPaysForTheEngineStart(t *testing.T) {
	w, n := wired(t)
	for _, d := range w.dev {
		d.chip = slowChip()
	}
	s := w.stream(0)
	w.push(s, Task{Kind: KindPeerCopy, Dst: w.alloc(1, 4), Src: w.alloc(0, 4), Len: 4})
	assert.Empty(t, n.posts)
	r := w.eng.Run(0)
	assert.Len(t, n.posts, 1)
	assert.Equal(t, 5*us, r.End)
	require.NotNil(t, r.Stall, "a copy without completion is a stall")
	assert.Contains(t, r.Stall.Waiting[0].What, "the completion of peer copy")
}

// A record of another device's notify goes through the network and does not wait.
func TestRecordOfARemoteNotify(t *testing.T) {
	w, n := wired(t)
	s := w.stream(0)
	w.push(s, Task{Kind: KindNotifyRecord, Notify: w.notify(1)})
	assert.False(t, s.Busy())
	require.Len(t, n.posts, 1)
	assert.Equal(t, transport.OpNotify, n.posts[0].Op)
	assert.Equal(t, w.dev[1].NotifyAddr(0), n.posts[0].NotifyAddr)
	assert.Zero(t, w.dev[1].NotifyValue(0))
	w.push(s, Task{Kind: KindNotifyRecord, Notify: w.dev[1].NotifyAddr(0), Flags: FlagDirect})
	assert.EqualValues(t, 1, w.dev[1].NotifyValue(0))
}
