package wasm

import (
	"fmt"
	"sort"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"hsim/abi"
)

// Export is a function that a module exports or imports.
type Export struct {
	Module    string // of an import
	Name      string
	Params    []abi.ValType
	Results   []abi.ValType
	signature string
}

// Signature returns the WebAssembly signature, such as (i32, i64) -> i32.
func (e *Export) Signature() string { return e.signature }

func describeFunc(module, name string, d api.FunctionDefinition) Export {
	e := Export{Module: module, Name: name}
	for _, t := range d.ParamTypes() {
		e.Params = append(e.Params, abi.ValType(t))
	}
	for _, t := range d.ResultTypes() {
		e.Results = append(e.Results, abi.ValType(t))
	}
	e.signature = abi.Signature(e.Params, e.Results)
	return e
}

// exportsOf returns the exported functions by name.
func exportsOf(c wazero.CompiledModule) []Export {
	var out []Export
	for name, d := range c.ExportedFunctions() {
		out = append(out, describeFunc("", name, d))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// importsOf returns the imported functions in the module's order.
func importsOf(c wazero.CompiledModule) []Export {
	var out []Export
	for _, d := range c.ImportedFunctions() {
		module, name, _ := d.Import()
		out = append(out, describeFunc(module, name, d))
	}
	return out
}

// exportNames lists what the guest exports, for messages.
func (m *Module) exportNames() []string {
	var out []string
	for i := range m.exports {
		if !strings.HasPrefix(m.exports[i].Name, hidden) {
			out = append(out, m.exports[i].Name)
		}
	}
	return out
}

// entries returns what stands for <name> in the exports that fit pattern and no longer pattern of the interface.
func entries(iface *abi.Interface, exports []Export, pattern string) []string {
	var out []string
	for i := range exports {
		if f := patternOf(iface, exports[i].Name); f != nil && f.Name == pattern {
			prefix, suffix, _ := f.Pattern()
			out = append(out, exports[i].Name[len(prefix):len(exports[i].Name)-len(suffix)])
		}
	}
	return out
}

// patternOf returns the pattern export that name belongs to: the one with the longest fixed part.
func patternOf(iface *abi.Interface, name string) *abi.Func {
	var best *abi.Func
	length := -1
	for i := range iface.Exports {
		f := &iface.Exports[i]
		prefix, suffix, ok := f.Pattern()
		if !ok || len(name) <= len(prefix)+len(suffix) || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
			continue
		}
		if n := len(prefix) + len(suffix); n > length {
			best, length = f, n
		}
	}
	return best
}

// check compares the module with its interface and reports all faults in one error.
func (m *Module) check() error {
	var faults []string
	say := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	if !m.checkVersion(say) {
		// A module of another kind would only add noise about its exports and imports.
		return fmt.Errorf("wasm: load plugin %s as %s: %s", m.name, m.kind, strings.Join(faults, "; "))
	}
	for _, f := range m.info.foreign {
		say("it imports the %s, want a module with a memory of its own that imports functions only", f)
	}
	if _, ok := m.compiled.ExportedMemories()["memory"]; !ok {
		say("got no exported memory, want one named memory")
	}
	m.checkExports(say)
	if err := m.checkImports(say); err != nil {
		return err
	}
	if len(faults) == 0 {
		return nil
	}
	text := strings.Join(faults, "; ")
	if len(faults) > 1 {
		text = fmt.Sprintf("%d faults: %s", len(faults), text)
	}
	return fmt.Errorf("wasm: load plugin %s as %s: %s", m.name, m.kind, text)
}

// checkVersion looks for the version export and reports what else the module seems to be.
func (m *Module) checkVersion(say func(string, ...any)) bool {
	var marks, other []string
	for i := range m.exports {
		kind, version, ok := abi.ParseVersionExport(m.exports[i].Name)
		if !ok {
			continue
		}
		marks = append(marks, m.exports[i].Name)
		if kind == m.kind.String() && version != fmt.Sprint(abi.Version) {
			other = append(other, version)
		}
	}
	want := m.kind.VersionExport()
	switch {
	case m.kind == abi.Program:
		if len(marks) == 0 {
			return true
		}
		say("got a plugin (exports %s), want a program with _start (name it under [plugins] instead)", strings.Join(marks, ", "))
	case contains(marks, want):
		return true
	case len(other) > 0:
		say("got version %s of the %s interface, want version %d (build it with this hsim.h)", strings.Join(other, ", "), m.kind, abi.Version)
	case len(marks) > 0:
		say("got another kind of plugin (exports %s), want export %s", strings.Join(marks, ", "), want)
	case m.Has("_start"):
		say("got a program (exports _start), want a plugin that exports %s (for Go: build with -buildmode=c-shared)", want)
	default:
		say("got no export %s, want it with signature () -> i32 (HSIM_MODULE in hsim.h writes it)", want)
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (m *Module) checkExports(say func(string, ...any)) {
	expect := func(f *abi.Func, e *Export) {
		if got, want := e.Signature(), f.Signature(); got != want {
			say("export %s: got signature %s, want %s", e.Name, got, want)
		}
	}
	find := func(name string) *Export {
		for i := range m.exports {
			if m.exports[i].Name == name {
				return &m.exports[i]
			}
		}
		return nil
	}
	fixed := m.iface.Exports
	if m.kind != abi.Program {
		mark := abi.Func{Name: m.kind.VersionExport(), Result: "u32"}
		fixed = append([]abi.Func{mark}, append(abi.CommonExports(), fixed...)...)
	}
	known := map[string]bool{}
	var patterns []string
	for i := range fixed {
		f := &fixed[i]
		if _, _, ok := f.Pattern(); ok {
			patterns = append(patterns, f.Name)
			continue
		}
		known[f.Name] = true
		switch e := find(f.Name); {
		case e != nil:
			expect(f, e)
		case !f.Optional:
			say("missing export %s, want signature %s", f.Name, f.Signature())
		}
	}
	found := 0
	for i := range m.exports {
		e := &m.exports[i]
		if known[e.Name] || strings.HasPrefix(e.Name, hidden) {
			continue
		}
		if f := patternOf(m.iface, e.Name); f != nil {
			found++
			expect(f, e)
		} else if strings.HasPrefix(e.Name, "hsim_") {
			say("unknown export %s%s", e.Name, nearest(e.Name, append(keys(known), patterns...)))
		}
	}
	if len(patterns) > 0 && found == 0 {
		say("got nothing to call, want at least one export of the form %s", strings.Join(patterns, " or "))
	}
	for _, name := range m.Entries("hsim_ccu_<name>") {
		if m.kind == abi.CCU && !m.Has("hsim_ccu_"+name+"_launch") {
			say("missing export hsim_ccu_%s_launch beside hsim_ccu_%s", name, name)
		}
	}
	if m.Has("hsim_set_param") && !m.Has("hsim_describe") {
		say("it exports hsim_set_param but no hsim_describe to name the parameters")
	}
}

func (m *Module) checkImports(say func(string, ...any)) error {
	var wasi map[string]Export
	for _, e := range importsOf(m.compiled) {
		switch {
		case e.Module == abi.WASIModule:
			if wasi == nil {
				var err error
				if wasi, err = m.rt.wasiFuncs(); err != nil {
					return err
				}
			}
			if f, ok := wasi[e.Name]; !ok {
				say("unknown import %s.%s%s", e.Module, e.Name, nearest(e.Name, keys(wasi)))
			} else if f.Signature() != e.Signature() {
				say("import %s.%s: got signature %s, want %s", e.Module, e.Name, e.Signature(), f.Signature())
			}
		case !contains(m.iface.Modules(), e.Module):
			say("import %s.%s: unknown module%s", e.Module, e.Name, nearest(e.Module, append(m.iface.Modules(), abi.WASIModule)))
		default:
			if f := m.iface.Import(e.Name); f == nil {
				names := make([]string, len(m.iface.Imports))
				for i := range m.iface.Imports {
					names[i] = m.iface.Imports[i].Name
				}
				say("unknown import %s.%s%s", e.Module, e.Name, nearest(e.Name, names))
			} else if want := m.iface.ModuleOf(f); want != e.Module {
				say("unknown import %s.%s (try module %s)", e.Module, e.Name, want)
			} else if f.Signature() != e.Signature() {
				say("import %s.%s: got signature %s, want %s", e.Module, e.Name, e.Signature(), f.Signature())
			}
		}
	}
	return nil
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
