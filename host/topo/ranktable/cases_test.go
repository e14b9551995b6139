package ranktable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo/form"
	"hsim/host/topo/topofile"
)

const shared = "../../../../shared/cases"

func chip(t testing.TB, name string) *soc.Chip {
	t.Helper()
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

// wants are the public tables: the profile each is for, and what is wrong in it
// as "code key"; the first must be there, in the file's own place.
var wants = []struct {
	file, profile, topo string
	faults              []string
	line                int // of the first fault, 0 = not fixed
	ranks               int
}{
	{file: "rt01_v1.0_template1_2x2.json", profile: "a2", ranks: 4},
	{file: "rt01_v1.0_template1_2x2.json", profile: "910", ranks: 4},
	{file: "rt01c_v1.0_template1_WITH_COMMENTS.json", profile: "a2", faults: []string{"EI0004 "}, line: 2},
	{file: "rt02_template2_group_list.json", profile: "910", ranks: 2},
	{file: "rt03_v1.0_a2_device_port.json", profile: "a2", ranks: 4},
	{file: "rt04_v1.2_a3_superpod_16.json", profile: "a3", ranks: 16},
	{file: "rt04_v1.2_a3_superpod_16.json", profile: "a2", faults: []string{"EI0014 version"}, line: 3},
	{file: "rt05_v1.0_a3_server_mode.json", profile: "a3", ranks: 4},
	{file: "rt06_v2.0_a5_2x2_ipv4.json", profile: "950dt", topo: "topo01_ug_2p_mesh_clos.json", ranks: 4},
	{file: "rt06_v2.0_a5_2x2_ipv4.json", profile: "a3", faults: []string{"EI0014 version"}, line: 3},
	{file: "rt06c_v2.0_a5_2x2_ipv4_WITH_COMMENTS.json", profile: "950dt", faults: []string{"EI0004 "}, line: 2},
	{file: "rt07_v2.0_a5_eid_hostnic.json", profile: "950dt", topo: "topo24_hostnic_roce.json", ranks: 2},
	{file: "rt08_v1.0_8p.json", profile: "910", ranks: 8},
	{file: "rt09_v2.0_2p.json", profile: "950dt", topo: "topo25_2p_ctp_tp.json", ranks: 2},
	{file: "rt10_v2.0_16p_mesh.json", profile: "950dt", topo: "topo10_16p_mesh.json", ranks: 16},
	{file: "rt11_v2.0_2d_2+2p.json", profile: "950dt", topo: "topo11_2d_2+2p.json", ranks: 4},
	{file: "rt12_v2.0_1d_2p.json", profile: "950dt", topo: "topo12_1d_2p.json", ranks: 2},
	{file: "rt13_v2.0_2p_clos.json", profile: "950dt", topo: "topo14_2p_clos.json", ranks: 2},
	{file: "rt14_old_v2.0_schema.json", profile: "950dt", faults: []string{"EI0017 rank_list[0].level_list[0].net_layer", "EI0014 rank_count"}},
	// the public list says "clean", its content is of the older form: a count as a string, no device_id, level for net_layer
	{file: "rt15_v2.0_2p_rank_graph.json", profile: "950dt", faults: []string{"EI0014 rank_count", "EI0017 rank_list[0].level_list[0].net_layer"}, line: 3},
	{file: "rt16_BAD_old_schema_localid9_replace.json", profile: "950dt", faults: []string{"EI0014 rank_count"}, line: 3},
	{file: "rt17_old_v2.0_4p_2x2_replace_list.json", profile: "950dt", faults: []string{"EI0017 rank_list[0].level_list[0].net_layer"}},
	{file: "rt19_changeinfo_backup_64p1.json", profile: "950dt", faults: []string{"EI0014 rank_list[0].rank_id"}},
	{file: "rt20_v1.0_tf_empty_device_ip.json", profile: "910", ranks: 8},
	{file: "rt20_v1.0_tf_empty_device_ip.json", profile: "a2", faults: []string{"EI0014 server_list[0].device[0].device_ip"}, line: 11},
	{file: "rt21_mindspore_8pcs_masked_ip.json", profile: "910", faults: []string{"EI0014 server_list[0].device[0].device_ip"}},
	{file: "rt22_mindspore_16pcs_masked_ip.json", profile: "910", faults: []string{"EI0014 server_list[0].device[0].device_ip", "EI0014 server_list[1].server_id"}},
	{file: "rt23_mindspore_cross_cluster_16pcs.json", profile: "a2", faults: []string{"EI0014 server_list[0].device[0].device_ip"}},
	{file: "rt24_hcomm_root_ranktable.json", profile: "a2", ranks: 8},
	{file: "rt25_v1.2_PD_prefill_decode_no_server_list.json", profile: "a3", faults: []string{"EI0017 server_list"}},
	{file: "rt26_v1.0_4p_device_port_18667.json", profile: "a2", ranks: 4},
	{file: "rt27_v1.0_gpt2_16p_two_nodes.json", profile: "910", ranks: 16},
	{file: "rt29_BAD_ranks_0_2_3_missing_1.json", profile: "a2", faults: []string{"EI0014 server_list[0].device[0].rank_id"}},
	{file: "rt30_mindx_hccl_a2_doc_NOT_JSON.txt", profile: "a2", faults: []string{"EI0004 "}, line: 1},
	{file: "rt31_mindx_hccl_a3_doc_NOT_JSON.txt", profile: "a3", faults: []string{"EI0004 "}, line: 1},
	{file: "rt32_mindx_hccl_950_doc_NOT_JSON.txt", profile: "950dt", faults: []string{"EI0004 "}, line: 1},
	{file: "rt33_v1.1_node_list_rank_table_1ps_1worker.json", profile: "910", ranks: 2},
	{file: "rt33_v1.1_node_list_rank_table_1ps_1worker_1.json", profile: "910", ranks: 2},
	{file: "rt33_v1.1_node_list_rank_table_2pg_1server.json", profile: "910", ranks: 2},
	{file: "rt33_v1.1_node_list_rank_table_2pg_2server.json", profile: "a2", ranks: 4},
	{file: "rt33_v1.1_node_list_rank_table_2rank_1server_heterog.json", profile: "910", ranks: 2},
	{file: "rt40_BAD_Ut_Deserialize_When_InvalidDetour_Expect_Exception.json", profile: "950dt", faults: []string{"EI0014 detour"}, line: 4},
	{file: "rt40_BAD_Ut_Deserialize_When_InvalidRankId_Expect_Exception.json", profile: "950dt", faults: []string{"EI0014 rank_list[0].rank_id"}},
	{file: "rt40_BAD_Ut_Deserialize_When_InvalidRank_Expect_Exception.json", profile: "950dt", faults: []string{"EI0014 rank_count"}},
	{file: "rt40_BAD_Ut_Deserialize_When_InvalidVersion_Expect_Exception.json", profile: "950dt", faults: []string{"EI0014 version"}, line: 2},
	{file: "rt40_BAD_Ut_Deserialize_When_RankCountExceedsMax_Expect_Exception.json", profile: "950dt", faults: []string{"EI0014 rank_count"}},
	{file: "rt40_OK_Ut_Deserialize_When_Normal_Expect_Success.json", profile: "950dt", topo: "topo25_2p_ctp_tp.json", ranks: 1},
	{file: "rt40_OK_Ut_Deserialize_When_OptionalFieldsMissing_Expect_Success.json", profile: "950pr", topo: "topo25_2p_ctp_tp.json", ranks: 1},
	{file: "rt40_OK_Ut_GetBinStream_When_Normal_Expect_Success.json", profile: "960", topo: "topo25_2p_ctp_tp.json", ranks: 1},
}

func TestPublicTables(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "ranktable", "*"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no shared/cases/ranktable beside the repository")
	}
	covered := map[string]bool{"rt18_rootinfo_topo_file_path.json": true, "rt18b_whitelist.json": true}
	for _, w := range wants {
		covered[w.file] = true
		t.Run(w.file+" "+w.profile, func(t *testing.T) {
			path := filepath.Join(shared, "ranktable", w.file)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no %s", path)
			}
			table, err := Load(path, Options{Chip: chip(t, w.profile)})
			if len(w.faults) > 0 {
				checkFaults(t, err, path, w.faults, w.line)
				return
			}
			require.NoError(t, err)
			require.Len(t, table.Ranks, w.ranks)
			var wires *topofile.File
			if w.topo != "" {
				wires, err = topofile.Load(filepath.Join(shared, "topo", w.topo))
				require.NoError(t, err)
			}
			c, _, err := table.Cluster(wires, chip(t, w.profile), 0)
			require.NoError(t, err)
			require.Len(t, c.Ranks, w.ranks)
			for _, r := range c.Ranks {
				require.GreaterOrEqual(t, int(r.Node), 0)
			}
		})
	}
	for _, f := range files {
		require.True(t, covered[filepath.Base(f)], "%s is not in the test", f)
	}
}

