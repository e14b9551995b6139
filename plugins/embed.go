// Package plugins holds the modules that come with hsim, as bytes. Only product packages import it: everything below gets
// its modules handed in, so that an embedded plugin has no privilege over one from a file.
package plugins

import (
	"embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed */*.wasm
var files embed.FS

// Names lists the embedded modules: rdma, ub, ...
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if _, err := files.Open(e.Name() + "/" + e.Name() + ".wasm"); err == nil {
			out = append(out, e.Name())
		}
	}
	sort.Strings(out)
	return out
}

// Module returns an embedded module by name.
func Module(name string) ([]byte, error) {
	bin, err := files.ReadFile(name + "/" + name + ".wasm")
	if err != nil {
		return nil, fmt.Errorf("plugins: got module %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	return bin, nil
}
