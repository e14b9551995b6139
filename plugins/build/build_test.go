package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// needClang14 skips where the compiler that the committed modules come from is not installed; another version gives
// other bytes. HSIM_CHECK=1 (make check) makes the absence an error.
func needClang14(t *testing.T) {
	t.Helper()
	path, err := Clang()
	if err == nil {
		var out []byte
		if out, err = exec.Command(path, "--version").Output(); err == nil && strings.Contains(string(out), "clang version 14.") {
			return
		}
	}
	if os.Getenv("HSIM_CHECK") != "" {
		t.Fatalf("clang 14 is needed: %v", err)
	}
	t.Skipf("clang 14 is not installed: %v", err)
}

func TestModulesAreReproducible(t *testing.T) {
	needClang14(t)
	require.NoError(t, Check("../.."))
}

// TestHeaderLayout lets the compiler prove that C places every field where the tables do.
func TestHeaderLayout(t *testing.T) {
	needClang14(t)
	path, err := Clang()
	require.NoError(t, err)
	for _, kind := range []string{"KERNEL", "CCU", "TRANSPORT", "ALGORITHM"} {
		out, err := exec.Command(path, "--target=wasm32", "-Wall", "-Wextra", "-Werror", "-DHSIM_KIND_"+kind, "-fsyntax-only",
			"-I", "../../abi/include", "../../abi/testdata/layout.c").CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

func TestStaleTargetsAreFound(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	stale := func() []string {
		list, err := Stale(root)
		require.NoError(t, err)
		var out []string
		for _, s := range list {
			out = append(out, s.Module)
		}
		return out
	}
	write("plugins/a/x.c", "int x;")
	write("plugins/a/y.c", "int y;")
	write("plugins/b/z.c", "int z;")
	write("plugins/lib/l.h", "")
	write("host/h/testdata/t.c", "int t;")
	require.Equal(t, []string{"host/h/testdata/t.wasm", "plugins/a/a.wasm", "plugins/b/b.wasm"}, stale(), "never compiled")

	sums := ""
	targets, err := Targets(root)
	require.NoError(t, err)
	for _, target := range targets {
		write(target.Module, target.Module)
		s, err := target.Sum(root)
		require.NoError(t, err)
		sums += s.Sources + " " + s.Module + " " + s.Path + "\n"
	}
	write(SumsFile, sums)
	require.Empty(t, stale())
	write("plugins/a/x.c", "int xx;")
	require.Equal(t, []string{"plugins/a/a.wasm"}, stale(), "changed source")
	write("plugins/a/x.c", "int x;")
	write("plugins/b/b.wasm", "3")
	require.Equal(t, []string{"plugins/b/b.wasm"}, stale(), "changed module")
	write("plugins/b/b.wasm", "plugins/b/b.wasm")
	write("plugins/b/own.h", "int z;")
	require.Equal(t, []string{"plugins/b/b.wasm"}, stale(), "new header")
	write("plugins/lib/l.h", "int z;")
	require.Len(t, stale(), 3, "changed shared header")

	write(SumsFile, "one two\n")
	_, err = Stale(root)
	require.ErrorContains(t, err, "SUMS line 1: got 2 fields, want sources, module and path")
}

func TestCompilerIsNamedWhenMissing(t *testing.T) {
	t.Setenv("HSIM_CLANG", "no-such-clang")
	err := C(filepath.Join(t.TempDir(), "x.wasm"), []string{"x.c"}, nil)
	require.ErrorContains(t, err, "got no no-such-clang on the path, want clang 14 or newer with wasm-ld")
}

func TestGoPluginsBuildInsideAndOutsideTheRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the Go runtime for WebAssembly")
	}
	source, err := os.ReadFile("../../examples/kernel-go/main.go")
	require.NoError(t, err)
	dir := func(mod string) string {
		d := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(d, "main.go"), source, 0o600))
		if mod != "" {
			require.NoError(t, os.WriteFile(filepath.Join(d, "go.mod"), []byte(mod), 0o600))
		}
		return d
	}
	for name, d := range map[string]string{
		"inside":          "../../examples/kernel-go",
		"no module":       dir(""),
		"a user's module": dir("module example.invalid/mine\n\ngo 1.25.0\n"),
	} {
		out := filepath.Join(t.TempDir(), "k.wasm")
		require.NoError(t, Dir(out, d), name)
		bin, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Contains(t, string(bin), "hsim_kernel_go_scale", name)
	}

	broken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(broken, "main.go"), []byte("package main\n\nfunc main() { nonsense() }\n"), 0o600))
	out := filepath.Join(broken, "k.wasm")
	require.ErrorContains(t, Dir(out, broken), "undefined: nonsense")
	require.NoFileExists(t, out)
	require.ErrorContains(t, Dir(out, t.TempDir()), "got a directory without *.c and without *.go")
}

