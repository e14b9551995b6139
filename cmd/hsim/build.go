package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hsim/host/record"
	"hsim/host/wasm"
	"hsim/plugins/build"
)

// buildPlugin compiles a directory, checks the module, and writes it when it passes: whole or not at all.
func buildPlugin(w io.Writer, dir, out string) error {
	out, err := pluginFile(dir, out)
	if err != nil {
		return fmt.Errorf("hsim plugin build: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("hsim plugin build: %w (want a directory with *.c or *.go)", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("hsim plugin build: %s is a file, want its directory (try %s)", dir, filepath.Dir(dir))
	}
	tmp, err := os.MkdirTemp("", "hsim-build-*")
	if err != nil {
		return fmt.Errorf("hsim plugin build: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	module := filepath.Join(tmp, "out.wasm")
	if err := build.Dir(module, dir); err != nil {
		return err
	}
	bin, err := os.ReadFile(module)
	if err != nil {
		return fmt.Errorf("hsim plugin build: %w", err)
	}
	rt, err := wasm.NewRuntime(wasm.Options{})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer func() { _ = rt.Close() }()
	m, err := loadAnyKind(rt, out, bin, "")
	if err != nil {
		return err
	}
	if err := record.WriteFile(out, func(f io.Writer) error { _, err := f.Write(bin); return err }); err != nil {
		return err
	}
	return describePlugin(w, m, len(bin))
}
