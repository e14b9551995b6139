package entity

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/load"
)

func cluster(t testing.TB, profile string, spec topo.Spec) *topo.Cluster {
	t.Helper()
	p, err := soc.Load(profile)
	require.NoError(t, err)
	g, err := topo.Build(spec, p.Chip())
	require.NoError(t, err)
	return topo.NewCluster(g, p.Chip())
}

// Every foreign key refers to a row, and every link has two endpoints.
func check(t *testing.T, g *topo.Graph, x *Tables) {
	t.Helper()
	devices := g.Devices + g.Spares
	in := func(what string, id, n int, null bool) {
		if id < 0 && null && id == None {
			return
		}
		if id < 0 || id >= n {
			require.Failf(t, "foreign key", "%s: got %d, want below %d", what, id, n)
		}
	}
	for _, h := range x.Hosts {
		in("host.server", h.ServerID, len(x.Servers), false)
	}
	names := map[[2]any]bool{}
	for _, p := range x.Ports {
		in("port.device", p.DeviceID, devices, false)
		require.False(t, names[[2]any{p.DeviceID, p.Name}], "%v", p)
		names[[2]any{p.DeviceID, p.Name}] = true
	}
	addrs := map[string]bool{}
	for _, e := range x.EndPoints {
		in("endpoint.device", e.DeviceID, devices, true)
		require.False(t, addrs[e.Addr], "%v", e)
		addrs[e.Addr] = true
	}
	for _, m := range x.EndPointPorts {
		in("mapping.port", m.PortID, len(x.Ports), false)
		in("mapping.endpoint", m.EndPointID, len(x.EndPoints), false)
		require.Equal(t, x.EndPoints[m.EndPointID].DeviceID, x.Ports[m.PortID].DeviceID)
	}
	for _, l := range x.Links {
		in("link.local", l.LocalEndPointID, len(x.EndPoints), false)
		in("link.remote", l.RemoteEndPointID, len(x.EndPoints), false)
		require.NotEqual(t, l.LocalEndPointID, l.RemoteEndPointID)
	}
	protocols := make([]int, len(x.Links))
	for _, p := range x.LinkProtocols {
		in("protocol.link", p.LinkID, len(x.Links), false)
		protocols[p.LinkID]++
	}
	for _, n := range protocols {
		require.Positive(t, n)
	}
}

func TestTablesOf950(t *testing.T) {
	c := cluster(t, "950dt", topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1})
	x := Of(c)
	check(t, c.Graph, x)
	require.Equal(t, []Server{{0, "node_0", "0", ""}, {1, "node_1", "0", ""}}, x.Servers)
	require.Equal(t, Host{1, 1, "172.16.0.1", "aarch64"}, x.Hosts[1])
	require.Len(t, x.Ports, 16*17)
	require.Len(t, x.Links, len(c.Graph.Links))
	types := map[string]int{}
	for _, l := range x.Links {
		types[l.Type]++
	}
	require.Equal(t, map[string]int{"PEER2PEER": 56, "PEER2NET": 16*8 + 16, "D2H": 16}, types)
	// seven mesh addresses, one for the eight switch ports, the NIC, the host way; hosts and switches one each
	require.Len(t, x.EndPoints, 16*(7+1+1+1)+2+9)
	require.Len(t, x.EndPointPorts, 16*17)
}

func TestTablesOfUneven(t *testing.T) {
	for _, c := range []struct {
		profile string
		spec    topo.Spec
	}{
		{"910", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 2}},
		{"a3", topo.Spec{Kind: "superpod", Servers: 4, Devices: 16, Hosts: 1, Params: topo.Params{Superpods: 2, Backup: 1}}},
		{"ideal", topo.Spec{Kind: "mesh", Servers: 2, Devices: 32, Hosts: 1}},
		{"950dt", topo.Spec{Kind: "superpod", Servers: 16, Devices: 8, Hosts: 1, Params: topo.Params{Backup: 1}}},
	} {
		all := cluster(t, c.profile, c.spec)
		check(t, all.Graph, Of(all))
	}
}

// A server without a host has one: the CPU of its device.
func TestDeviceIsHost(t *testing.T) {
	c := cluster(t, "910", topo.Spec{Kind: "mesh", Servers: 2, Devices: 1})
	x := Of(c)
	check(t, c.Graph, x)
	require.Equal(t, 1, c.Graph.HostNumber(1))
	require.Equal(t, []Host{{0, 0, "172.16.0.0", "aarch64"}, {1, 1, "172.16.0.1", "aarch64"}}, x.Hosts)
}

const shared = "../../../../shared/cases"

func TestTablesOfPublicFiles(t *testing.T) {
	for _, w := range []struct{ profile, table, wires string }{
		{"a3", "rt04_v1.2_a3_superpod_16.json", ""},
		{"950dt", "rt06_v2.0_a5_2x2_ipv4.json", "topo01_ug_2p_mesh_clos.json"},
		{"950dt", "rt07_v2.0_a5_eid_hostnic.json", "topo24_hostnic_roce.json"},
		{"950dt", "rt10_v2.0_16p_mesh.json", "topo10_16p_mesh.json"},
		{"950dt", "rt11_v2.0_2d_2+2p.json", "topo11_2d_2+2p.json"},
		{"950pr", "", "topo23_2x2plus1.json"},
	} {
		s := load.Sources{}
		for _, f := range []struct {
			to        *string
			dir, name string
		}{{&s.RankTable, "ranktable", w.table}, {&s.Topo, "topo", w.wires}} {
			if f.name == "" {
				continue
			}
			*f.to = filepath.Join(shared, f.dir, f.name)
			if _, err := os.Stat(*f.to); err != nil {
				t.Skipf("no %s", *f.to)
			}
		}
		p, err := soc.Load(w.profile)
		require.NoError(t, err)
		c, _, err := load.Cluster(s, p.Chip(), load.Options{})
		require.NoError(t, err)
		x := Of(c)
		check(t, c.Graph, x)
		if w.table == "rt06_v2.0_a5_2x2_ipv4.json" {
			// one address over four ports, and two addresses on a device's network of layer 1
			n := 0
			for _, m := range x.EndPointPorts {
				if x.EndPoints[m.EndPointID].Addr == "172.16.0.15" {
					require.Equal(t, fmt.Sprintf("0/%d", 4+n), x.Ports[m.PortID].Name)
					n++
				}
			}
			require.Equal(t, 4, n)
		}
		if w.table == "rt10_v2.0_16p_mesh.json" {
			protocols := map[string]int{}
			for _, p := range x.LinkProtocols {
				protocols[p.Protocol]++
			}
			require.Equal(t, map[string]int{"UB_CTP": 120, "UB_MEM": 120, "PCIE": 16}, protocols)
		}
	}
}

// Hosts count over the cluster, and a device's host is the one that it hangs on.
func TestHostNumbers(t *testing.T) {
	c := cluster(t, "a2", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 2})
	var got []int
	for d := range topo.NodeID(16) {
		got = append(got, c.Graph.HostNumber(d))
	}
	require.Equal(t, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, got)
	require.Equal(t, []Host{{0, 0, "172.16.0.0", "aarch64"}, {1, 0, "172.16.0.1", "aarch64"}, {2, 1, "172.16.0.2", "aarch64"}, {3, 1, "172.16.0.3", "aarch64"}}, Of(c).Hosts)
}
