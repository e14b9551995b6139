package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/topo"
	"hsim/host/topo/entity"
	"hsim/host/transport"
)

// R015: ports are named die/port.
func TestR015PortNames(t *testing.T) {
	c := profile(t, "950dt")
	g, err := topo.Build(topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1}, c)
	require.NoError(t, err)
	var names []string
	for _, p := range entity.Of(topo.NewCluster(g, c)).Ports {
		if p.DeviceID == 0 {
			names = append(names, p.Name)
		}
	}
	assert.Subset(t, names, []string{"0/0", "0/1", "1/0", "1/6"})
}

// R017: an endpoint is reached through several ports, and a port by several
// endpoints: one row for each pair.
func TestR017EndPointsAndPorts(t *testing.T) {
	c := profile(t, "950dt")
	g, err := topo.Build(topo.Spec{Kind: "mesh-clos", Servers: 1, Devices: 2, Hosts: 1}, c)
	require.NoError(t, err)
	cluster := &topo.Cluster{Graph: g, Chip: c, EndPoints: []topo.EndPoint{
		{Addr: "0000:one", Ports: []string{"0/0", "0/1"}}, {Addr: "0000:two", Ports: []string{"0/1"}}}}
	cluster.Complete()
	rows := entity.Of(cluster)
	addr, port := map[int]string{}, map[int]string{}
	for _, e := range rows.EndPoints {
		addr[e.EndPointID] = e.Addr
	}
	for _, p := range rows.Ports {
		if p.DeviceID == 0 {
			port[p.PortID] = p.Name
		}
	}
	ports := map[string][]string{}
	for _, m := range rows.EndPointPorts {
		ports[addr[m.EndPointID]] = append(ports[addr[m.EndPointID]], port[m.PortID])
	}
	assert.Equal(t, []string{"0/0", "0/1"}, ports["0000:one"])
	assert.Equal(t, []string{"0/1"}, ports["0000:two"])
}

// R018: a link of several protocols has a row for each, and each can be chosen for
// a connection.
func TestR018LinkProtocols(t *testing.T) {
	c := profile(t, "950dt")
	b := linked(t, c, 1, 2)
	rows := entity.Of(topo.NewCluster(b.rt.graph, c))
	protocols := map[int][]string{}
	for _, m := range rows.LinkProtocols {
		protocols[m.LinkID] = append(protocols[m.LinkID], m.Protocol)
	}
	assert.Subset(t, protocols[0], []string{"UB_CTP", "UB_MEM"})
	for _, p := range []topo.Protocol{topo.UB_CTP, topo.UB_MEM} {
		x, y, err := b.net.Connect(transport.Spec{A: 0, B: 1, Protocol: p})
		b.must(err)
		assert.NotEqual(t, x, y)
	}
	_, _, err := b.net.Connect(transport.Spec{A: 0, B: 1, Protocol: topo.HCCS})
	assert.Error(t, err, "no link carries it")
}
