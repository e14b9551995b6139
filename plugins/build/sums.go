package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// SumsFile is where the sums of the repository's modules are, from its root.
const SumsFile = "plugins/SUMS"

// Target is a module of the repository. Paths are from the root, with slashes.
type Target struct {
	Sources []string // C or C++ files, all in one directory
	Module  string
	Program bool // a host program, not a plugin
}

// Sum ties a module to what it was compiled from.
type Sum struct {
	Sources string // SHA-256 over flags, source and headers, in hexadecimal
	Module  string // SHA-256 of the module
	Path    string // of the module
}

// Targets returns the modules of the repository at root: one for each directory of plugins, of examples and of example
// programs with C or C++ files, and one for each C file that tests use.
func Targets(root string) ([]Target, error) {
	var out []Target
	for _, pattern := range []string{"plugins/*/*.c", "host/*/testdata/*.c", "examples/*/*.c", "examples/programs/*/kernels/*.c",
		"examples/programs/*/*.c", "examples/programs/*/*.cc", "host/guest/testdata/programs/*.c", "host/guest/testdata/programs/*.cc"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("build: list sources: %w", err)
		}
		for _, f := range files {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return nil, fmt.Errorf("build: list sources: %w", err)
			}
			rel = filepath.ToSlash(rel)
			module := strings.TrimSuffix(rel, path.Ext(rel)) + ".wasm"
			program := strings.Contains(rel, "/programs/") && !strings.Contains(rel, "/kernels/")
			plain := strings.HasPrefix(rel, "examples/") && strings.Count(rel, "/") == 2
			if strings.HasPrefix(rel, "plugins/") || plain || program && strings.HasPrefix(rel, "examples/") {
				module = path.Dir(rel) + "/" + path.Base(path.Dir(rel)) + ".wasm"
			}
			if n := len(out); n > 0 && out[n-1].Module == module {
				out[n-1].Sources = append(out[n-1].Sources, rel)
				continue
			}
			out = append(out, Target{Sources: []string{rel}, Module: module, Program: program})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Module < out[j].Module })
	return out, nil
}

// include returns the directories a plugin's headers are in, from the root.
func (t Target) include() []string {
	return []string{path.Dir(t.Sources[0]), "plugins/lib", "abi/include"}
}

// headers returns the files beside the sources that a target is compiled from, as patterns from the root: a plugin has no
// use for the headers of programs.
func (t Target) headers() []string {
	own := path.Dir(t.Sources[0]) + "/*.h"
	if t.Program {
		return []string{own, "abi/include/*.h", "abi/include/*/*", "abi/crt/*"}
	}
	list := []string{own, "plugins/lib/*.h", "abi/include/hsim.h"}
	if strings.HasPrefix(t.Sources[0], "examples/") {
		list = append(list, path.Dir(path.Dir(t.Sources[0]))+"/*.h") // what a program shares with its kernels
	}
	return list
}

// flags returns how the target is compiled, for its sum.
func (t Target) flags() []string {
	if t.Program {
		return append(ProgramFlags(t.lang()), LinkFlags()...)
	}
	return Flags()
}

// lang is C++ when a source is.
func (t Target) lang() Lang {
	for _, f := range t.Sources {
		if path.Ext(f) == ".cc" {
			return LangCXX
		}
	}
	return LangC
}

// Sum computes the sums of a target as it lies in the tree at root.
func (t Target) Sum(root string) (Sum, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", strings.Join(t.flags(), "\n"))
	files := append([]string{}, t.Sources...)
	for _, pattern := range t.headers() {
		more, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return Sum{}, fmt.Errorf("build: sum of %s: %w", t.Module, err)
		}
		for _, f := range more {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return Sum{}, fmt.Errorf("build: sum of %s: %w", t.Module, err)
			}
			files = append(files, filepath.ToSlash(rel))
		}
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
		if err != nil {
			return Sum{}, fmt.Errorf("build: sum of %s: %w", t.Module, err)
		}
		fmt.Fprintf(h, "%s %d\n", f, len(text))
		h.Write(text)
	}
	s := Sum{Sources: hex.EncodeToString(h.Sum(nil)), Path: t.Module}
	bin, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(t.Module)))
	if err == nil {
		sum := sha256.Sum256(bin)
		s.Module = hex.EncodeToString(sum[:])
	} else if !os.IsNotExist(err) {
		return Sum{}, fmt.Errorf("build: sum of %s: %w", t.Module, err)
	}
	return s, nil
}