// checkFaults looks for the wanted faults among all.
func checkFaults(t *testing.T, err error, path string, want []string, line int) {
	t.Helper()
	var all *form.Faults
	require.True(t, errors.As(err, &all), "%v", err)
	var got []string
	for i, w := range want {
		found := false
		for _, f := range all.List {
			got = append(got, string(f.Code)+" "+f.Key)
			if string(f.Code)+" "+f.Key == w {
				found = true
				require.Equal(t, path, f.File)
				require.NotEmpty(t, f.Want)
				if i == 0 && line > 0 {
					require.Equal(t, line, f.Line, "%v", f)
				}
			}
		}
		require.True(t, found, "want %s in %v", w, got)
	}
}

func TestPublicRootInfo(t *testing.T) {
	path := filepath.Join(shared, "ranktable", "rt18_rootinfo_topo_file_path.json")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	table, err := LoadRootInfo(path, Options{Chip: chip(t, "950dt")})
	require.NoError(t, err)
	require.Equal(t, "rootInfo.json", table.TopoPath)
	require.Len(t, table.Ranks, 2)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, IsRootInfo(data))
	// read as a rank table, its path is a key like any other foreign one
	plain, err := Load(path, Options{Chip: chip(t, "950dt")})
	require.NoError(t, err)
	require.Contains(t, plain.Notes[0].Text, "topo_file_path")

	path = filepath.Join(shared, "ranktable", "rt18b_whitelist.json")
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	w, err := ParseWhitelist(path, data)
	require.NoError(t, err)
	require.Equal(t, &Whitelist{HostIPs: []string{"127.0.0.1"}, DeviceIPs: []string{}}, w)
}

// A file of changes is illegal as a rank table and legal as what it is.
func TestPublicChangeInfo(t *testing.T) {
	path := filepath.Join(shared, "ranktable", "rt19_changeinfo_backup_64p1.json")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	table, err := Load(path, Options{Chip: chip(t, "950dt"), Delta: true})
	require.NoError(t, err)
	require.Equal(t, 64, table.Ranks[0].Local)
	require.Equal(t, 1, table.Ranks[0].Replaced)
}
