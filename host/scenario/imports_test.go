package scenario

import (
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
