package device

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/ccu"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

// dies is devices of a real profile on a wire that the test completes.
func dies(t *testing.T, chip, kind string, n int) (*System, *wire) {
	t.Helper()
	p, err := soc.Load(chip)
	require.NoError(t, err)
	g, err := topo.Build(topo.Spec{Kind: kind, Servers: 1, Devices: n}, p.Chip())
	require.NoError(t, err)
	w := &wire{sinks: map[transport.ConnID]transport.Sink{}}
	y := NewSystem(SystemConfig{Engine: sim.New(1), Mem: mem.NewSpace(mem.Real), Net: w, Graph: g})
	for i := range n {
		_, err := New(y, Config{Chip: p.Chip(), Node: topo.NodeID(i)})
		require.NoError(t, err)
	}
	return y, w
}

func TestUnitsOfADevice(t *testing.T) {
	y, _ := dies(t, "950dt", "mesh", 2)
	e, err := y.Devices()[1].CCUs()
	require.NoError(t, err)
	again, err := y.Devices()[1].CCUs()
	require.NoError(t, err)
	require.Same(t, e, again)
	require.Len(t, e.Units(), 2)
	require.Equal(t, "device 1 / die 0", e.Units()[0].Name())
	_, used, _ := y.Mem().Usage(1)
	require.Zero(t, used, "registers and buffers are not taken from device memory")
	y.Close()

	y, _ = dies(t, "a3", "star", 2)
	_, err = y.Devices()[0].CCUs()
	require.ErrorIs(t, err, ccu.ErrNone)
	_, _, err = y.JoinCCUs(y.Devices()[0], y.Devices()[1], 0, 1, 0)
	require.ErrorIs(t, err, ccu.ErrNone)
}

// The mesh ports belong to die 1, those to switches to die 0.
func TestDieOfAChannelIsThatOfItsPorts(t *testing.T) {
	for kind, die := range map[string]int{"mesh": 1, "star": 0} {
		y, _ := dies(t, "950dt", kind, 3)
		d := y.Devices()
		got, err := d[0].DieTowards(d[2])
		require.NoError(t, err)
		require.Equal(t, die, got, kind)
		a, b, err := y.JoinCCUs(d[0], d[2], 5, 6, 0)
		require.NoError(t, err)
		require.Equal(t, die, a.Unit().Die())
		require.Equal(t, "device 2", d[2].Name())
		require.Same(t, a, b.Peer())
	}
}

func TestRequestsOfMissions(t *testing.T) {
	y, w := dies(t, "950dt", "mesh", 2)
	d := y.Devices()
	_, _, err := y.JoinCCUs(d[0], d[1], 0, 1, 0)
	require.NoError(t, err)
	p := (*ccuPort)(d[0])
	for kind, op := range map[ccu.RequestKind]transport.Op{ccu.Write: transport.OpWrite, ccu.Read: transport.OpRead,
		ccu.WriteReduce: transport.OpWriteReduce, ccu.WriteNotify: transport.OpWriteNotify, ccu.Notify: transport.OpNotify} {
		w.posts = nil
		require.NoError(t, p.Post(1, &ccu.Request{ID: 3, Kind: kind, Inline: kind == ccu.WriteNotify, Dtype: mem.FP16, Red: mem.Max, RKey: 4,
			Local: 5, Remote: 6, Len: 7, Notify: 8, Value: 9}))
		want := transport.WR{ID: 3, Op: op, Flags: transport.Signaled, Dtype: mem.FP16, Red: mem.Max, RKey: 4, Local: 5, Remote: 6, Len: 7,
			NotifyAddr: 8, NotifyValue: 9}
		if kind == ccu.WriteNotify {
			want.Flags |= transport.Inline
		}
		require.Equal(t, []transport.WR{want}, w.posts)
	}
}
