package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// spoil changes what a port says that it did.
func (f *Fabric) spoil(id int, by Stat) {
	s := &f.ports[id].stat
	if f.q == nil {
		s.Bytes, s.Packets, s.Busy = s.Bytes+by.Bytes, s.Packets+by.Packets, s.Busy+by.Busy
	} else {
		w := &f.q.ports[id]
		w.sent.bytes, w.sent.packets, w.sent.busy = w.sent.bytes+by.Bytes, w.sent.packets+by.Packets, w.sent.busy+by.Busy
		s = &w.stat
	}
	s.Drops, s.Full = s.Drops+by.Drops, s.Full+by.Full
}

// What an audit is there to find, it finds.
func TestAudit(t *testing.T) {
	for _, c := range []Features{{}, {Credits: Credits{Cells: 100}}} {
		for says, by := range map[string]Stat{
			"on the wire in":                             {Busy: sim.Second},
			"got 108000 bytes in 2us, want at most":      {Bytes: 8000},
			"s0: got 25 packets and 100001 bytes in, 25": {Bytes: 1},
			"s0: got 26 packets":                         {Packets: 1},
			"lost packets with sound links":              {Packets: 1, Drops: 1},
		} {
			r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: c})
			r.add(flow{from: 0, to: 2, bytes: 100_000})
			r.run()
			r.f.spoil(0, by)
			require.ErrorContains(t, r.f.Audit(), says)
		}
	}
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Credits: Credits{Cells: 100}}})
	r.f.spoil(0, Stat{Full: 1})
	require.ErrorContains(t, r.f.Audit(), "on lanes that lose nothing")
	r.f.flying++
	require.ErrorContains(t, r.f.Audit(), "got 1 packets under way at the end")
}
