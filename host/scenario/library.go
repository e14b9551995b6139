package scenario

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hsim/abi"
	"hsim/host/ccu"
	"hsim/host/hccl"
	"hsim/host/kernel"
	"hsim/host/wasm"
	"hsim/plugins"
)

// library holds the modules of a scenario, each compiled once and shared by all variants.
type library struct {
	rt     *wasm.Runtime
	loaded map[string]*module
	order  []*module
	log    func(line string) // for what plugins print outside a simulation; nil = dropped
}

// module is one checked plugin.
type module struct {
	name string // embedded name or path as asked for
	mod  *wasm.Module
	desc *wasm.Description
	size int
	hash string
	err  error // why it cannot be used

	kernels  *kernel.Binary // of a module of kernels
	programs *ccu.Binary    // of a module of microprograms

	schedules []*hccl.Schedule // of a module of collective algorithms
}

func newLibrary() (*library, error) {
	rt, err := wasm.NewRuntime(wasm.Options{})
	if err != nil {
		return nil, err
	}
	return &library{rt: rt, loaded: map[string]*module{}}, nil
}

func (l *library) close() error { return l.rt.Close() }

// get loads an embedded module (file empty) or a file, and remembers both success and failure.
func (l *library) get(name, file string, kind abi.Kind) *module {
	key := kind.String() + "\x00" + name + "\x00" + file
	if m := l.loaded[key]; m != nil {
		return m
	}
	m := &module{name: name}
	l.loaded[key] = m
	l.order = append(l.order, m)
	bin, err := readModule(name, file)
	if err != nil {
		m.err = err
		return m
	}
	if m.mod, m.err = l.rt.Load(name, bin, kind); m.err != nil {
		return m
	}
	m.size = len(bin)
	sum := m.mod.Hash()
	m.hash = hex.EncodeToString(sum[:])
	m.desc, m.err = m.mod.Describe()
	return m
}

func readModule(name, file string) ([]byte, error) {
	if file == "" {
		return plugins.Module(name)
	}
	bin, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", file)
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return bin, nil
}

// trimLoad takes the words off a load error that the key says already.
func trimLoad(err error) string {
	return strings.TrimPrefix(err.Error(), "wasm: ")
}
