package ranktable

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo/form/formtest"
	"hsim/host/topo/topofile"
)

// chips are the generations that read different versions.
func chips(f *testing.F) []*soc.Chip {
	f.Helper()
	var out []*soc.Chip
	for _, name := range []string{"910", "a2", "a3", "950dt", "ideal"} {
		p, err := soc.Load(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, p.Chip())
	}
	return out
}

const wires = `{"version": "2.0", "peer_count": 3, "peer_list": [{"local_id": 0}, {"local_id": 1}, {"local_id": 64}], "edge_count": 3, "edge_list": [
{"net_layer": 0, "link_type": "PEER2PEER", "local_a": 0, "local_a_ports": ["1/0"], "local_b": 1, "local_b_ports": ["1/0"], "protocols": ["UB_CTP"]},
{"net_layer": 1, "link_type": "PEER2NET", "local_a": 0, "local_a_ports": ["0/0"], "protocols": ["UB_CTP"]},
{"net_layer": 3, "link_type": "PEER2NET", "local_a": 1, "local_a_ports": ["0/0"], "protocols": ["ROCE"], "position": "HOST"}]}`

// FuzzParse reads tables for every generation; what is accepted becomes a
// cluster, and is written and read again where the formats hold it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{servers10, pods12, groups2, nodes11, ranks20} {
		f.Add([]byte(text))
	}
	all := chips(f)
	topology, err := topofile.Parse("topo.json", []byte(wires))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) { accept(t, data, all, topology) })
}

// accept reads one text for every chip and takes it further where it is good.
func accept(t *testing.T, data []byte, all []*soc.Chip, topology *topofile.File) (good int) {
	for _, chip := range all {
		table, err := Parse("f.json", data, Options{Chip: chip})
		if (table == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", table, err)
		}
		if err != nil {
			continue
		}
		good++
		for _, w := range []*topofile.File{nil, topology} {
			c, _, err := table.Cluster(w, chip, 0)
			if err != nil {
				continue
			}
			if len(c.Ranks) != len(table.Ranks) {
				t.Fatalf("got %d ranks of %d", len(c.Ranks), len(table.Ranks))
			}
			if files, err := Export(c); err == nil {
				if _, err := Parse("again.json", files.RankTable, Options{Chip: chip}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return good
}

// FuzzMutate changes good tables value by value.
func FuzzMutate(f *testing.F) {
	texts := []string{servers10, pods12, groups2, nodes11, ranks20}
	for i := range texts {
		f.Add(uint8(i), []byte{byte(40 * i), byte(50 * i), 200, 130})
	}
	all := chips(f)
	topology, err := topofile.Parse("topo.json", []byte(wires))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, program []byte) {
		accept(t, formtest.Mutate(texts[int(which)%len(texts)], program), all, topology)
	})
}

// Of many changed tables some stay good, and none crashes.
func TestMutations(t *testing.T) {
	topology, err := topofile.Parse("topo.json", []byte(wires))
	require.NoError(t, err)
	all := []*soc.Chip{chip(t, "a2"), chip(t, "a3"), chip(t, "950dt")}
	for i, text := range []string{servers10, pods12, groups2, nodes11, ranks20} {
		good := 0
		formtest.Programs(400, uint64(i), func(program []byte) { good += accept(t, formtest.Mutate(text, program), all, topology) })
		require.Greater(t, good, 20)
		require.Less(t, good, 1200)
	}
}

func FuzzRootInfo(f *testing.F) {
	f.Add([]byte(`{"version": "2.0", "topo_file_path": "t.json", "rank_count": 1, "rank_list": [{"device_id": 0, "local_id": 0, "level_list": [{"net_layer": 0, "net_instance_id": "a", "net_type": "CLOS", "rank_addr_list": []}]}]}`))
	f.Add([]byte(`{"host_ip": ["127.0.0.1"], "device_ip": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if table, err := ParseRootInfo("f.json", data, Options{}); err == nil {
			if !IsRootInfo(data) {
				t.Fatal("got a root info file that does not look like one")
			}
			if _, err := Join([]*Table{table, table}); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := ParseWhitelist("f.json", data); (w == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", w, err)
		}
	})
}
