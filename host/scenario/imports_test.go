package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const twoRanks = `{"status":"completed","version":"1.0","server_count":"1","server_list":[{"server_id":"node_0","device":[
{"device_id":"5","device_ip":"192.168.1.5","rank_id":"0"},
{"device_id":"2","device_ip":"192.168.1.2","rank_id":"1"}]}]}`

func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Ranks run where the table puts them: rank 0 on device 5, rank 1 on device 2.
func TestRanksComeFromATable(t *testing.T) {
	table := write(t, "rt.json", twoRanks)
	s, bad := load(t, "[cluster]\nprofile = \"a2\"\nrank_table = \""+table+"\"\n[[run]]\nop = \"all_gather\"\nsizes = [\"4KiB\"]\ninput = \"rank\"\n", Options{})
	require.Empty(t, bad)
	c := s.Variants[0]
	require.Equal(t, 2, c.Ranks())
	g := c.Cluster.Graph
	require.EqualValues(t, 5, g.Nodes[c.Cluster.Ranks[0].Node].Index)
	require.EqualValues(t, 2, g.Nodes[c.Cluster.Ranks[1].Node].Index)
}

func TestTableBesideCountsIsRefused(t *testing.T) {
	table := write(t, "rt.json", twoRanks)
	_, bad := load(t, "[cluster]\nprofile = \"a2\"\ndevices = 4\nrank_table = \""+table+"\"\n[[run]]\nop = \"all_gather\"\n", Options{})
	require.NotEmpty(t, bad)
	require.Contains(t, bad[0], "cluster.devices = 4: the cluster comes from cluster.rank_table: leave this key out")
	_, bad = load(t, "[cluster]\nprofile = \"910d\"\nrank_table = \""+table+"\"\n[[run]]\nop = \"all_gather\"\n", Options{})
	require.NotEmpty(t, bad)
	require.Contains(t, bad[0], "EI0014")
	_, bad = load(t, "[cluster]\nrank_table = \"none.json\"\n[[run]]\nop = \"all_gather\"\n", Options{})
	require.NotEmpty(t, bad)
	require.Contains(t, bad[0], "EI0004")
}

// A table names physical ids, so that devices 5 and 2 may be all that a program sees of its server; logic ids are refused, a
// paragraph for each.
func TestVisibleDevicesOfATable(t *testing.T) {
	from := func(visible string) string {
		return "[cluster]\nprofile = \"a2\"\nrank_table = \"" + write(t, "rt.json", twoRanks) + "\"\nvisible = " + visible +
			"\n[[run]]\nop = \"all_gather\"\n"
	}
	s, bad := load(t, from("[2, 5]"), Options{})
	require.Empty(t, bad)
	require.Equal(t, []int{2, 5}, s.Variants[0].Visible)
	require.Equal(t, []int{2, 5}, s.Variants[0].Cluster.Visible)
	_, bad = load(t, from("[0, 1]"), Options{})
	require.Len(t, bad, 2)
	for i, id := range []string{"5", "2"} {
		require.Contains(t, bad[i], "device_id: got "+id+", want the physical id (devicePhyId) of a visible device: 0, 1")
		require.NotContains(t, bad[i], `\n`)
	}
}

// railRank is rank 2s+i: device i of server s, meshed with the other of its server and on rail i.
func railRank(s, i int) string {
	return fmt.Sprintf(`{"rank_id":%d,"local_id":%d,"device_id":%d,"level_list":[
{"net_layer":0,"net_instance_id":"s%d","net_type":"TOPO_FILE_DESC","net_attr":"","rank_addr_list":[{"addr_type":"IPV4","addr":"10.0.%d.%d","ports":["1/0"]}]},
{"net_layer":1,"net_instance_id":"rail%d","net_type":"CLOS","net_attr":"","rank_addr_list":[{"addr_type":"IPV4","addr":"10.1.%d.%d","ports":["0/0"]}]}]}`,
		2*s+i, i, i, s, s, i+1, i, s, i+1)
}

const railTopo = `{"version":"2.0","peer_count":2,"peer_list":[{"local_id":0},{"local_id":1}],"edge_count":%d,"edge_list":[%s
{"net_layer":1,"link_type":"PEER2NET","protocols":["UB_CTP"],"local_a":0,"local_a_ports":["0/0"],"topo_instance_id":0},
{"net_layer":1,"link_type":"PEER2NET","protocols":["UB_CTP"],"local_a":1,"local_a_ports":["0/0"],"topo_instance_id":1}]}`

const railMesh = `{"net_layer":0,"link_type":"PEER2PEER","protocols":["UB_CTP"],"local_a":0,"local_a_ports":["1/0"],"local_b":1,"local_b_ports":["1/0"],"topo_type":"1DMESH"},`

// Isolated rails are a cluster on which some algorithms run: those that keep to a server and a rail. The others fail at
// their first pair without a way, by name. Without the links in servers the rails are two clusters, and refused.
func TestRails(t *testing.T) {
	table := write(t, "rails.json", `{"version":"2.0","rank_count":4,"rank_list":[`+
		railRank(0, 0)+","+railRank(0, 1)+","+railRank(1, 0)+","+railRank(1, 1)+"]}")
	from := func(edges int, mesh, algorithm string) string {
		return "[cluster]\nprofile = \"950dt\"\nrank_table = \"" + table + "\"\ntopo = \"" + write(t, "topo.json", fmt.Sprintf(railTopo, edges, mesh)) +
			"\"\n[[run]]\nop = \"all_gather\"\nsizes = \"4KiB\"\nalgorithm = \"" + algorithm + "\"\n"
	}
	s, bad := load(t, from(3, railMesh, "mesh-ring"), Options{})
	require.Empty(t, bad)
	require.Contains(t, fmt.Sprint(s.Variants[0].Notes), "no protocol joins 4 of 12 ordered pairs of devices, such as npu0 and npu3")
	require.Equal(t, OutcomeOK, execute(t, from(3, railMesh, "mesh-ring"), Options{}).Outcome)
	r := execute(t, from(3, railMesh, "nhr"), Options{})
	require.Equal(t, OutcomeFailed, r.Outcome)
	require.Contains(t, jsonOf(t, r), "EI0009: no transport between rank 1 and rank 2: transport: connect npu1 to npu2: no route over links that carry UB_CTP")
	_, bad = load(t, from(2, "", "ring"), Options{})
	require.Len(t, bad, 1)
	require.Contains(t, bad[0], "has devices that cannot reach each other")
}

// Servers of different sizes have no size of their own in the report.
func TestUnevenServers(t *testing.T) {
	table := write(t, "rt.json", `{"status":"completed","version":"1.0","server_count":"2","server_list":[{"server_id":"a","device":[
{"device_id":"0","device_ip":"192.168.1.5","rank_id":"0"},{"device_id":"1","device_ip":"192.168.1.6","rank_id":"1"}]},
{"server_id":"b","device":[{"device_id":"0","device_ip":"192.168.1.7","rank_id":"2"}]}]}`)
	r := execute(t, "[cluster]\nprofile = \"a2\"\nrank_table = \""+table+"\"\n[[run]]\nop = \"all_gather\"\nsizes = \"4KiB\"\n", Options{})
	require.Equal(t, OutcomeOK, r.Outcome)
	v := r.Variants[0]
	require.Equal(t, []int{2, 0, 3}, []int{v.Servers, v.Devices, v.Ranks})
	require.Equal(t, "3 ranks on 2 servers", Extent(v.Servers, v.Devices, v.Ranks))
	require.Equal(t, "2 x 8 devices", Extent(2, 8, 16))
}
