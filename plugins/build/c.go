package build

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hsim/abi"
	"hsim/plugins"
)

// Flags returns how C plugins are compiled: no library, SIMD and bulk memory, names kept and debug information dropped,
// a small stack at the bottom of memory, where running out of it is a trap.
func Flags() []string {
	return []string{
		"--target=wasm32", "-O2", "-nostdlib", "-Wall", "-Wl,--no-entry",
		"-msimd128", "-mbulk-memory", "-mmutable-globals",
		"-Wl,--export=__stack_pointer", "-Wl,-z,stack-size=8192", "-Wl,--stack-first", "-Wl,--strip-debug",
	}
}

// Clang returns the path of the C compiler: $HSIM_CLANG, or clang on the path.
func Clang() (string, error) {
	name := os.Getenv("HSIM_CLANG")
	if name == "" {
		name = "clang"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("build: C compiler: got no %s on the path, want clang 14 or newer with wasm-ld (try the packages clang and lld, or set HSIM_CLANG): %w", name, err)
	}
	return path, nil
}

// C compiles sources into one module at out, with hsim.h, the headers of plugins/lib and the directories of include in
// reach. The file is written whole or not at all; the compiler's messages are in the error.
func C(out string, sources, include []string) error {
	headers, err := os.MkdirTemp("", "hsim-include-")
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", out, err)
	}
	defer func() { _ = os.RemoveAll(headers) }()
	files := plugins.Headers()
	files["hsim.h"] = abi.Header()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(headers, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("build: compile %s: %w", out, err)
		}
	}
	return clang(out, sources, append(append([]string{}, include...), headers))
}

// clang runs the compiler.
func clang(out string, sources, include []string) error {
	compiler, err := Clang()
	if err != nil {
		return err
	}
	return whole(out, func(tmp string) error {
		args := Flags()
		for _, dir := range include {
			args = append(args, "-I", dir)
		}
		args = append(append(args, sources...), "-o", tmp)
		return run(exec.Command(compiler, args...), strings.Join(sources, " "))
	})
}

// whole lets write make a file beside out and moves it there when that went well.
func whole(out string, write func(tmp string) error) error {
	dir, err := os.MkdirTemp(filepath.Dir(out), ".hsim-build-")
	if err != nil {
		return fmt.Errorf("build: write %s: %w", out, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tmp := filepath.Join(dir, "module.wasm")
	if err := write(tmp); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o644); err != nil {
		return fmt.Errorf("build: write %s: %w", out, err)
	}
	if err := os.Rename(tmp, out); err != nil {
		return fmt.Errorf("build: write %s: %w", out, err)
	}
	return nil
}

func run(cmd *exec.Cmd, what string) error {
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("build: compile %s: %s failed:\n%s", what, filepath.Base(cmd.Path), strings.TrimSpace(text.String()))
	}
	return fmt.Errorf("build: compile %s: %w", what, err)
}
