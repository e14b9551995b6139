package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"hsim/abi"
)

// Info is what a module says of itself, for people.
type Info struct {
	Kind        abi.Kind
	Version     int
	Features    uint32
	Names       []string // of the feature bits
	Description Description
	Exports     []Export
	Imports     []Export
	Size        int
	Hash        string // SHA-256 in hexadecimal
}

// KindOf returns the kind that a module marks itself as, without running or compiling anything: from its version export,
// or from _start for a program.
func KindOf(bin []byte) (abi.Kind, error) {
	_, info, err := rewrite(bin)
	if err != nil {
		return 0, fmt.Errorf("wasm: %w", err)
	}
	for _, k := range abi.Kinds() {
		for _, name := range info.exports {
			if k == abi.Program && name == "_start" {
				return k, nil
			}
			if kind, _, ok := abi.ParseVersionExport(name); ok && kind == k.String() {
				return k, nil
			}
		}
	}
	var want []string
	for _, k := range abi.Kinds() {
		if k != abi.Program {
			want = append(want, k.VersionExport())
		}
	}
	return 0, fmt.Errorf("wasm: module: got no mark of its kind among its exports, want one of %s, or _start for a program", strings.Join(want, ", "))
}

// Inspect loads a module as the kind it marks itself as and reports what it offers; what is wrong with it is the error.
func (r *Runtime) Inspect(name string, bin []byte) (*Info, error) {
	kind, err := KindOf(bin)
	if err != nil {
		return nil, fmt.Errorf("wasm: inspect %s: %w", name, err)
	}
	m, err := r.Load(name, bin, kind)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Close() }()
	hash := sha256.Sum256(bin)
	info := &Info{Kind: kind, Version: abi.Version, Size: len(bin), Hash: hex.EncodeToString(hash[:]), Imports: importsOf(m.compiled)}
	for _, e := range m.exports {
		if !strings.HasPrefix(e.Name, hidden) {
			info.Exports = append(info.Exports, e)
		}
	}
	if info.Features, err = m.Features(); err != nil {
		return nil, err
	}
	info.Names = featureNames(m.iface, info.Features)
	d, err := m.Describe()
	if err != nil {
		return nil, err
	}
	info.Description = *d
	return info, nil
}

// featureNames spells feature bits; unknown ones are given as numbers.
func featureNames(iface *abi.Interface, bits uint32) []string {
	var out []string
	for _, e := range iface.Enums {
		if e.Name != "feature" {
			continue
		}
		for _, c := range e.Consts {
			if bits&uint32(c.Value) != 0 {
				out = append(out, c.Name)
				bits &^= uint32(c.Value)
			}
		}
	}
	if bits != 0 {
		out = append(out, fmt.Sprintf("%#x", bits))
	}
	return out
}
