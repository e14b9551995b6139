package load

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/ranktable"
)

const shared = "../../../../shared/cases"

func chip(t testing.TB, name string) *soc.Chip {
	t.Helper()
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

func public(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	return path
}

// The wiring that the public tables and topology files give together.
func TestPublicPairs(t *testing.T) {
	for _, w := range []struct {
		table, wires       string
		servers, supers    int
		hops01, hops, last int // links from rank 0 to 1 and to the last
		profile            string
	}{
		{table: "rt06_v2.0_a5_2x2_ipv4.json", wires: "topo01_ug_2p_mesh_clos.json", servers: 2, supers: 1, hops01: 1, hops: 2, last: 3, profile: "950dt"},
		{table: "rt10_v2.0_16p_mesh.json", wires: "topo10_16p_mesh.json", servers: 1, supers: 1, hops01: 1, hops: 1, last: 15, profile: "950dt"},
		{table: "rt11_v2.0_2d_2+2p.json", wires: "topo11_2d_2+2p.json", servers: 2, supers: 1, hops01: 1, hops: 2, last: 3, profile: "950pr"},
		{table: "rt12_v2.0_1d_2p.json", wires: "topo12_1d_2p.json", servers: 1, supers: 1, hops01: 1, hops: 1, last: 1, profile: "960"},
		{table: "rt13_v2.0_2p_clos.json", wires: "topo14_2p_clos.json", servers: 1, supers: 1, hops01: 2, hops: 2, last: 1, profile: "950dt"},
		{table: "rt04_v1.2_a3_superpod_16.json", servers: 4, supers: 2, hops01: 1, hops: 4, last: 7, profile: "a3"},
		{table: "rt05_v1.0_a3_server_mode.json", servers: 2, supers: 2, hops01: 1, hops: 2, last: 3, profile: "a3"},
		{table: "rt27_v1.0_gpt2_16p_two_nodes.json", servers: 2, supers: 1, hops01: 1, hops: 2, last: 15, profile: "910"},
	} {
		t.Run(w.table, func(t *testing.T) {
			s := Sources{RankTable: public(t, "ranktable/"+w.table)}
			if w.wires != "" {
				s.Topo = public(t, "topo/"+w.wires)
			}
			c, _, err := Cluster(s, chip(t, w.profile), Options{})
			require.NoError(t, err)
			g := c.Graph
			require.Equal(t, []int{w.servers, w.supers}, []int{g.Servers, g.Supers})
			hops := func(rank int) int {
				to := c.Ranks[rank].Node
				info, ok := g.PathInfo(c.Ranks[0].Node, to, g.Protocol(c.Ranks[0].Node, to))
				require.True(t, ok)
				return info.Hops
			}
			require.Equal(t, []int{w.hops01, w.hops}, []int{hops(1), hops(w.last)})
		})
	}
}

// Ranks of rt04 in different superpods meet over RoCE only, and its addresses
// are those of the NIC.
func TestPublicSuperpods(t *testing.T) {
	c, _, err := Cluster(Sources{RankTable: public(t, "ranktable/rt04_v1.2_a3_superpod_16.json")}, chip(t, "a3"), Options{Hosts: 4})
	require.NoError(t, err)
	require.Equal(t, topo.HCCS, c.Graph.Protocol(0, 7))
	require.Equal(t, topo.ROCE, c.Graph.Protocol(0, 8))
	require.Equal(t, []topo.ServerName{{ID: "node_0", Pod: "0"}, {ID: "node_1", Pod: "0"}, {ID: "node_2", Pod: "1"}, {ID: "node_3", Pod: "1"}}, c.Servers)
	require.Equal(t, "172.16.0.101", c.HostIPs[4])
	require.Equal(t, topo.Rank{Node: 9, Local: 1, DevicePort: 16666, HostPort: 16666, SuperID: 1}, c.Ranks[9])
	found := false
	for _, e := range c.EndPoints {
		if e.Node == 9 && e.Addr == "192.168.3.7" {
			found = true
			require.Equal(t, []string{"0/8"}, e.Ports)
			require.EqualValues(t, 2, e.Layer)
		}
	}
	require.True(t, found)
}

// Devices are numbered server by server whatever the ranks are.
func TestRanksInAnyOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rt.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"version": "1.0", "server_count": "2", "server_list": [
 {"server_id": "b", "device": [{"device_id": "5", "device_ip": "10.0.0.3", "rank_id": "3"}, {"device_id": "1", "device_ip": "10.0.0.4", "rank_id": "0"}]},
 {"server_id": "a", "device": [{"device_id": "0", "device_ip": "10.0.0.1", "rank_id": "2"}, {"device_id": "7", "device_ip": "10.0.0.2", "rank_id": "1"}, {"device_id": "2", "device_ip": "10.0.0.5", "rank_id": "4"}]}]}`), 0o644))
	c, _, err := Cluster(Sources{RankTable: file}, chip(t, "a2"), Options{})
	require.NoError(t, err)
	var nodes []int
	for _, r := range c.Ranks {
		nodes = append(nodes, int(r.Node))
	}
	require.Equal(t, []int{0, 4, 2, 1, 3}, nodes)
	require.Equal(t, 0, c.Graph.PerServer)
	require.EqualValues(t, 7, c.Graph.Nodes[4].Index)
	_, _, err = Cluster(Sources{RankTable: file}, chip(t, "910"), Options{})
	require.ErrorContains(t, err, "EI0010")
}

func TestTopologyAlone(t *testing.T) {
	c, notes, err := Cluster(Sources{Topo: public(t, "topo/topo22_64plus1.json")}, chip(t, "950dt"), Options{Visible: []int{8, 1}})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, []int{4, 1}, []int{c.Graph.Devices, c.Graph.Spares})
	require.Equal(t, []topo.NodeID{2, 1}, c.Logic(0))
	_, _, err = Cluster(Sources{Topo: public(t, "topo/topo22_64plus1.json")}, chip(t, "950dt"), Options{Visible: []int{8, 2}})
	require.EqualError(t, err, "load: visible devices: got 2, want physical ids of the servers' devices: [0 1 8 9]")
}

// A root info file knows its topology file; the path may be another machine's.
func TestRootInfo(t *testing.T) {
	g, err := topo.Build(topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 4, Hosts: 1}, chip(t, "950dt"))
	require.NoError(t, err)
	files, err := ranktable.Export(topo.NewCluster(g, chip(t, "950dt")))
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		return filepath.Join(dir, name)
	}
	write("topo.json", files.Topo)
	infos := []string{write("a.json", files.RootInfo[0]), write("b.json", files.RootInfo[1])}
	c, notes, err := Cluster(Sources{RootInfo: infos}, chip(t, "950dt"), Options{})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "", topo.Differ(g, c.Graph))
	one, _, err := Cluster(Sources{RankTable: infos[0]}, chip(t, "950dt"), Options{})
	require.NoError(t, err)
	require.Equal(t, 4, one.Graph.Devices)
}

// A table whose rank runs on the backup device: it is wired as the backup, nothing is left to stand by, and the device that
// it replaces is not there.
func TestRankOnBackup(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return filepath.Join(dir, name)
	}
	edge := func(id int) string {
		return fmt.Sprintf(`{"net_layer": 0, "link_type": "PEER2NET", "local_a": %d, "local_a_ports": ["0/%d"], "protocols": ["UB_CTP"]}`, id, id%3)
	}
	wires := write("topo.json", `{"version": "2.0", "peer_count": 3, "peer_list": [{"local_id": 0}, {"local_id": 1}, {"local_id": 64}], "edge_count": 3, "edge_list": [`+
		edge(0)+","+edge(1)+","+edge(64)+`]}`)
	rank := func(id, local int, more string) string {
		return fmt.Sprintf(`{"rank_id": %d, "device_id": %d, "local_id": %d%s, "level_list": [{"net_layer": 0, "net_instance_id": "r", "net_type": "TOPO_FILE_DESC", "net_attr": "",
"rank_addr_list": [{"addr_type": "IPV4", "addr": "10.0.0.%d", "ports": ["0/%d"]}]}]}`, id, local, local, more, id+1, local%3)
	}
	table := func(second string) Sources {
		return Sources{Topo: wires, RankTable: write("rt.json", `{"version": "2.0", "rank_count": 2, "rank_list": [`+rank(0, 0, "")+","+second+`]}`)}
	}
	c, _, err := Cluster(table(rank(1, 1, "")), chip(t, "950dt"), Options{})
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, []int{c.Graph.Devices, c.Graph.Spares})
	c, _, err = Cluster(table(rank(1, 64, `, "replaced_local_id": 1`)), chip(t, "950dt"), Options{})
	require.NoError(t, err)
	require.Equal(t, []int{2, 0}, []int{c.Graph.Devices, c.Graph.Spares})
	require.EqualValues(t, 64, c.Graph.Nodes[c.Ranks[1].Node].Index)
	require.NotEqual(t, topo.PortID(topo.None), c.Graph.PortAt(c.Ranks[1].Node, 0, 1), "the port of the backup")
}

// A rank table that gives a device another address than its adapter has is refused with both; devices are numbered as in
// the cluster, where rank 1 runs on the first.
func TestAdapterAddresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rt.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"version": "1.0", "server_count": "1", "server_list": [{"server_id": "a", "device": [
{"device_id": "0", "device_ip": "10.0.0.1", "rank_id": "1"},
{"device_id": "1", "device_ip": "10.0.0.2", "rank_id": "0"}]}]}`), 0o600))
	_, _, err := Cluster(Sources{RankTable: file}, chip(t, "a2"), Options{IPs: map[int]string{0: "10.0.0.1", 1: "10.0.0.2"}})
	require.NoError(t, err)
	_, _, err = Cluster(Sources{RankTable: file}, chip(t, "a2"), Options{IPs: map[int]string{0: "10.0.0.9"}})
	require.EqualError(t, err, "EI0014 "+file+`:2: server_list[0].device[0].device_ip: got "10.0.0.1", want "10.0.0.9", the address of the network adapter (try the same address in both)`)
}

