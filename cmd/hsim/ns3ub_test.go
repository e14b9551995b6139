package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// caseDir is a copy of the example that a test may change.
func caseDir(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "case")
	copyTree(t, filepath.Join(repository, "examples", "ns3ub"), dir)
	return dir
}

func TestRunNS3UB(t *testing.T) {
	dir := caseDir(t)
	r := hsim(t, dir, "run", "--ns3ub", ".")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "tasks      12 of 12, 12MiB\n")
	first, err := os.ReadFile(filepath.Join(dir, "output", "task_statistics.csv"))
	require.NoError(t, err)

	r = hsim(t, dir, "run", "--ns3ub", ".", "--out", "else/where", "--json", "--train", "1")
	require.Zero(t, r.code, r.stderr)
	var s ns3ubSummary
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &s))
	require.Equal(t, 12, s.Complete)
	require.True(t, s.PacketLevel)
	second, err := os.ReadFile(filepath.Join(dir, "else", "where", "task_statistics.csv"))
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}

func TestRunNS3UBRefuses(t *testing.T) {
	dir := caseDir(t)
	for _, k := range []struct {
		args []string
		want string
	}{
		{[]string{"--ns3ub", "nowhere"}, "--ns3ub nowhere: there is no such directory"},
		{[]string{"--ns3ub", "node.csv"}, "--ns3ub node.csv: got a file, want the directory of a case"},
		{[]string{"--ns3ub", ".", "--train", "0"}, `--train: got "0", want auto or a number of packets from 1 to 1024`},
		{[]string{"--ns3ub", ".", "--out", "node.csv"}, "node.csv is a file, want a directory"},
		{[]string{"--ns3ub", ".", "sim.toml"}, "got file sim.toml and --ns3ub, want one of them"},
		{[]string{"--ns3ub", ".", "--set", "sim.seed=1"}, "--set speaks of a sim.toml"},
		{[]string{"--out", "x"}, "--out goes with --ns3ub"},
	} {
		r := hsim(t, dir, append([]string{"run"}, k.args...)...)
		require.Equal(t, exitBadInput, r.code, k.args)
		require.Contains(t, r.stderr, k.want)
		require.Empty(t, r.stdout)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "traffic.csv"), []byte("taskId,sourceNode,destNode,dataSize,opType,priority\n0,0,9,1,URMA_WRITE,7\n"), 0o600))
	r := hsim(t, dir, "run", "--ns3ub", ".")
	require.Equal(t, exitBadInput, r.code)
	require.Contains(t, r.stderr, `traffic.csv:2: column "destNode": got node 9, want one of node.csv`)
	require.NoDirExists(t, filepath.Join(dir, "output"))
}
