// Package gen writes what is derived from the tables of package abi: the C header, the Go guest SDK, the reference page
// and the golden file. The command in write and a test call it. It must never hold a fact about the ABI itself.
package gen

import (
	"maps"

	"hsim/abi"
)

// Files returns the generated files by path from the root of the repository.
func Files() map[string][]byte {
	out := map[string][]byte{
		"abi/include/hsim.h":      Header(),
		"docs/interfaces.md":      Docs(),
		"abi/testdata/golden.txt": Golden(),
		"abi/testdata/layout.c":   LayoutAsserts(),
		"abi/extra.tsv":           Extra(),
	}
	maps.Copy(out, Guest())
	for _, h := range programHeaders {
		out["abi/include/"+h.path] = h.text()
	}
	return out
}

func interfaces() []*abi.Interface {
	var out []*abi.Interface
	for _, k := range abi.Kinds() {
		out = append(out, abi.Lookup(k))
	}
	return out
}

// enums returns every enum once, merging groups that several kinds extend (such as limits).
func enums() []abi.Enum {
	var out []abi.Enum
	place := map[string]int{}
	add := func(list []abi.Enum) {
		for _, e := range list {
			i, ok := place[e.Name]
			if !ok {
				place[e.Name] = len(out)
				out = append(out, e)
				continue
			}
			for _, c := range e.Consts {
				if !has(out[i].Consts, c) {
					out[i].Consts = append(out[i].Consts, c)
				}
			}
		}
	}
	add(abi.CommonEnums())
	for _, i := range interfaces() {
		add(i.Enums)
	}
	return out
}

func has(list []abi.Const, c abi.Const) bool {
	for _, x := range list {
		if x.Name == c.Name {
			return true
		}
	}
	return false
}

func records() []abi.Record {
	var out []abi.Record
	for _, i := range interfaces() {
		out = append(out, i.Records...)
	}
	return out
}
