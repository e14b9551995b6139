// Package host_test holds the plan of the house: which package may import which.
package host_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// edges lists, for every package of the program, the packages of the program
// that it may import. Imports go down; inside a band only along these edges.
var edges = map[string]string{
	// base
	"host/sim":   "",
	"host/units": "host/sim",
	"abi":        "",
	// world
	"host/soc":    "host/sim host/units",
	"host/topo":   "host/sim host/units host/soc",
	"host/mem":    "host/sim host/units",
	"host/wasm":   "host/sim host/units abi",
	"host/record": "host/sim host/units",
	// engines
	"host/fabric":    "host/sim host/units host/soc host/topo host/record",
	"host/transport": "host/sim host/units abi host/soc host/topo host/mem host/wasm host/record host/fabric",
	"host/kernel":    "host/sim host/units abi host/soc host/mem host/wasm host/record",
	"host/ccu":       "host/sim host/units abi host/soc host/mem host/wasm host/record",
	// chip
	"host/device": "host/sim host/units abi host/soc host/topo host/mem host/wasm host/record host/fabric host/transport host/kernel host/ccu",
	// software
	"host/acl":   "host/sim host/units abi host/soc host/topo host/mem host/wasm host/record host/transport host/kernel host/ccu host/device",
	"host/hccp":  "host/sim host/units abi host/soc host/topo host/mem host/record host/fabric host/transport host/device host/acl",
	"host/hccl":  "host/sim host/units abi host/soc host/topo host/mem host/wasm host/record host/transport host/kernel host/ccu host/device host/acl host/hccp",
	"host/guest": "host/sim host/units abi host/mem host/wasm host/device host/acl host/hccp host/hccl",
	// product
	"host/check":    "host/sim host/units abi host/soc host/topo host/mem host/record host/device host/acl host/hccl",
	"host/scenario": "*",
	"host/ns3ub":    "*",
	"cmd/hsim":      "*",
	"plugins":       "abi",
	"plugins/build": "abi plugins host/wasm",
}

// imports parses the files themselves: a listing by the go command may come
// from its cache.
func imports(t *testing.T, root string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, top := range []string{"host", "abi", "cmd", "plugins"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			require.NoError(t, err)
			dir = filepath.ToSlash(dir)
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			require.NoError(t, err)
			if all[dir] == nil {
				all[dir] = map[string]string{}
			}
			for _, i := range f.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				all[dir][name] = path
			}
			return nil
		})
		require.NoError(t, err)
	}
	return all
}

func TestImportsGoDown(t *testing.T) {
	all := imports(t, "..")
	require.Contains(t, all, "host/sim", "the test sees the tree")
	for dir, got := range all {
		list, known := edges[dir]
		for room := filepath.ToSlash(filepath.Dir(dir)); !known && room != "."; room = filepath.ToSlash(filepath.Dir(room)) {
			// A package inside another one's room (importers in host/topo) keeps
			// that room's rules and may be imported where it may.
			list, known = edges[room]
			list += " " + room
		}
		require.True(t, known, "%s is not on the plan: give it a line in edges", dir)
		allowed := strings.Fields(list)
		for name, file := range got {
			to, ours := strings.CutPrefix(name, "hsim/")
			if !ours || list == "*" {
				continue
			}
			ok := slices.ContainsFunc(allowed, func(a string) bool {
				return to == a || strings.HasPrefix(to, a+"/") || strings.HasPrefix(to, dir+"/")
			})
			require.True(t, ok, "%s imports %s: %s may import only %q", file, to, dir, list)
		}
	}
}

func TestOneImporterOfWazero(t *testing.T) {
	for dir, got := range imports(t, "..") {
		for name, file := range got {
			if strings.HasPrefix(name, "github.com/tetratelabs/wazero") {
				require.Equal(t, "host/wasm", dir, "%s imports %s", file, name)
			}
		}
	}
}

func TestProductPackagesAloneEmbedPlugins(t *testing.T) {
	for dir, got := range imports(t, "..") {
		if file, found := got["hsim/plugins"]; found {
			require.Contains(t, []string{"host/scenario", "host/ns3ub", "cmd/hsim", "plugins/build"}, dir, file)
		}
	}
}
