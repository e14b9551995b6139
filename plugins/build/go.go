package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hsim/abi"
)

// goVersion is what a module that the builder makes up asks for: wasmexport came with it.
const goVersion = "1.24"

// Dir compiles the C files of a directory, or the Go package in it, into one module at out.
func Dir(out, dir string) error {
	sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", dir, err)
	}
	if len(sources) > 0 {
		return C(out, sources, []string{dir})
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) > 0 {
		return Go(out, dir)
	}
	return fmt.Errorf("build: compile %s: got a directory without *.c and without *.go, want one with either", dir)
}

// Go compiles the Go package in dir into a module at out. Outside the repository the package may still import
// the packages of hsim/abi/guest: the builder brings them along; a directory without a go.mod is taken as a module of its own.
func Go(out, dir string) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("build: Go tool: got no go on the path, want Go %s or newer: %w", goVersion, err)
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", dir, err)
	}
	shown := dir // errors say what the user wrote
	dir, err = filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", dir, err)
	}
	tmp, err := os.MkdirTemp("", "hsim-go-")
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", dir, err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	env, dir, err := workspace(tool, tmp, dir)
	if err != nil {
		return fmt.Errorf("build: compile %s: %w", dir, err)
	}
	return whole(out, func(file string) error {
		cmd := exec.Command(tool, "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), append(env, "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")...)
		return run(cmd, shown)
	})
}

// workspace finds out which module dir belongs to, and makes hsim/abi/guest reachable from it. It returns what to add to
// the environment and where to build.
func workspace(tool, tmp, dir string) (env []string, at string, err error) {
	cmd := exec.Command(tool, "env", "GOMOD", "GOVERSION")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		return nil, dir, fmt.Errorf("go env: %w", err)
	}
	mod, version, _ := strings.Cut(strings.TrimRight(string(text), "\r\n"), "\n")
	version = goOf(version)
	if mod != "" && mod != os.DevNull {
		contents, err := os.ReadFile(mod)
		if err != nil {
			return nil, dir, err
		}
		if strings.HasPrefix(string(contents), "module hsim\n") {
			return nil, dir, nil
		}
		return use(tmp, dir, filepath.Dir(mod), version)
	}
	// No module: a copy becomes one.
	at = filepath.Join(tmp, "plugin")
	if err := copyFiles(at, dir); err != nil {
		return nil, dir, err
	}
	if err := os.WriteFile(filepath.Join(at, "go.mod"), []byte("module plugin.invalid\n\ngo "+goVersion+"\n"), 0o600); err != nil {
		return nil, dir, err
	}
	return use(tmp, at, at, version)
}

// goOf turns what the Go tool says of itself into a version for a go line: the workspace must not be older than its
// modules.
func goOf(version string) string {
	f := strings.Fields(version)
	if len(f) == 0 || !strings.HasPrefix(f[0], "go1.") {
		return goVersion
	}
	return f[0][2:]
}

// use writes a workspace of the module at root and a module hsim with the guest packages.
func use(tmp, dir, root, version string) (env []string, at string, err error) {
	sdk := filepath.Join(tmp, "hsim")
	files := map[string]string{
		filepath.Join(sdk, "go.mod"):  "module hsim\n\ngo " + goVersion + "\n",
		filepath.Join(tmp, "go.work"): fmt.Sprintf("go %s\n\nuse (\n\t%q\n\t%q\n)\n", version, root, sdk),
	}
	for name, text := range abi.GuestSources() {
		files[filepath.Join(sdk, "abi", "guest", filepath.FromSlash(name))] = text
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, dir, err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, dir, err
		}
	}
	return []string{"GOWORK=" + filepath.Join(tmp, "go.work")}, dir, nil
}

func copyFiles(to, from string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