func TestRefuses(t *testing.T) {
	for want, s := range map[string]Sources{
		"load: got no file, want a rank table, root info, a topology file or a cluster description":                                            {},
		"load: got more than one of a rank table, root info and a cluster description, want one":                                               {RankTable: "a", Cluster: "b"},
		"load: got a topology file beside a cluster description, want one of them: the description has its own cables":                         {Topo: "a", Cluster: "b"},
		"load: got topo_meta m without a cluster description, want both (try it as the cluster: its servers are then wired as the chip's are)": {RankTable: "a", Meta: "m"},
		"EI0004 none.json: got no such file, want a file that exists":                                                                          {RankTable: "none.json"},
	} {
		_, _, err := Cluster(s, chip(t, "a2"), Options{})
		require.EqualError(t, err, want)
	}
}

// A topology file that is named inside a root info file and is not there says where its name is from.
func TestTopoFileOfRootInfoIsMissing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "info.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"version":"2.0","topo_file_path":"gone.json","rank_count":1,"rank_list":[{"rank_id":0,"device_id":0,"local_id":0,"level_list":[
{"net_layer":0,"net_instance_id":"a","net_type":"TOPO_FILE_DESC","net_attr":"","rank_addr_list":[{"addr_type":"IPV4","addr":"10.0.0.1","ports":["1/0"]}]}]}]}`), 0o600))
	_, _, err := Cluster(Sources{RootInfo: []string{file}}, chip(t, "950dt"), Options{})
	require.EqualError(t, err, "EI0004 "+filepath.Join(dir, "gone.json")+": got no such file, want a file that exists (try --topo FILE: topo_file_path of "+file+" names this one)")
}

func BenchmarkRankTable16(b *testing.B) {
	s := Sources{RankTable: public(b, "ranktable/rt10_v2.0_16p_mesh.json"), Topo: public(b, "topo/topo10_16p_mesh.json")}
	c := chip(b, "950dt")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Cluster(s, c, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExport8192(b *testing.B) {
	c := chip(b, "950dt")
	g, err := topo.Build(topo.Spec{Kind: "mesh-clos", Servers: 1024, Devices: 8, Hosts: 1}, c)
	require.NoError(b, err)
	cl := topo.NewCluster(g, c)
	b.ReportAllocs()
	for b.Loop() {
		f, err := ranktable.Export(cl)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(f.RankTable))/1e6, "MB/table")
	}
}
