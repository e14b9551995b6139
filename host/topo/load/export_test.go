package load

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/topo"
	"hsim/host/topo/ranktable"
	"hsim/host/topo/topofile"
)

// What was imported is exported and imported again.
func TestPublicFilesRoundTrip(t *testing.T) {
	for _, w := range []struct{ profile, table, wires string }{
		{"a2", "rt01_v1.0_template1_2x2.json", ""},
		{"910", "rt02_template2_group_list.json", ""},
		{"a3", "rt04_v1.2_a3_superpod_16.json", ""},
		{"a3", "rt05_v1.0_a3_server_mode.json", ""},
		{"950dt", "rt06_v2.0_a5_2x2_ipv4.json", "topo01_ug_2p_mesh_clos.json"},
		{"950dt", "rt07_v2.0_a5_eid_hostnic.json", "topo24_hostnic_roce.json"},
		{"950dt", "rt10_v2.0_16p_mesh.json", "topo10_16p_mesh.json"},
		{"950dt", "rt11_v2.0_2d_2+2p.json", "topo11_2d_2+2p.json"},
		{"950dt", "rt12_v2.0_1d_2p.json", "topo12_1d_2p.json"},
		{"950dt", "rt13_v2.0_2p_clos.json", "topo13_1d_2p_mesh_clos.json"},
		{"950dt", "rt13_v2.0_2p_clos.json", "topo21_2pclos_multi_instance.json"},
		{"950dt", "", "topo20_rank_graph.json"},
		{"950dt", "", "topo22_64plus1.json"},
		{"950dt", "", "topo23_2x2plus1.json"},
		{"950dt", "", "topo26_4p.json"},
		{"910", "rt27_v1.0_gpt2_16p_two_nodes.json", ""},
	} {
		t.Run(w.table+" "+w.wires, func(t *testing.T) {
			s := Sources{}
			if w.table != "" {
				s.RankTable = public(t, filepath.Join("ranktable", w.table))
			}
			if w.wires != "" {
				s.Topo = public(t, filepath.Join("topo", w.wires))
			}
			c, _, err := Cluster(s, chip(t, w.profile), Options{})
			require.NoError(t, err)
			files, err := ranktable.Export(c)
			require.NoError(t, err)
			table, err := ranktable.Parse("rt.json", files.RankTable, ranktable.Options{Chip: c.Chip})
			require.NoError(t, err)
			var wires *topofile.File
			if files.Topo != nil {
				wires, err = topofile.Parse("topo.json", files.Topo)
				require.NoError(t, err)
			}
			back, _, err := table.Cluster(wires, c.Chip, 0)
			require.NoError(t, err)
			require.Equal(t, "", topo.Differ(c.Graph, back.Graph))
			require.Equal(t, len(c.Ranks), len(back.Ranks))
		})
	}
}
