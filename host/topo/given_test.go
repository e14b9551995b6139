package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/units"
)

// triangle is two devices on a switch and a link between them.
func triangle() Given {
	l := Link{Rate: units.Gbps, Latency: sim.Nanosecond, Protocols: 1 << UB_TP}
	return Given{Kind: "given", Nodes: []Node{{Kind: Device, Name: "a", Forwards: true}, {Kind: Device, Name: "b", Forwards: true}, {Kind: Switch, Name: "s", Forwards: true}},
		Links: []GivenLink{{0, 1, 0, 3, l}, {0, 2, 1, 0, l}, {1, 2, 1, 1, l}}}
}

func TestGivenCluster(t *testing.T) {
	g, err := FromGiven(triangle())
	require.NoError(t, err)
	require.Equal(t, 2, g.Devices)
	require.Equal(t, "b:0/3", g.PortName(g.Peer(g.PortAt(0, 0, 0))))
	require.Equal(t, PortID(None), g.PortAt(0, 0, 2))
	require.True(t, g.Reachable(0, 1, UB_TP))
	r, err := g.Routes(UB_TP)
	require.NoError(t, err)
	require.Equal(t, []PortID{g.PortAt(0, 0, 0)}, r.Ports(0, 1))
}

func TestGivenClusterRefuses(t *testing.T) {
	for _, k := range []struct {
		edit func(*Given)
		want string
	}{
		{func(in *Given) { in.Nodes[0], in.Nodes[2] = in.Nodes[2], in.Nodes[0] }, "got device b after other nodes, want devices first"},
		{func(in *Given) { in.Links[0].B = 7 }, "got a link at port 3 of node 7, want one of 3 nodes"},
		{func(in *Given) { in.Links[1].PortA = 0 }, "got two links on port 0 of a, want one"},
	} {
		in := triangle()
		k.edit(&in)
		_, err := FromGiven(in)
		require.ErrorContains(t, err, k.want)
	}
}

// Routes that are given are followed, shortest or not, and nothing else.
func TestRouteTable(t *testing.T) {
	g, err := FromGiven(triangle())
	require.NoError(t, err)
	table := NewRouteTable(g)
	table.Set(0, 1, []PortID{g.PortAt(0, 0, 1)})
	table.Set(2, 1, []PortID{g.PortAt(2, 0, 1)})
	table.Set(1, 0, []PortID{g.PortAt(1, 0, 3), g.PortAt(1, 0, 1)})
	table.Set(1, 0, []PortID{g.PortAt(1, 0, 3)})
	r := table.Routes()
	require.Equal(t, []PortID{g.PortAt(0, 0, 1), g.PortAt(2, 0, 1)}, r.Path(0, 1))
	require.Equal(t, []PortID{g.PortAt(1, 0, 3)}, r.Ports(1, 0))
	require.Empty(t, r.Ports(2, 0))
}
