package guest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/acl"
)

// later are functions that are declared and cannot be called yet.
var later = []string{}

func TestEveryFunctionCanBeCalled(t *testing.T) {
	require.ElementsMatch(t, later, Missing())
	declared := map[string]bool{}
	for _, f := range abi.Lookup(abi.Program).Imports {
		declared[f.Name] = true
	}
	for name := range imports() {
		require.True(t, declared[name], "%s is in no table", name)
	}
}

// TestRuntimeIsComplete holds that programs reach every call that the runtime offers.
func TestRuntimeIsComplete(t *testing.T) {
	for _, x := range acl.Interfaces() {
		f := abi.Lookup(abi.Program).Import(x.Name)
		if assert.NotNil(t, f, "%s is in no table", x.Name) {
			assert.Equal(t, x.Real, f.Real, x.Name)
			assert.Equal(t, x.Model, f.Model, x.Name)
		}
	}
}

// TestModelIsComplete reads the reference list of the data model's functions, which is not part of the repository.
func TestModelIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../../shared/reference/api.tsv")
	if os.IsNotExist(err) {
		t.Skip("../shared/reference/api.tsv is not here")
	}
	require.NoError(t, err)
	groups := strings.Fields("device context stream memory vmm ipc-mem notify event callback kernel ccu")
	want := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i == 0 {
			continue
		}
		cells := strings.Split(line, "\t")
		name, group, real := cells[0], cells[1], strings.Fields(strings.NewReplacer("(", " ").Replace(cells[3]))[0]
		if !slices.Contains(groups, group) {
			continue
		}
		want[name] = true
		f := abi.Lookup(abi.Program).Import(name)
		if !assert.NotNil(t, f, name) {
			continue
		}
		if real == "-" {
			real = ""
		}
		assert.Equal(t, real, f.Real, name)
		assert.Equal(t, group, f.Group, name)
		assert.True(t, f.Model, name)
	}
	require.Len(t, want, 110)
	for _, f := range abi.Lookup(abi.Program).Imports {
		if f.Model && slices.Contains(groups, f.Group) {
			assert.True(t, want[f.Name], "%s is no name of the data model", f.Name)
		}
	}
}