// ReadSums reads the list at root; a missing file is an empty list.
func ReadSums(root string) (map[string]Sum, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(SumsFile)))
	if os.IsNotExist(err) {
		return map[string]Sum{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("build: read %s: %w", SumsFile, err)
	}
	out := map[string]Sum{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("build: read %s line %d: got %d fields, want sources, module and path", SumsFile, i+1, len(f))
		}
		out[f[2]] = Sum{Sources: f[0], Module: f[1], Path: f[2]}
	}
	return out, nil
}

// Stale returns the targets at root whose sums differ from the list, in order.
func Stale(root string) ([]Target, error) {
	targets, err := Targets(root)
	if err != nil {
		return nil, err
	}
	sums, err := ReadSums(root)
	if err != nil {
		return nil, err
	}
	var out []Target
	for _, t := range targets {
		now, err := t.Sum(root)
		if err != nil {
			return nil, err
		}
		if now.Module == "" || now != sums[t.Module] {
			out = append(out, t)
		}
	}
	return out, nil
}

// Tree compiles the stale targets at root, or all of them, and writes the list of sums. It returns what it compiled.
func Tree(root string, all bool) ([]Target, error) {
	todo, err := Stale(root)
	if err != nil {
		return nil, err
	}
	targets, err := Targets(root)
	if err != nil {
		return nil, err
	}
	if all {
		todo = targets
	}
	for _, t := range todo {
		if err := t.Compile(root, filepath.Join(root, filepath.FromSlash(t.Module))); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	for _, t := range targets {
		s, err := t.Sum(root)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s %s %s\n", s.Sources, s.Module, s.Path)
	}
	list := filepath.Join(root, filepath.FromSlash(SumsFile))
	if old, err := os.ReadFile(list); err == nil && bytes.Equal(old, b.Bytes()) {
		return todo, nil
	}
	if err := os.WriteFile(list, b.Bytes(), 0o644); err != nil {
		return nil, fmt.Errorf("build: write %s: %w", SumsFile, err)
	}
	return todo, nil
}

// Check compiles every target at root beside the tree and reports the modules that come out different.
func Check(root string) error {
	targets, err := Targets(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "hsim-check-")
	if err != nil {
		return fmt.Errorf("build: check: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var different []string
	for _, t := range targets {
		out := filepath.Join(dir, "module.wasm")
		if err := t.Compile(root, out); err != nil {
			return err
		}
		got, err := os.ReadFile(out)
		if err != nil {
			return fmt.Errorf("build: check %s: %w", t.Module, err)
		}
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(t.Module)))
		if err != nil || !bytes.Equal(got, have) {
			different = append(different, t.Module)
		}
	}
	if len(different) > 0 {
		return fmt.Errorf("build: check: got other bytes from clang than the tree has for %s (run make plugins)", strings.Join(different, ", "))
	}
	return nil
}

// Compile compiles the target into a file.
func (t Target) Compile(root, out string) error {
	var sources, include []string
	for _, f := range t.Sources {
		sources = append(sources, filepath.Join(root, filepath.FromSlash(f)))
	}
	if t.Program {
		return whole(out, func(tmp string) error {
			_, err := compileProgram(t.lang(), filepath.Join(root, "abi"), append(sources, "-Wall", "-Werror", "-o", tmp))
			return err
		})
	}
	for _, dir := range t.include() {
		include = append(include, filepath.Join(root, filepath.FromSlash(dir)))
	}
	return clang(out, sources, include)
}
