package plugins_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/plugins"
	"hsim/plugins/build"
)

// TestModulesAreCurrent needs no compiler: it compares sums of sources, headers, flags and modules with SUMS.
func TestModulesAreCurrent(t *testing.T) {
	stale, err := build.Stale("..")
	require.NoError(t, err)
	for _, s := range stale {
		t.Errorf("%s is not compiled from the present %v and headers (run make plugins)", s.Module, s.Sources)
	}
	targets, err := build.Targets("..")
	require.NoError(t, err)
	sums, err := build.ReadSums("..")
	require.NoError(t, err)
	require.Len(t, sums, len(targets), "SUMS lists modules without sources (run make plugins)")
}

func TestEveryModuleHasSources(t *testing.T) {
	names := plugins.Names()
	require.Subset(t, names, []string{"rdma", "ub"})
	for _, name := range names {
		bin, err := plugins.Module(name)
		require.NoError(t, err)
		require.Equal(t, "\x00asm", string(bin[:4]))
		sources, err := filepath.Glob(filepath.Join(name, "*.c"))
		require.NoError(t, err)
		require.NotEmpty(t, sources, name)
	}
	_, err := plugins.Module("nothing")
	require.ErrorContains(t, err, `got module "nothing", want one of `+strings.Join(names, ", "))
}

func TestHeaders(t *testing.T) {
	for name, text := range plugins.Headers() {
		require.True(t, strings.HasSuffix(name, ".h"))
		require.Contains(t, text, "#ifndef HSIM_LIB_", name)
	}
	require.Contains(t, plugins.Headers(), "psn.h")
}
