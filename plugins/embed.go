package plugins

import (
	"embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed */*.wasm lib/*.h
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

// Headers returns the C headers of lib by file name, for compiling plugins outside the repository.
func Headers() map[string]string {
	out := map[string]string{}
	entries, err := files.ReadDir("lib")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if text, err := files.ReadFile("lib/" + e.Name()); err == nil {
			out[e.Name()] = string(text)
		}
	}
	return out
}
