package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pairTopo = `{"version": "2.0", "peer_count": 3, "peer_list": [{"local_id": 0}, {"local_id": 1}, {"local_id": 2}], "edge_count": 2, "edge_list": [
{"net_layer": 0, "link_type": "PEER2PEER", "topo_type": "1DMESH", "local_a": 0, "local_a_ports": ["1/0"], "local_b": 1, "local_b_ports": ["1/0"], "protocols": ["UB_CTP"]},
{"net_layer": 0, "link_type": "PEER2PEER", "topo_type": "1DMESH", "local_a": 1, "local_a_ports": ["1/1"], "local_b": 2, "local_b_ports": ["1/0"], "protocols": ["UB_CTP"]}]}`

func TestTopo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("sim.toml", "[cluster]\nprofile = \"a3\"\nservers = 2\ndevices = 4\n[cluster.topology]\nkind = \"clos\"\n[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB\"\n")
	write("topo.json", pairTopo)
	write("bad.json", "{\"version\": \"1.2\", // A3\n}")

	got := hsim(t, dir, "topo")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, "clos: 8 devices on 2 servers, 2 hosts")
	assert.Regexp(t, `leaf +14 +8 +100ns +cut-through +896Gbps +896Gbps +1:1`, got.stdout)
	assert.Regexp(t, `npu0 +npu4 +other server +HCCS +4 +`, got.stdout)

	got = hsim(t, dir, "topo", "export", "--dir", "out")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Equal(t, filepath.Join("out", "ranktable.json")+"\n", got.stdout, "the wiring is the chip's own")
	back := hsim(t, dir, "topo", "--rank-table", "out/ranktable.json", "--profile", "a3", "--dot")
	require.Equal(t, exitOK, back.code, back.stderr)
	assert.Equal(t, hsim(t, dir, "topo", "--dot").stdout, back.stdout)

	write("two.json", `{"version": "1.0", "server_count": "1", "server_list": [{"server_id": "a", "device": [
{"device_id": "4", "device_ip": "10.0.0.4", "rank_id": "1"}, {"device_id": "7", "device_ip": "10.0.0.7", "rank_id": "0"}]}]}`)
	got = hsim(t, dir, "topo", "--rank-table", "two.json", "--profile", "a2", "--visible", "4,7", "--ranks")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Regexp(t, `0 +npu1 +a +0 +7 +1 +7 +10.0.0.7\n1 +npu0 +a +0 +4 +0 +4 +10.0.0.4\n`, got.stdout)

	got = hsim(t, dir, "topo", "check", "--topo", "topo.json", "--profile", "950dt")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stdout, "FAULT unreachable: no protocol joins 2 of 6 ordered pairs of devices, such as npu0 and npu2")
	got = hsim(t, dir, "topo", "check")
	assert.Equal(t, exitOK, got.code)
	assert.Contains(t, got.stdout, "every device reaches every other")

	got = hsim(t, dir, "topo", "--svg", "x.svg")
	require.Equal(t, exitOK, got.code, got.stderr)
	svg, err := os.ReadFile(filepath.Join(dir, "x.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(svg), "</svg>")

	for _, w := range []struct {
		args []string
		want string
	}{
		{[]string{"--rank-table", "bad.json", "--profile", "a3"}, `hsim: EI0004 bad.json:1: got the comment "// A3", want JSON without comments (try a copy without the comments)`},
		{[]string{"--topo", "topo.json"}, "hsim topo: got files without --profile, want the chip they are for"},
		{[]string{"sim.toml", "--topo", "topo.json", "--profile", "a3"}, `hsim topo: got "sim.toml" beside flags that name a cluster's files, want one of them`},
		{[]string{"--topo", "topo.json", "--profile", "950dt", "--visible", "4,x"}, `hsim topo: --visible: got "x", want device ids such as 4,7`},
		{[]string{"--topo", "topo.json", "--profile", "950dt", "--visible", "4,7"}, `hsim: load: visible devices: got 4, want physical ids of the servers' devices: [0 1 2]`},
		{[]string{"--topo", "none.json", "--profile", "950dt"}, "hsim: EI0004 none.json: got no such file, want a file that exists"},
	} {
		got := hsim(t, dir, append([]string{"topo"}, w.args...)...)
		assert.Equal(t, exitBadInput, got.code, "%v", w.args)
		assert.Contains(t, got.stderr, w.want)
	}
}

// A backup device in the place of another runs its rank, over the switches alone.
func TestTopoReplaced(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte("[cluster]\nprofile = \"950dt\"\nservers = 8\ntopology = { kind = \"superpod\", backup = 1, replaced = [5] }\n"+
		"[[run]]\nop = \"all_gather\"\nsizes = \"64KiB\"\n"), 0o600))
	got := hsim(t, dir, "topo")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, ", 1 backup device (in the place of npu5); chip 950dt")
	got = hsim(t, dir, "topo", "--ranks")
	assert.Regexp(t, `\n5 +backup0 +node_0 `, got.stdout)
	got = hsim(t, dir, "run")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, "success")
	got = hsim(t, dir, "run", "--set", "cluster.topology.replaced=[5,6]")
	assert.Equal(t, exitBadInput, got.code)
	assert.Contains(t, got.stderr, "replaced: got devices 5 and 6 of one 64, which have one backup device, want one of them")
}

// Looking at a cluster needs no run, and none that fits into memory; running it does.
func TestTopoNeedsNoRun(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"[cluster]\nprofile = \"a3\"\ndevices = 4\n":                                                   "there is no [[run]], so nothing to do",
		"[cluster]\nprofile = \"a3\"\ndevices = 4\n[[run]]\nop = \"all_reduce\"\nsizes = \"100GiB\"\n": "would need more real memory than sim.memory",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte(text), 0o600))
		r := hsim(t, dir, "topo")
		require.Equal(t, 0, r.code, r.stderr)
		assert.Contains(t, r.stdout, "star: 4 devices on 1 server")
		require.Equal(t, 0, hsim(t, dir, "topo", "check").code)
		require.Equal(t, 0, hsim(t, dir, "tables", "--table", "device").code)
		r = hsim(t, dir, "run")
		require.Equal(t, 2, r.code)
		assert.Contains(t, r.stderr, want)
	}
}
