package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// around is a ring of n switches with a device each, and routes that go round it
// clockwise.
func around(n int) plan {
	p := plan{devices: n, switches: n}
	for i := range n {
		p.wires = append(p.wires, wire{i, n + i, 400 * gbps, sim.Microsecond}, wire{n + i, n + (i+1)%n, 400 * gbps, sim.Microsecond})
	}
	p.routes = func(g *topo.Graph) *topo.Routes {
		t := topo.NewRouteTable(g)
		for at := range topo.NodeID(2 * n) {
			for dst := range topo.NodeID(n) {
				if at == dst {
					continue
				}
				to := topo.NodeID(n) + at // device to its switch
				if at >= topo.NodeID(n) {
					if to = topo.NodeID(n) + (at-topo.NodeID(n)+1)%topo.NodeID(n); at-topo.NodeID(n) == dst {
						to = dst
					}
				}
				for _, id := range g.NodePorts(at) {
					if g.PeerNode(id) == to {
						t.Set(at, dst, []topo.PortID{id})
					}
				}
			}
		}
		return t.Routes()
	}
	return p
}

// Flows that go half round a ring fill its buffers until each link waits for the
// next: a stall, whose report names the circle of ports.
func TestDeadlockNamesTheCircle(t *testing.T) {
	const n = 4
	want := map[string]bool{}
	for name, c := range map[string]Features{
		"credits": {Credits: Credits{Cells: 100}},
		"turns":   {Credits: Credits{Cells: 100}, Turns: true},
		"lanes":   {Credits: Credits{Cells: 100}, Lanes: 4},
		"pause":   {Pause: Pause{Lanes: 1, Off: 60_000, On: 40_000}},
	} {
		r := newRig(t, around(n), Config{Features: c})
		for i := range n {
			r.add(flow{from: topo.NodeID(i), to: topo.NodeID((i + 2) % n), bytes: 4_000_000})
			want[r.g.PortName(r.f.routes[0].Ports(topo.NodeID(n+i), topo.NodeID((i+1)%n))[0])] = true
		}
		res := r.e.Run(0)
		require.Equal(t, sim.Stalled, res.Reason, name)
		require.NotNil(t, res.Stall)
		require.Len(t, res.Stall.Cycle, n, "%s: %v", name, res.Stall)
		for _, who := range res.Stall.Cycle {
			require.True(t, want[who[len("port "):]], "%s: %s is not a port of the ring", name, who)
		}
		require.Positive(t, r.f.InFlight())
	}
}

// A second lane for who has crossed the seam breaks the circle; so does enough room.
func TestNoDeadlockWithRoom(t *testing.T) {
	r := newRig(t, around(4), Config{Features: Features{Credits: Credits{Cells: 1 << 20}}})
	for i := range 4 {
		r.add(flow{from: topo.NodeID(i), to: topo.NodeID((i + 2) % 4), bytes: 4_000_000})
	}
	r.run()
}

// Credit that can never suffice is a stall too, which says what is missing.
func TestPacketLargerThanItsCredit(t *testing.T) {
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{Features: Features{Credits: Credits{Cells: 10}}})
	r.add(flow{from: 0, to: 1, bytes: mtu})
	res := r.e.Run(0)
	require.Equal(t, sim.Stalled, res.Reason)
	require.Equal(t, "port d0:0/0", res.Stall.Waiting[0].Who)
	require.Contains(t, res.Stall.Waiting[0].What, "10 cells left of 10, the next packet takes 25")
	require.Equal(t, "s0", res.Stall.Waiting[0].Actor)
}
