package device

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
)

// free is a chip on which nothing takes time.
func freeChip() *soc.Chip {
	return &soc.Chip{Name: "test", MaxStreams: 8, MaxNotifies: 100, StreamDepth: 64}
}

// slow is a chip with simple round costs.
func slowChip() *soc.Chip {
	c := freeChip()
	c.TSDispatch = 1 * sim.Microsecond
	c.SyncHost, c.SyncAICPU = 2*sim.Microsecond, 3*sim.Microsecond
	c.SDMA = soc.SDMA{Alpha: 5 * sim.Microsecond, CopyRate: 8 * units.Rate(1e9), ReduceRate: 4 * units.Rate(1e9), Channels: 2}
	return c
}

type world struct {
	t      testing.TB
	eng    *sim.Engine
	mem    *mem.Space
	sys    *System
	dev    []*Device
	probes *kernel.Binary
}

func newWorld(t testing.TB, chip *soc.Chip, devices int) *world {
	w := &world{t: t, eng: sim.New(1), mem: mem.NewSpace(mem.Real)}
	w.sys = NewSystem(SystemConfig{Engine: w.eng, Mem: w.mem})
	for i := range devices {
		d, err := New(w.sys, Config{Chip: chip, Node: topo.NodeID(i)})
		require.NoError(t, err)
		w.dev = append(w.dev, d)
	}
	return w
}

func (w *world) stream(dev int) *Stream {
	s, err := w.dev[dev].NewStream(StreamOptions{})
	require.NoError(w.t, err)
	return s
}

func (w *world) alloc(dev int, n int64) mem.Addr {
	a, err := w.mem.Alloc(mem.AllocSpec{Device: dev, Size: n})
	require.NoError(w.t, err)
	return a
}

func (w *world) notify(dev int) mem.Addr {
	_, a, err := w.dev[dev].AllocNotify()
	require.NoError(w.t, err)
	return a
}

func (w *world) push(s *Stream, tasks ...Task) {
	for i := range tasks {
		require.NoError(w.t, s.Push(&tasks[i]))
	}
}

// log keeps the finished tasks.
type log struct{ rows []row }

type row struct {
	stream     *Stream
	kind       Kind
	seq, sub   uint32
	start, end sim.Time
	fault      *Fault
}

func (l *log) TaskDone(s *Stream, t *Task, start, end sim.Time, f *Fault) {
	l.rows = append(l.rows, row{s, t.Kind, t.Seq, t.Sub, start, end, f})
}

func (l *log) of(s *Stream) (r []row) {
	for _, x := range l.rows {
		if x.stream == s {
			r = append(r, x)
		}
	}
	return r
}
