package ns3ub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// The network of a case serves other traffic: its devices are ranks of one server in the order of their ids, its switches
// take their forward delay, and its routing table stays.
func TestCluster(t *testing.T) {
	f := star(3, "0,0,1,4096,URMA_WRITE,7,0ns,0,").with("traffic.csv", "-").with("network_attribute.txt", "-")
	c, err := LoadCluster(f.fs(), "case")
	require.NoError(t, err)
	g := c.Graph
	require.Equal(t, []int{3, 1, 3}, []int{g.Devices, g.Servers, g.PerServer})
	require.NotNil(t, c.Routes)
	for i := range 3 {
		require.Equal(t, topo.Node{Kind: topo.Device, Name: g.Nodes[i].Name, Index: int32(i), Forwards: true, Store: true}, g.Nodes[i])
		require.Equal(t, g.NodePorts(topo.NodeID(i)), c.Routes.Ports(topo.NodeID(i), topo.NodeID((i+1)%3)))
	}
	require.Equal(t, 5*sim.Nanosecond, g.Nodes[3].Delay)

	c, err = LoadCluster(f.with("routing_table.csv", "-").fs(), "case")
	require.NoError(t, err)
	require.Nil(t, c.Routes)
	require.Contains(t, strings.Join(c.Notes, "\n"), "packets take shortest paths")
}

// What cannot serve every pair of ranks is refused with file and line.
func TestClusterRefused(t *testing.T) {
	good := star(3, "0,0,1,4096,URMA_WRITE,7,0ns,0,")
	swap := func(name, old, text string) files {
		require.Contains(t, good[name], old)
		return good.with(name, strings.Replace(good[name], old, text, 1))
	}
	for want, f := range map[string]files{
		"case/node.csv: there is no such file":                                                 good.with("node.csv", "-"),
		`case/topology.csv:2: column "bandwidth": got "0Gbps", want a rate above 0`:            swap("topology.csv", "400Gbps", "0Gbps"),
		"case/routing_table.csv: node 0 cannot reach node 1: there is no row for it at node 3": swap("routing_table.csv", "3,1,0,1,1\n", ""),
		"case/routing_table.csv:10: routes to port 0 of node 1 go in a circle: 3 to 2 to 3":    swap("routing_table.csv", "3,1,0,1,1\n", "3,1,0,2,1\n"),
		"case/topology.csv: node 1 cannot reach node 0: no links join them":                    swap("topology.csv", "1,0,3,1,400Gbps,10ns\n", "").with("routing_table.csv", "-"),
		"case/node.csv: got 1 devices, want at least two":                                      good.with("node.csv", "nodeId,nodeType,portNum,forwardDelay\n0,DEVICE,1,1ns\n3,SWITCH,4,1ns\n").with("topology.csv", "nodeId1,portId1,nodeId2,portId2,bandwidth,delay\n0,0,3,0,400Gbps,10ns\n").with("routing_table.csv", "-"),
	} {
		_, err := LoadCluster(f.fs(), "case")
		require.ErrorContains(t, err, want)
	}
}
