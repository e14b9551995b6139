package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hsim/host/record"
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
	if err := record.CheckPath(out); err != nil {
		return err
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
	var text bytes.Buffer
	if err := describe(&text, out, bin, ""); err != nil {
		return err
	}
	if err := record.WriteFile(out, func(f io.Writer) error { _, err := f.Write(bin); return err }); err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}
