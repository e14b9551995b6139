package acl

import (
	"encoding/csv"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The groups of the data model's interfaces that this package carries out.
var ownGroups = []string{"device", "context", "stream", "memory", "vmm", "ipc-mem", "notify", "event", "callback", "kernel", "ccu"}

// Every interface of the reference's table in these groups is there by name, group
// and real name, and nothing else claims to be of the data model.
func TestInterfacesAreTheReferences(t *testing.T) {
	f, err := os.Open("../../../shared/reference/api.tsv")
	if err != nil {
		t.Skip("no reference/api.tsv beside the repository")
	}
	defer f.Close()
	c := csv.NewReader(f)
	c.Comma, c.LazyQuotes, c.FieldsPerRecord = '\t', true, -1
	rows, err := c.ReadAll()
	require.NoError(t, err)
	want := map[string]Interface{}
	for _, x := range rows[1:] {
		for _, g := range ownGroups {
			if x[1] == g {
				want[x[0]] = Interface{Name: x[0], Group: g, Real: strings.Trim(strings.Fields(x[3])[0], "-,")}
			}
		}
	}
	require.Len(t, want, 110)
	for _, i := range Interfaces() {
		if !i.Model {
			assert.NotContains(t, want, i.Name+"/"+i.Group)
			continue
		}
		w, ok := want[i.Name]
		if assert.True(t, ok, "%s is not in the reference", i.Name) {
			assert.Equal(t, w.Group, i.Group, i.Name)
			assert.Equal(t, w.Real, i.Real, i.Name)
			delete(want, i.Name)
		}
	}
	assert.Empty(t, want, "interfaces without a method")
}

// Every interface names a method of Thread, no name comes twice, and every method
// that is a call is named.
func TestInterfacesHaveMethods(t *testing.T) {
	thread := reflect.TypeFor[*Thread]()
	names, used := map[string]bool{}, map[string]bool{}
	for _, i := range Interfaces() {
		_, ok := thread.MethodByName(i.Method)
		assert.True(t, ok, "%s: no method %s", i.Name, i.Method)
		assert.False(t, names[i.Name], "%s comes twice", i.Name)
		names[i.Name], used[i.Method] = true, true
	}
	helpers := []string{"AppendAddr", "AppendUint32", "AppendUint64", "CheckStream", "ConnectThreads", "Current", "ExportThread", "ID", "MallocNamed", "Proc", "Process",
		"RemoveThread", "RunID", "SetDeviceSynchronize", "SynchronizeTimeout", "Unwrap", "Wrap"}
	for i := range thread.NumMethod() {
		name := thread.Method(i).Name
		assert.NotEqual(t, used[name], contains(helpers, name), "%s is neither a listed interface nor a helper, or both", name)
	}
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}
