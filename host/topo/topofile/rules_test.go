package topofile

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
	"hsim/host/topo/form/formtest"
)

const shared = "../../../../shared/cases"

// The public files: peers, edges, and what a user of them sees.
func TestPublicFiles(t *testing.T) {
	wants := []struct {
		file           string
		peers, edges   int
		links, reaches int // links of one copy, ordered pairs with a path
		notes          string
	}{
		{file: "topo01_ug_2p_mesh_clos.json", peers: 2, edges: 3, links: 1 + 12, reaches: 2},
		{file: "topo10_16p_mesh.json", peers: 16, edges: 120, links: 120, reaches: 240},
		{file: "topo11_2d_2+2p.json", peers: 4, edges: 8, links: 4 + 8, reaches: 12},
		{file: "topo12_1d_2p.json", peers: 2, edges: 1, links: 1, reaches: 2},
		{file: "topo13_1d_2p_mesh_clos.json", peers: 2, edges: 3, links: 2, reaches: 2, notes: "cables between devices on ports that go to a network, which serve both: 1"},
		{file: "topo14_2p_clos.json", peers: 2, edges: 2, links: 4, reaches: 2},
		{file: "topo20_rank_graph.json", peers: 4, edges: 14, links: 6 + 8 + 8, reaches: 12},
		{file: "topo21_2pclos_multi_instance.json", peers: 2, edges: 9, links: 9, reaches: 2},
		{file: "topo22_64plus1.json", peers: 5, edges: 24, links: 4 + 16 + 16, reaches: 12},
		{file: "topo23_2x2plus1.json", peers: 5, edges: 29, links: 4 + 16 + 16 + 5, reaches: 12},
		{file: "topo24_hostnic_roce.json", peers: 2, edges: 3, links: 1 + 2, reaches: 2},
		{file: "topo25_2p_ctp_tp.json", peers: 2, edges: 1, links: 1, reaches: 2},
		{file: "topo26_4p.json", peers: 4, edges: 4, links: 4, reaches: 8},
	}
	all, err := filepath.Glob(filepath.Join(shared, "topo", "*.json*"))
	require.NoError(t, err)
	if len(all) == 0 {
		t.Skip("no shared/cases/topo beside the repository")
	}
	require.Len(t, all, len(wants)+1)
	for _, w := range wants {
		t.Run(w.file, func(t *testing.T) {
			f, err := Load(filepath.Join(shared, "topo", w.file))
			require.NoError(t, err)
			require.Empty(t, f.Notes)
			require.Len(t, f.Peers, w.peers)
			require.Len(t, f.Edges, w.edges)
			g, notes := alone(t, f, "950dt", 1)
			hosts := 0
			for i := range g.Links {
				hosts += b2i(g.Links[i].Protocols.Has(topo.PCIE))
			}
			require.Equal(t, w.links, len(g.Links)-hosts)
			require.Equal(t, g.Devices, hosts)
			r, err := g.Routes()
			require.NoError(t, err)
			_, _, apart := r.Unreachable()
			require.EqualValues(t, w.reaches, int64(g.Devices*(g.Devices-1))-apart)
			if w.notes != "" {
				require.Contains(t, notes[0].Text, w.notes)
			} else {
				require.Empty(t, notes)
			}
		})
	}
}

// alone wires one copy of a file on one server.
func alone(t testing.TB, f *File, profile string, hosts int) (*topo.Graph, []form.Note) {
	t.Helper()
	server := topo.ServerSpec{}
	var members []Member
	for _, p := range f.Peers {
		if p != BackupID {
			server.Devices = append(server.Devices, p)
			members = append(members, Member{Local: p})
		}
	}
	p, err := soc.Load(profile)
	require.NoError(t, err)
	g, notes, err := f.Wire(members, []topo.ServerSpec{server}, hosts, p.Chip())
	require.NoError(t, err)
	return g, notes
}

