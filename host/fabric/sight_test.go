package fabric

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/topo"
)

// The first of the loads is the bottleneck, with what it did.
func TestLoads(t *testing.T) {
	for _, c := range []Features{{}, {Lanes: 2, Credits: Credits{Cells: 6553}}} {
		p := parking()
		p.wires[len(p.wires)-1].rate = 200 * gbps
		r := newRig(t, p, Config{Features: c})
		r.add(flow{from: 0, to: 4, bytes: 4_000_000})
		r.add(flow{from: 2, to: 4, bytes: 4_000_000})
		end := r.run().End
		loads := r.f.Loads()
		b := loads[0]
		require.Equal(t, "s1:0/3", b.Port)
		require.Equal(t, "s2:0/2", b.Peer)
		require.EqualValues(t, 8_000_000, b.Stat.Bytes)
		require.InEpsilon(t, 1e6*us((200*gbps).Time(8_000_000))/us(end), b.Utilised, 0.0001)
		require.Greater(t, b.Utilised, int64(950_000))
		require.False(t, b.FromDevice || b.ToDevice)
		require.Positive(t, b.Stat.Depth+int64(b.Stat.Queue))
		for _, l := range loads[1:] {
			require.LessOrEqual(t, l.Stat.Busy, b.Stat.Busy)
		}
	}
}

// Samples show the share of the wire, the queue and the drops over time.
func TestSamples(t *testing.T) {
	for _, c := range []Features{{}, {Buffer: Buffer{Reserve: 100_000}}} {
		file := filepath.Join(t.TempDir(), "trace.json")
		tr, err := record.NewTrace(file)
		require.NoError(t, err)
		rec := tr.Recorder("")
		r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: c, Record: rec, Sample: 10 * sim.Microsecond})
		for i := range 2 {
			r.add(flow{from: topo.NodeID(i), to: 2, bytes: 4_000_000})
		}
		r.add(flow{from: 0, to: 2, bytes: mtu, at: 2 * sim.Millisecond})
		end := r.run().End
		require.InDelta(t, 2002, us(end), 1, "samples do not keep the run going")
		require.NoError(t, tr.Commit())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, want := range []string{`port 0/2 utilisation","args":{"value":1000000}`, `port 0/2 utilisation","args":{"value":0}`, `port 0/2 queue"`} {
			require.True(t, strings.Contains(string(text), want), want)
		}
		require.Equal(t, c.Buffer.Reserve > 0, strings.Contains(string(text), `port 0/0 drops"`))
	}
}

// A run that is stuck ends though samples are asked for.
func TestSamplesDoNotHideAStall(t *testing.T) {
	tr, err := record.NewTrace(filepath.Join(t.TempDir(), "trace.json"))
	require.NoError(t, err)
	defer tr.Discard()
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{Features: Features{Credits: Credits{Cells: 10}}, Record: tr.Recorder(""), Sample: sim.Microsecond})
	r.e.Hold() // as a transport does while data is under way
	r.add(flow{from: 0, to: 1, bytes: mtu})
	require.Equal(t, sim.Stalled, r.e.Run(0).Reason)
}