func TestCPluginsBuildWithTheCompilersWords(t *testing.T) {
	if _, err := Clang(); err != nil {
		needClang14(t)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.c"), []byte("#include \"hsim.h\"\n#include \"psn.h\"\nHSIM_MODULE(kernel, 0)\nHSIM_BUFFER(9)\n"), 0o600))
	out := filepath.Join(dir, "k.wasm")
	require.NoError(t, Dir(out, dir))
	bin, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(bin), "hsim_abi_kernel_v1")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.c"), []byte("int f(void) { return nonsense; }\n"), 0o600))
	require.ErrorContains(t, Dir(filepath.Join(dir, "l.wasm"), dir), "use of undeclared identifier 'nonsense'")
	require.NoFileExists(t, filepath.Join(dir, "l.wasm"))
	left, err := filepath.Glob(filepath.Join(dir, ".hsim*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// needPrograms skips where the libraries of programs are not installed.
func needPrograms(t *testing.T) {
	t.Helper()
	needClang14(t)
	if _, err := os.Stat("/usr/lib/wasm32-wasi/libc++.a"); err != nil {
		if os.Getenv("HSIM_CHECK") != "" {
			t.Fatalf("the C and C++ libraries for WebAssembly are needed: %v", err)
		}
		t.Skipf("the C and C++ libraries for WebAssembly are not installed: %v", err)
	}
}

// TestProgramHeaders compiles every header of programs alone, as C and as C++, without a warning.
func TestProgramHeaders(t *testing.T) {
	needPrograms(t)
	dir := t.TempDir()
	text := ""
	for _, h := range []string{"acl/acl.h", "acl/acl_rt.h", "acl/acl_base.h", "acl/acl_prof.h", "hccl/hccl.h", "hccl/hccl_types.h", "hsim_rt.h", "hsim_sys.h", "mpi.h", "pthread.h"} {
		for _, lang := range []Lang{LangC, LangCXX} {
			file := filepath.Join(dir, "one"+[]string{".c", ".cc"}[lang])
			require.NoError(t, os.WriteFile(file, []byte("#include \""+h+"\"\n"), 0o600))
			out, err := CC(lang, []string{"-Wall", "-Wextra", "-Werror", "-fsyntax-only", file})
			require.NoError(t, err, "%s %s", h, out)
		}
		text += "#include \"" + h + "\"\n"
	}
	for _, h := range []string{"thread", "mutex", "condition_variable"} {
		for _, std := range []string{"-std=c++11", "-std=c++17", "-std=c++20"} {
			file := filepath.Join(dir, "one.cc")
			require.NoError(t, os.WriteFile(file, []byte("#include <"+h+">\n"+text), 0o600))
			out, err := CC(LangCXX, []string{"-Wall", "-Werror", std, "-fsyntax-only", file})
			require.NoError(t, err, "%s %s %s", h, std, out)
		}
	}
}

// TestThreadVariables holds that a program is told where it has variables that are meant to be one for each thread, and only
// there; with destructors they still link.
func TestThreadVariables(t *testing.T) {
	needPrograms(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.c":  "#include <errno.h>\n#include <stdio.h>\nstatic _Thread_local int x;\nint main(void) { return x + errno; }\n",
		"two.c":  "static __thread int x;\nint main(void) { return x; }\n",
		"one.cc": "#include <iostream>\n#include <string>\n#include <thread>\nthread_local std::string x;\nint main() { return (int)x.size(); }\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := CC(LangC, []string{file, "-o", file + ".wasm"})
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(out, "warning: this variable is one for all threads"), out)
		require.Contains(t, out, name+":"+strconv.Itoa(strings.Count(text[:strings.Index(text, "x;")], "\n")+1)+":")
	}
}