// A random file of 1024 peers is refused twice over.
func TestPublicStressFile(t *testing.T) {
	path := filepath.Join(shared, "topo", "topo30_largeTopo.json.gz")
	in, err := os.Open(path)
	if err != nil {
		t.Skipf("no %s", path)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	_, err = Parse("topo30.json", data)
	var all *form.Faults
	require.True(t, errors.As(err, &all))
	got := map[string]string{}
	for _, f := range all.List {
		got[f.Key] = f.Error()
	}
	require.Equal(t, "EI0014 topo30.json:3: peer_count: got 1024, want a whole number from 1 to 65", got["peer_count"])
	require.Equal(t, "EI0014 topo30.json:5126: edge_count: got 10240, want 512, the length of edge_list", got["edge_count"])
	require.Less(t, len(err.Error()), 2000)
}

const good = `{"version": "2.0", "peer_count": 3, "peer_list": [{"local_id": 0}, {"local_id": 1}, {"local_id": 64}],
"edge_count": 3, "edge_list": [
{"net_layer": 0, "link_type": "PEER2PEER", "topo_type": "1DMESH", "local_a": 0, "local_a_ports": ["1/0"], "local_b": 1, "local_b_ports": ["1/0"], "protocols": ["UB_CTP", "UB_MEM"], "position": "DEVICE"},
{"net_layer": 1, "link_type": "PEER2NET", "topo_instance_id": 1, "local_a": 0, "local_a_ports": ["0/0", "0/1"], "protocols": ["UB_CTP"]},
{"net_layer": 1, "link_type": "PEER2NET", "topo_instance_id": 1, "local_a": 1, "local_a_ports": ["0/0", "0/1"], "protocols": ["UB_CTP"]}
]}`

func TestRules(t *testing.T) {
	f, err := Parse("t.json", []byte(good))
	require.NoError(t, err)
	require.Len(t, f.Edges, 3)
	require.Equal(t, Edge{Layer: 1, Net: true, TopoType: "CLOS", Instance: 1, A: 0, B: -1, APorts: []Port{{0, 0}, {0, 1}}, Protocols: soc.Protocols(topo.UB_CTP), Line: 4}, f.Edges[1])
	for _, c := range []struct{ old, new, want string }{
		{`"version": "2.0"`, `"version": "1.0"`, `EI0014 t.json:1: version: got "1.0", want "2.0"`},
		{`"version": "2.0", `, ``, `EI0017 t.json:1: version: got no such key, want "2.0"`},
		{`"peer_count": 3`, `"peer_count": 66`, `EI0014 t.json:1: peer_count: got 66, want a whole number from 1 to 65`},
		{`"peer_count": 3`, `"peer_count": 4`, `EI0014 t.json:1: peer_count: got 4, want 3, the length of peer_list`},
		{`{"local_id": 64}`, `{"local_id": 65}`, `EI0014 t.json:1: peer_list[2].local_id: got 65, want a whole number from 0 to 64`},
		{`{"local_id": 64}`, `{"local_id": 1}`, `EI0014 t.json:1: peer_list[2].local_id: got 1, want every id once`},
		{`"edge_count": 3`, `"edge_count": 4`, `EI0014 t.json:2: edge_count: got 4, want 3, the length of edge_list`},
		{`"net_layer": 0`, `"net_layer": 8`, `EI0014 t.json:3: edge_list[0].net_layer: got 8, want a whole number from 0 to 7`},
		{`"PEER2PEER"`, `"PEER"`, `EI0014 t.json:3: edge_list[0].link_type: got "PEER", want one of PEER2PEER, PEER2NET`},
		{`"PEER2PEER"`, `"PEER2NET"`, `EI0014 t.json:3: edge_list[0].local_b: got 1, want no local_b in an edge to a network (try link_type "PEER2PEER")`},
		{`["UB_CTP", "UB_MEM"]`, `[]`, `EI0014 t.json:3: edge_list[0].protocols: got 0 entries, want at least one of protocols`},
		{`["UB_CTP", "UB_MEM"]`, `["UB_CPT"]`, `EI0014 t.json:3: edge_list[0].protocols[0]: got "UB_CPT", want one of UB_CTP, UB_TP, ROCE, HCCS, TCP, UB_MEM, UBOE (try "UB_CTP")`},
		{`"local_a": 0, "local_a_ports": ["1/0"]`, `"local_a": 2, "local_a_ports": ["1/0"]`, `EI0014 t.json:3: edge_list[0].local_a: got 2, want a local_id of peer_list`},
		{`"local_b": 1`, `"local_b": 0`, `EI0014 t.json:3: edge_list[0].local_b: got 0, want another peer than local_a`},
		{`"local_b": 1, `, ``, `EI0017 t.json:3: edge_list[0].local_b: got no such key, want a whole number from 0 to 64`},
		{`"local_a_ports": ["1/0"]`, `"local_a_ports": ["1/0", "1/1"]`, `EI0014 t.json:3: edge_list[0].local_b_ports: got a list, want 2 ports, as many as local_a_ports`},
		{`"local_a_ports": ["1/0"]`, `"local_a_ports": []`, `EI0014 t.json:3: edge_list[0].local_a_ports: got 0 entries, want at least one of ports`},
		{`"local_a_ports": ["1/0"]`, `"local_a_ports": ["` + strings.Repeat(`1/0","`, 32) + `1/0"]`, `EI0014 t.json:3: edge_list[0].local_a_ports: got 33 entries, want 1 to 32 ports`},
		{`"local_a_ports": ["1/0"]`, `"local_a_ports": ["d2h"]`, `EI0014 t.json:3: edge_list[0].local_a_ports[0]: got "d2h", want a port "die/port" such as "0/3"`},
		{`"1DMESH"`, `"RING"`, `EI0014 t.json:3: edge_list[0].topo_type: got "RING", want one of 1DMESH, CLOS`},
		{`"topo_instance_id": 1`, `"topo_instance_id": -1`, `EI0014 t.json:4: edge_list[1].topo_instance_id: got -1, want a whole number from 0 to 2147483647`},
		{`"position": "DEVICE"`, `"position": "NIC"`, `EI0014 t.json:3: edge_list[0].position: got "NIC", want one of DEVICE, HOST`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		require.NotEqual(t, good, text, c.old)
		_, err := Parse("t.json", []byte(text))
		var all *form.Faults
		require.True(t, errors.As(err, &all), "%s: %v", c.new, err)
		var got []string
		for _, f := range all.List {
			got = append(got, f.Error())
		}
		require.Contains(t, got, c.want)
	}
}

// Doubles are harmless: an edge counts once, a port or a protocol is noted.
func TestDoubles(t *testing.T) {
	edge := `{"net_layer": 1, "link_type": "PEER2NET", "topo_instance_id": 1, "local_a": 1, "local_a_ports": ["0/0", "0/1"], "protocols": ["UB_CTP"]}`
	f, err := Parse("t.json", []byte(strings.NewReplacer(edge, edge+",\n"+edge, `"edge_count": 3`, `"edge_count": 4`).Replace(good)))
	require.NoError(t, err)
	require.Len(t, f.Edges, 3)
	require.Empty(t, f.Notes)
	f, err = Parse("t.json", []byte(strings.NewReplacer(`["0/0", "0/1"]`, `["0/0", "0/1", "0/0"]`, `"UB_MEM"`, `"UB_CTP"`).Replace(good)))
	require.NoError(t, err)
	require.Equal(t, []Port{{0, 0}, {0, 1}}, f.Edges[2].APorts)
	require.Equal(t, []form.Note{{File: "t.json", Line: 4, Text: "ports that an edge names twice count once (2 of them)"},
		{File: "t.json", Line: 3, Text: "protocols that an edge names twice count once (1 of them)"}}, f.Notes)
}

// Two copies of the peers share a network of layer 1 when their members name it
// alike, and no cable.
func TestCopiesShareNetworks(t *testing.T) {
	f, err := Parse("t.json", []byte(good))
	require.NoError(t, err)
	servers := []topo.ServerSpec{{Devices: []int{0, 1}}, {Devices: []int{0, 1}}}
	members := []Member{{0, [8]string{"a", "z"}}, {1, [8]string{"a", "z"}}, {0, [8]string{"b", "z"}}, {1, [8]string{"b", "z"}}}
	g, _, err := f.Wire(members, servers, 0, chip(t, "950dt"))
	require.NoError(t, err)
	require.Len(t, g.Links, 2+8)
	require.Equal(t, 2, g.Spares)
	inside, _ := g.PathInfo(0, 1, topo.UB_CTP)
	require.Equal(t, 1, inside.Hops)
	across, ok := g.PathInfo(1, 2, topo.UB_CTP)
	require.True(t, ok)
	require.Equal(t, 2, across.Hops)
	require.Equal(t, 2, across.Width)

	members[2].Instance[1], members[3].Instance[1] = "y", "y"
	g, _, err = f.Wire(members, servers, 0, chip(t, "950dt"))
	require.NoError(t, err)
	require.False(t, g.Reachable(1, 2, topo.UB_CTP))

	members[3].Local = 2
	_, _, err = f.Wire(members, servers, 0, chip(t, "950dt"))
	require.EqualError(t, err, `EI0014 t.json: peer_list: got no local_id 2, want every local_id of the rank table`)
	members[3].Local = 1
	_, _, err = f.Wire(members, servers, 0, chip(t, "a3"))
	require.EqualError(t, err, `5 faults:
  EI0014 t.json:3: edge_list[0].protocols: got UB_CTP, want protocols that profile "a3" speaks: UB_MEM,HCCS,ROCE,TCP (try the profile of the chip that the file was written for)
  EI0014 t.json:3: edge_list[0].local_a_ports: got "1/0", want a die below 1, the dies of profile "a3"
  EI0014 t.json:3: edge_list[0].local_b_ports: got "1/0", want a die below 1, the dies of profile "a3"
  EI0014 t.json:4: edge_list[1].protocols: got UB_CTP, want protocols that profile "a3" speaks: UB_MEM,HCCS,ROCE,TCP (try the profile of the chip that the file was written for)
  EI0014 t.json:5: edge_list[2].protocols: got UB_CTP, want protocols that profile "a3" speaks: UB_MEM,HCCS,ROCE,TCP (try the profile of the chip that the file was written for)`)
}

// A port of two networks keeps one cable: the lower network's switch gets an
// uplink to the other for each such port.
func TestSharedPorts(t *testing.T) {
	f, err := Parse("t.json", []byte(strings.NewReplacer(`{"net_layer": 1, "link_type": "PEER2NET", "topo_instance_id": 1, "local_a": 1`, `{"net_layer": 2, "link_type": "PEER2NET", "local_a": 0, "local_a_ports": ["0/1"], "protocols": ["UBOE"]},
{"net_layer": 2, "link_type": "PEER2NET", "local_a": 1, "local_a_ports": ["0/1"], "protocols": ["UBOE"]},
{"net_layer": 1, "link_type": "PEER2NET", "topo_instance_id": 1, "local_a": 1`, `"edge_count": 3`, `"edge_count": 5`, `, {"local_id": 64}`, ``, `"peer_count": 3`, `"peer_count": 2`).Replace(good)))
	require.NoError(t, err)
	servers := []topo.ServerSpec{{Super: 0, Devices: []int{0, 1}}, {Super: 1, Devices: []int{0, 1}}}
	members := []Member{{0, [8]string{"a", "a"}}, {1, [8]string{"a", "a"}}, {0, [8]string{"b", "b"}}, {1, [8]string{"b", "b"}}}
	g, _, err := f.Wire(members, servers, 0, chip(t, "950dt"))
	require.NoError(t, err)
	require.Len(t, g.Links, 2+8+4)
	across, ok := g.PathInfo(0, 2, topo.UBOE)
	require.True(t, ok)
	require.Equal(t, 4, across.Hops, "device, pod switch, upper switch, pod switch, device")
	require.Equal(t, 1, across.Width)
	// and what is written of it wires the same graph
	_, err = Export(topo.NewCluster(g, chip(t, "950dt")))
	require.NoError(t, err)
}

// The key "hsim" must agree with the edges beside it and with the members.
func TestSpecIsHeldAgainstTheFile(t *testing.T) {
	c := built(t, "ideal", topo.Spec{Kind: "fattree", Servers: 2, Devices: 4, Params: topo.Params{K: 4}})
	plan, err := Export(c)
	require.NoError(t, err)
	text, err := plan.File.Text()
	require.NoError(t, err)
	for _, w := range []struct{ old, new, want string }{
		{`"k":4`, `"k":500`, `EI0014 t.json:12: hsim.params.k: got 500, want a parameter of the topology: k: got 500, want a whole number from 2 to 128`},
		{`"k":4`, `"k":2`, `EI0014 t.json:12: hsim: got a topology that cannot be built, want build fattree: k: got 2 with 3 tiers, which holds 2 devices, want at least 8 (try a larger k or tiers = 3) (try the file without the key "hsim": networks are then one switch each)`},
		{`"servers":2`, `"servers":1`, `EI0014 t.json:12: hsim: got 1 servers with 4 devices, want the 2 servers with 8 devices of the rank table (try the file without the key "hsim": networks are then one switch each)`},
		{`"local_a_ports":["0/0"]`, `"local_a_ports":["0/1"]`, `EI0014 t.json:12: hsim: got a fattree topology, want the cables of edge_list, which differ at edge 0 (try the file without the key "hsim": networks are then one switch each)`},
		{`"kind":"fattree"`, `"kind":"tree"`, `EI0014 t.json:12: hsim.kind: got "tree", want one of star, mesh, clos, mesh-clos, fattree, superpod, link`},
	} {
		edited := strings.Replace(string(text), w.old, w.new, 1)
		require.NotEqual(t, string(text), edited, w.old)
		f, err := Parse("t.json", []byte(edited))
		if err == nil {
			_, _, err = f.Wire(plan.Members, ServersOf(c.Graph), 0, c.Chip)
		}
		require.EqualError(t, err, w.want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(strings.Replace(good, `"edge_count"`, `"hsim": {"kind": "star", "servers": 1, "devices": 2, "hosts": 1, "params": {"planes": 2}}, "edge_count"`, 1)))
	c, err := soc.Load("950dt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) { accept(t, data, c.Chip()) })
}

// accept reads a text and takes it further where it is good.
func accept(t *testing.T, data []byte, chip *soc.Chip) bool {
	file, err := Parse("f.json", data)
	if (file == nil) == (err == nil) {
		t.Fatalf("got %v and %v, want one of them", file, err)
	}
	if err != nil {
		return false
	}
	server := topo.ServerSpec{}
	var members []Member
	for i, p := range file.Peers {
		server.Devices = append(server.Devices, i)
		members = append(members, Member{Local: p})
	}
	if g, _, err := file.Wire(members, []topo.ServerSpec{server}, 1, chip); err == nil {
		cl := topo.NewCluster(g, chip)
		for i := range members {
			cl.Ranks[i].Local = members[i].Local
		}
		if _, err := PlanOf(cl); err != nil && !strings.Contains(err.Error(), "want groups that are wired alike") {
			t.Fatal(err)
		}
		if _, err := g.Inspect(chip); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

// FuzzMutate changes a good file value by value.
func FuzzMutate(f *testing.F) {
	f.Add([]byte{10, 20, 30, 140})
	c, err := soc.Load("950dt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, program []byte) { accept(t, formtest.Mutate(good, program), c.Chip()) })
}

func TestMutations(t *testing.T) {
	n, c := 0, chip(t, "950dt")
	formtest.Programs(1500, 1, func(program []byte) {
		if accept(t, formtest.Mutate(good, program), c) {
			n++
		}
	})
	require.Greater(t, n, 100)
	require.Less(t, n, 1400)
}
