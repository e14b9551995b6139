package build

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hsim/abi"
)

// Lang is the language of a program.
type Lang uint8

// The languages that clang compiles.
const (
	LangC Lang = iota
	LangCXX
)

// Packages are what programs need, as Debian names it.
const (
	Packages    = "clang lld wasi-libc libclang-rt-dev-wasm32"
	PackagesCXX = Packages + " libc++-dev-wasm32 libc++abi-14-dev-wasm32"
)

// ProgramFlags returns how programs are compiled: a WASI command with the C library, names kept, and the emulations of that
// library that cost nothing unless they are used. C++ has no exceptions, which WebAssembly here does not have either. Bulk memory is
// off: with it this clang takes errno for a variable of threads, which it is not here.
func ProgramFlags(l Lang) []string {
	flags := []string{"--target=wasm32-wasi", "-O2", "-msimd128", "-mmutable-globals",
		"-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_MMAN", "-D_WASI_EMULATED_GETPID"}
	if l == LangCXX {
		flags = append(flags, "-fno-exceptions")
	}
	return flags
}

// threadVariables makes the compiler say where a program has variables that are meant to be one for each thread: this clang has
// them only where memory is shared between instances, and takes them for ordinary ones.
func threadVariables() (flags []string) {
	for _, word := range []string{"thread_local", "_Thread_local", "__thread"} {
		flags = append(flags, fmt.Sprintf(`-D%s=_Pragma("GCC warning \"this variable is one for all threads (pthread_key_create makes one for each)\"") %s`, word, word))
	}
	return flags
}

// LinkFlags returns how programs are linked: a stack of 256 KiB at the bottom of memory, where running out of it is a trap.
func LinkFlags() []string {
	return []string{"-Wl,-z,stack-size=262144", "-Wl,--stack-first", "-Wl,--strip-debug",
		"-lwasi-emulated-signal", "-lwasi-emulated-process-clocks", "-lwasi-emulated-mman"}
}

// imported are flags of real build lines that have no meaning here: the libraries are what a program imports.
var imported = []string{"-pthread", "-lpthread", "-lascendcl", "-lacl_rt", "-lhccl", "-lhcomm", "-lruntime", "-lmpi", "-lmpicxx", "-lmpi_cxx", "-lrt", "-ldl"}

// compilerOf finds clang for a language. $HSIM_CLANG names the C compiler; the C++ compiler is beside it.
func compilerOf(l Lang) (string, error) {
	name := os.Getenv("HSIM_CLANG")
	if name == "" {
		name = "clang"
	}
	want := Packages
	if l == LangCXX {
		dir, base := filepath.Split(name)
		name, want = dir+strings.Replace(base, "clang", "clang++", 1), PackagesCXX
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("build: compiler of programs: got no %s on the path (try apt-get install %s, or set HSIM_CLANG): %w", name, want, err)
	}
	return path, nil
}

// CC runs clang on a command line as users write it, with hsim's headers first and, when it links, with the sources that
// every program needs. Without -o a program is named after its first source. What the compiler says is the text.
func CC(l Lang, args []string) (text string, err error) {
	dir, err := os.MkdirTemp("", "hsim-cc-")
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, content := range abi.ProgramFiles() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", fmt.Errorf("build: %w", err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return "", fmt.Errorf("build: %w", err)
		}
	}
	return compileProgram(l, dir, args)
}

// isCXX tells C++ sources by their names, as clang does.
func isCXX(file string) bool {
	return slices.Contains([]string{".cc", ".cpp", ".cxx", ".C", ".c++"}, filepath.Ext(file))
}

// compileProgram puts the flags around a user's arguments and runs clang. root holds include and crt.
func compileProgram(l Lang, root string, args []string) (string, error) {
	if slices.ContainsFunc(args, isCXX) {
		l = LangCXX
	}
	if _, err := compilerOf(l); err != nil {
		return "", err
	}
	line := append(ProgramFlags(l), threadVariables()...)
	if l == LangCXX {
		line = append(line, "-I", filepath.Join(root, "include", "c++"))
	}
	line = append(line, "-I", filepath.Join(root, "include"))
	links, output, source := true, false, ""
	for _, a := range args {
		switch {
		case slices.Contains(imported, a):
			continue
		case a == "-c" || a == "-S" || a == "-E" || a == "-fsyntax-only" || strings.HasPrefix(a, "-M") || strings.HasPrefix(a, "-print") || a == "--version" || a == "-v" || a == "--help":
			links = false
		case strings.HasPrefix(a, "-o"):
			output = true
		case source == "" && !strings.HasPrefix(a, "-") && filepath.Ext(a) != "":
			source = a
		}
		line = append(line, a)
	}
	if !links {
		return runClang(l, "", line)
	}
	if source == "" {
		return "", fmt.Errorf("build: compile a program: got no source, want at least one file (try hsim cc main.c -o main.wasm)")
	}
	if !output {
		line = append(line, "-o", strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))+".wasm")
	}
	objects, err := os.MkdirTemp("", "hsim-crt-")
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	defer func() { _ = os.RemoveAll(objects) }()
	crt, err := startFiles(root, objects)
	if err != nil {
		return "", err
	}
	return runClang(l, "", append(append(line, crt...), LinkFlags()...))
}

// startFiles compiles what is linked to every program, apart from the user's flags, and returns the objects.
func startFiles(root, objects string) ([]string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	sources, err := filepath.Glob(filepath.Join(root, "crt", "*.c"))
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	line := append(ProgramFlags(LangC), "-I", filepath.Join(root, "include"), "-c")
	if _, err := runClang(LangC, objects, append(line, sources...)); err != nil {
		return nil, err
	}
	var out []string
	for _, s := range sources {
		out = append(out, filepath.Join(objects, strings.TrimSuffix(filepath.Base(s), ".c")+".o"))
	}
	return out, nil
}

// runClang runs the compiler in a directory; its text is also in the error.
func runClang(l Lang, dir string, line []string) (string, error) {
	compiler, err := compilerOf(l)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	cmd := exec.Command(compiler, line...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	out := strings.TrimSpace(text.String())
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, nil
	case !errors.As(err, &exit):
		return "", fmt.Errorf("build: compile a program: %w", err)
	}
	return out, fmt.Errorf("build: compile a program: %s failed:\n%s%s", filepath.Base(compiler), out, adviceOf(l, out))
}

// adviceOf tells what to install when the compiler misses its libraries.
func adviceOf(l Lang, text string) string {
	for _, sign := range []string{"stdio.h' file not found", "stdlib.h' file not found", "features.h' file not found", "crt1", "libclang_rt", "unable to find library -lc",
		"<iostream> file not found", "'iostream' file not found", "'vector' file not found", "'chrono' file not found", "unable to find library -lc++", "wasm-ld", "invalid linker name"} {
		if strings.Contains(text, sign) {
			want := Packages
			if l == LangCXX {
				want = PackagesCXX
			}
			return "\n(a library of the compiler seems to be missing: try apt-get install " + want + ")"
		}
	}
	return ""
}
