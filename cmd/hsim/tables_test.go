package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTables(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte("[cluster]\nprofile = \"950dt\"\nservers = 2\ndevices = 4\ntopology = \"mesh-clos\"\n[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB\"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "topo.json"), []byte(pairTopo), 0o600))

	got := hsim(t, dir, "tables")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, "device: 8 rows\n")
	assert.Contains(t, got.stdout, "port: 136 rows\n")
	assert.Contains(t, got.stdout, "... and 130 more rows (--table port)\n")
	assert.Contains(t, got.stdout, "\nwithout rows before a program runs: hybrid_compute_die, runner, context, stream, ")

	got = hsim(t, dir, "tables", "--table", "ccu_scheduler", "--csv")
	require.Equal(t, exitOK, got.code, got.stderr)
	lines := strings.Split(got.stdout, "\n")
	assert.Equal(t, "ccu_id,ts_id,version,xn_num,cke_num,ms_num,channel_num", lines[0])
	assert.Equal(t, "1,4,v1,3072,1024,1536,128", lines[1])
	assert.Len(t, lines, 1+16+1)

	got = hsim(t, dir, "tables", "--table", "link", "--table", "host", "--json", "--topo", "topo.json", "--profile", "950dt")
	require.Equal(t, exitOK, got.code, got.stderr)
	var all map[string][]map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &all))
	assert.Equal(t, []map[string]any{{"host_id": 0.0, "server_id": 0.0, "ip": "172.16.0.0", "arch": "aarch64"}}, all["host"])
	require.Len(t, all["link"], 2+3)
	assert.Equal(t, "PEER2PEER", all["link"][0]["type"])

	got = hsim(t, dir, "tables", "--list", "--table", "endpoint")
	assert.Regexp(t, `endpoint +\d+ +endpoint_id \(key\), device_id -> device.device_id, rank_id, addr, type, func_id\n`, got.stdout)
	got = hsim(t, dir, "tables", "--table", "endpoint", "--json")
	assert.Contains(t, got.stdout, `"device_id": null`, "an endpoint of a switch")

	got = hsim(t, dir, "tables", "--table", "device", "--csv", "--set", "cluster.visible=[1,3]")
	require.Equal(t, exitOK, got.code, got.stderr)
	assert.Regexp(t, `(?m)^0,0,-1,0,.*\n1,0,0,1,.*\n2,0,-1,2,.*\n3,0,1,3,.*\n4,1,-1,0,`, got.stdout, "logic ids of the visible devices")

	for _, w := range []struct {
		args []string
		want string
	}{
		{[]string{"--table", "devices"}, "hsim tables: --table devices: got no such table, want one of server, host, device, "},
		{[]string{"--table", "devices"}, "(try device)"},
		{[]string{"--csv"}, "hsim tables: --csv: got 0 tables, want one (try --table device)"},
		{[]string{"--csv", "--json"}, "hsim tables: got --csv and --json, want one of --list, --json, --csv (try `hsim tables --help`)"},
		{[]string{"none.toml"}, "none.toml"},
	} {
		got := hsim(t, dir, append([]string{"tables"}, w.args...)...)
		assert.Equal(t, exitBadInput, got.code, "%v", w.args)
		assert.Contains(t, got.stderr, w.want)
	}
}
