package wasm

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tetratelabs/wazero"

	"hsim/abi"
)

// Module is a checked and compiled plugin, shared by all its instances.
type Module struct {
	rt       *Runtime
	name     string
	kind     abi.Kind
	iface    *abi.Interface
	compiled wazero.CompiledModule
	host     *hostModule
	info     rewritten
	hash     [sha256.Size]byte
	minPages uint32
	exports  []Export
}

// Load checks bin against the interface of kind, counts its steps and compiles it. The error names every fault of the
// module at once; nothing of the module has run by then. The name is what messages call the plugin.
func (r *Runtime) Load(name string, bin []byte, kind abi.Kind) (*Module, error) {
	iface := abi.Lookup(kind)
	if iface == nil {
		return nil, fmt.Errorf("wasm: load plugin %s: got kind %d, want one of %v", name, kind, abi.Kinds())
	}
	code, info, err := rewrite(bin)
	if err != nil {
		return nil, fmt.Errorf("wasm: load plugin %s: %w", name, err)
	}
	compiled, err := r.rt.CompileModule(context.Background(), code)
	if err != nil {
		return nil, fmt.Errorf("wasm: load plugin %s: got a module that does not validate: %w (build it again)", name, err)
	}
	m := &Module{rt: r, name: name, kind: kind, iface: iface, compiled: compiled, info: info, hash: sha256.Sum256(bin)}
	if err := m.link(); err != nil {
		_ = compiled.Close(context.Background())
		return nil, err
	}
	return m, nil
}

// link checks the compiled module and binds its import modules.
func (m *Module) link() error {
	m.exports = exportsOf(m.compiled)
	if err := m.check(); err != nil {
		return err
	}
	m.measure()
	for _, d := range m.compiled.ImportedFunctions() {
		module, _, _ := d.Import()
		if module == abi.WASIModule {
			if err := m.rt.wasi(); err != nil {
				return err
			}
			continue
		}
		h, err := m.rt.host(m.iface, module)
		if err != nil {
			return err
		}
		m.host = h
	}
	return nil
}

// measure notes how much memory the module starts with.
func (m *Module) measure() {
	for _, d := range m.compiled.ExportedMemories() {
		m.minPages = d.Min()
	}
}

// Name returns the name given to Load.
func (m *Module) Name() string { return m.name }

// Kind returns the kind given to Load.
func (m *Module) Kind() abi.Kind { return m.kind }

// Hash returns the SHA-256 of the module as given to Load.
func (m *Module) Hash() [sha256.Size]byte { return m.hash }

// Features returns the feature bits of the version export. A constant, as C compilers leave it, is read from the code;
// otherwise an instance is made to ask it.
func (m *Module) Features() (uint32, error) {
	if m.kind == abi.Program {
		return 0, nil
	}
	if m.info.features != nil {
		return *m.info.features, nil
	}
	in, err := m.Instantiate(InstanceConfig{LimitPages: MaxPages})
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	f, err := in.Func(m.kind.VersionExport())
	if err != nil {
		return 0, err
	}
	v, err := f.Call()
	return uint32(v), err
}

// Has tells whether the module exports a function.
func (m *Module) Has(export string) bool {
	for i := range m.exports {
		if m.exports[i].Name == export {
			return true
		}
	}
	return false
}

// Hosted tells whether the module imports WASI, as modules do that bring a language's runtime and its heap.
func (m *Module) Hosted() bool { return m.info.wasi }

// Entries returns the names that stand for <name> in a pattern export such as hsim_kernel_<name>, in alphabetical order.
func (m *Module) Entries(pattern string) []string { return entries(m.iface, m.exports, pattern) }

// Close frees the compiled code once the last instance is closed.
func (m *Module) Close() error {
	if err := m.compiled.Close(context.Background()); err != nil {
		return fmt.Errorf("wasm: close plugin %s: %w", m.name, err)
	}
	return nil
}
