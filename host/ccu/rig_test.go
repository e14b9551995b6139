package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

// rig is devices with units and a network of nothing but latency.
type rig struct {
	t    testing.TB
	sim  *sim.Engine
	mem  *mem.Space
	chip soc.Chip
	dev  []*Engine
	wire *wire
}

// wire carries requests: each lands latency after its post, and is complete as
// long after that.
type wire struct {
	r       *rig
	id      sim.ID
	latency sim.Time
	posts   []post
	fail    map[RequestKind]error
}

type post struct {
	from   int
	conn   int32
	req    Request
	inline []byte
	err    error
}

type port struct {
	w   *wire
	dev int
}

func (p port) Post(conn int32, r *Request) error {
	if err := p.w.fail[r.Kind]; err != nil {
		return err
	}
	x := post{from: p.dev, conn: conn, req: *r}
	if r.Inline {
		x.inline = make([]byte, r.Len)
		require.NoError(p.w.r.t, p.w.r.mem.Read(r.Local, x.inline))
	}
	p.w.posts = append(p.w.posts, x)
	p.w.r.sim.After(p.w.latency, p.w.id, uint64(len(p.w.posts)-1)<<1)
	return nil
}

// Handle lands a request, or completes it.
func (w *wire) Handle(_ sim.Time, arg uint64) {
	x := &w.posts[arg>>1]
	m := w.r.mem
	if arg&1 != 0 {
		w.r.dev[x.from].Complete(x.req.ID, StatusRemote, x.err)
		return
	}
	q := &x.req
	if q.RKey != 0 {
		access := mem.RemoteWrite
		if q.Kind == Read {
			access = mem.RemoteRead
		}
		x.err = m.CheckKey(q.RKey, q.Remote, q.Len, access)
	}
	switch {
	case x.err != nil:
	case x.inline != nil:
		x.err = m.Write(q.Remote, x.inline)
	case q.Kind == Read:
		x.err = m.Copy(q.Local, q.Remote, q.Len)
	case q.Kind == WriteReduce:
		_, x.err = m.Reduce(q.Remote, q.Local, q.Len, q.Dtype, q.Red, 0)
	case q.Kind == Write:
		x.err = m.Copy(q.Remote, q.Local, q.Len)
	}
	if x.err == nil && (q.Kind == Notify || q.Kind == WriteNotify) {
		x.err = m.WriteRegister(q.Notify, q.Value)
	}
	w.r.sim.After(w.latency, w.id, arg|1)
}

const wireLatency = 500 * sim.Nanosecond

func newRig(t testing.TB, devices int, change ...func(*soc.Chip)) *rig {
	t.Helper()
	p, err := soc.Load("950dt")
	require.NoError(t, err)
	r := &rig{t: t, sim: sim.New(1), mem: mem.NewSpace(mem.Real), chip: *p.Chip()}
	for _, f := range change {
		f(&r.chip)
	}
	r.wire = &wire{r: r, latency: wireLatency, fail: map[RequestKind]error{}}
	r.wire.id = r.sim.Register(r.wire)
	for d := range devices {
		name := []string{"device 0", "device 1", "device 2"}[d]
		e, err := New(Config{Sim: r.sim, Chip: &r.chip, Mem: r.mem, Device: d, Name: func() string { return name }, Port: port{r.wire, d}})
		require.NoError(t, err)
		r.dev = append(r.dev, e)
	}
	return r
}

// program builds a program from Go calls, as a module's would be recorded.
func (r *rig) program(u *Unit, name string, chans []*Channel, with *Program, f func(x *Recorder)) (*Program, error) {
	p := &Program{u: u, name: name, module: "test"}
	err := p.build(chans, with, func(x *Recorder) error {
		f(x)
		return nil
	})
	if err != nil {
		p.release()
		return nil, p.failed("register", err)
	}
	return p, nil
}

func (r *rig) must(u *Unit, f func(x *Recorder), chans ...*Channel) *Program {
	r.t.Helper()
	p, err := r.program(u, "probe", chans, nil, f)
	require.NoError(r.t, err)
	return p
}

// refused builds a program that must be refused, and takes nothing.
func (r *rig) refused(u *Unit, want string, f func(x *Recorder), chans ...*Channel) error {
	r.t.Helper()
	var before, after [numResources]int
	for k := range numResources {
		before[k] = u.Free(k)
	}
	_, err := r.program(u, "probe", chans, nil, f)
	require.ErrorContains(r.t, err, want)
	require.ErrorContains(r.t, err, "register program probe of test on "+u.Name())
	for k := range numResources {
		after[k] = u.Free(k)
	}
	require.Equal(r.t, before, after, "nothing is taken")
	return err
}

// run is one launch under way.
type run struct {
	done bool
	err  error
	at   sim.Time
}

// launch runs all entries of a launch, one after the other.
func (r *rig) launch(p *Program, args ...uint64) *run {
	r.t.Helper()
	l, err := p.Launch(args)
	require.NoError(r.t, err)
	x := &run{}
	var next func(i int)
	next = func(i int) {
		l.Run(i, func(err error) {
			if err == nil && i+1 < l.Entries() {
				next(i + 1)
				return
			}
			require.False(r.t, x.done, "done once")
			*x = run{true, err, r.sim.Now()}
		})
	}
	next(0)
	return x
}

// at runs f at a time.
func (r *rig) at(t sim.Time, f func()) {
	r.sim.Go("test", func(p *sim.Proc) {
		p.Sleep(t - r.sim.Now())
		f()
	})
}

// one runs a program alone to its end.
func (r *rig) one(p *Program, args ...uint64) sim.Time {
	r.t.Helper()
	x := r.launch(p, args...)
	res := r.sim.Run(0)
	require.Nil(r.t, res.Stall, "%v", res.Stall)
	require.True(r.t, x.done)
	require.NoError(r.t, x.err)
	return x.at
}

// buffer is registered memory of a device and its token.
func (r *rig) buffer(dev int, data []byte) (mem.Addr, uint64) {
	r.t.Helper()
	a, err := r.mem.Alloc(mem.AllocSpec{Device: dev, Size: int64(len(data))})
	require.NoError(r.t, err)
	require.NoError(r.t, r.mem.Write(a, data))
	g, err := r.mem.RegisterRegion(mem.RegionSpec{Device: dev, Addr: a, Len: int64(len(data)),
		Access: mem.LocalWrite | mem.RemoteWrite | mem.RemoteRead | mem.RemoteAtomic})
	require.NoError(r.t, err)
	return a, Token(g)
}

func (r *rig) read(a mem.Addr, n int) []byte {
	b := make([]byte, n)
	require.NoError(r.t, r.mem.Read(a, b))
	return b
}

// join makes a channel between die 1 of devices a and b.
func (r *rig) join(a, b int) (*Channel, *Channel) {
	r.t.Helper()
	x, y, err := Join(End{r.dev[a].units[1], int32(10*a + b + 1), uint32(a)}, End{r.dev[b].units[1], int32(10*b + a + 1), uint32(b)}, 0)
	require.NoError(r.t, err)
	return x, y
}

// bytesOf is n bytes that differ.
func bytesOf(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) ^ byte(i>>8) ^ seed
	}
	return b
}
