package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"hsim/abi"
)

// wasi builds the WASI module at first use. What it may reach is decided per instance: virtual clock, seeded random,
// output to the log, no files, no network.
func (r *Runtime) wasi() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hosts[abi.WASIModule] != nil {
		return nil
	}
	if _, err := wasi_snapshot_preview1.Instantiate(context.Background(), r.rt); err != nil {
		return fmt.Errorf("wasm: build import module %s: %w", abi.WASIModule, err)
	}
	r.hosts[abi.WASIModule] = &hostModule{}
	return nil
}

// wasiFuncs returns the signatures of WASI preview 1 as this engine offers them.
func (r *Runtime) wasiFuncs() (map[string]Export, error) {
	b := r.rt.NewHostModuleBuilder(abi.WASIModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	compiled, err := b.Compile(context.Background())
	if err != nil {
		return nil, fmt.Errorf("wasm: build import module %s: %w", abi.WASIModule, err)
	}
	defer func() { _ = compiled.Close(context.Background()) }()
	out := map[string]Export{}
	for _, e := range exportsOf(compiled) {
		out[e.Name] = e
	}
	return out, nil
}

// newRandomReader returns the bytes that random_get hands out.
func newRandomReader(seed uint64) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "hsim random_get")
	return rand.NewChaCha8(key)
}

// lines sends what a guest prints to the log, line by line.
type lines struct {
	to   func(line string)
	rest []byte
	last string // what a language's runtime said when it gave up
}

const longestLine = 64 << 10

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i > longestLine || i < 0 && len(l.rest) > longestLine {
			i = longestLine
		}
		if i < 0 {
			return len(p), nil
		}
		line := string(l.rest[:i])
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			l.last = line
		}
		l.to(line)
		if i < len(l.rest) && l.rest[i] == '\n' {
			i++
		}
		l.rest = append(l.rest[:0], l.rest[i:]...)
	}
}

// flush logs an unfinished last line.
func (l *lines) flush() {
	if len(l.rest) > 0 {
		l.to(string(l.rest))
		l.rest = l.rest[:0]
	}
}
