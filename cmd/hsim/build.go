package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hsim/abi"
	"hsim/host/record"
	"hsim/host/wasm"
)

// clangFlags make a module without a C library: SIMD and bulk memory are part of the ABI, the stack is small because
// every block of a kernel has its own copy.
var clangFlags = []string{"--target=wasm32", "-std=c11", "-O2", "-msimd128", "-mbulk-memory", "-ffreestanding", "-nostdlib", "-Wall", "-Werror",
	"-Wl,--no-entry", "-Wl,--strip-debug", "-Wl,-z,stack-size=8192"}

// buildPlugin compiles a directory and writes the module when it passes the check, whole or not at all.
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
	cmd, err := compiler(dir, tmp, module)
	if err != nil {
		return err
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return buildError(cmd, string(text), err)
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

// compiler returns the command that makes module from the sources in dir.
func compiler(dir, tmp, module string) (*exec.Cmd, error) {
	sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		return nil, fmt.Errorf("hsim plugin build: %w", err)
	}
	if len(sources) > 0 {
		if err := os.WriteFile(filepath.Join(tmp, "hsim.h"), []byte(abi.Header()), 0o600); err != nil {
			return nil, fmt.Errorf("hsim plugin build: %w", err)
		}
		args := append([]string{}, clangFlags...)
		// The directory beside DIR holds the headers that plugins share.
		args = append(args, "-I"+tmp, "-I"+dir, "-I"+filepath.Join(filepath.Dir(filepath.Clean(dir)), "lib"), "-o", module)
		return exec.Command("clang", append(args, sources...)...), nil
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) > 0 {
		cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "-o", module, ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
		return cmd, nil
	}
	return nil, fmt.Errorf("hsim plugin build: %s holds no *.c and no *.go file", dir)
}

func buildError(cmd *exec.Cmd, text string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("hsim plugin build: %s is not installed (Debian: apt-get install clang lld)", cmd.Args[0])
	}
	return fmt.Errorf("hsim plugin build: %s failed: %w\n%s", cmd.Args[0], err, strings.TrimSpace(text))
}
