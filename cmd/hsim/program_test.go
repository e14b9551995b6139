package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program is a scenario that runs a test program of host/guest.
func program(t *testing.T, name, more string) string {
	t.Helper()
	file, err := filepath.Abs("../../host/guest/testdata/programs/" + name + ".wasm")
	require.NoError(t, err)
	return write(t, "[cluster]\nprofile = \"a3\"\ndevices = 2\n[[run]]\nprogram = \""+filepath.ToSlash(file)+"\"\n"+more)
}

func TestPrograms(t *testing.T) {
	r := hsim(t, program(t, "hello", ""), "run")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, "[0] Ascend910_9391, 2 devices, rank 0 of 2, 0 arguments: copies agree\n")
	assert.Contains(t, r.stdout, "[1] Ascend910_9391, 2 devices, rank 1 of 2, 0 arguments: copies agree\n")
	assert.Regexp(t, `program hello, 2 processes: [\d.]+ us, success`, r.stdout)

	r = hsim(t, program(t, "hello", "processes = 1\nargs = [\"5\"]\n"), "run", "--json")
	require.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "Ascend910_9391, 2 devices, rank 0 of 1, 1 arguments: copies agree\n", "stdout is the report alone")
	assert.Contains(t, r.stderr, "hsim: hello: exited with status 5\n")
	var report struct {
		Outcome  string
		Variants []struct {
			Rows []struct {
				Op        string
				Check     string
				Processes []struct{ Rank, Pid, Exit int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, "failed", report.Outcome)
	require.Len(t, report.Variants[0].Rows[0].Processes, 1)
	assert.Equal(t, 5, report.Variants[0].Rows[0].Processes[0].Exit)

	r = hsim(t, program(t, "ends", "processes = 1\nargs = [\"memory\"]\n"), "run")
	require.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "hsim: ends: stopped: program ends: access outside its memory in main")

	r = hsim(t, program(t, "ends", "processes = 1\nargs = [\"deadlock\"]\n"), "run")
	require.Equal(t, 3, r.code)
	assert.Contains(t, r.stderr, "ends / thread 2 waits for the mutex at 0x")
}

func TestInspectProgram(t *testing.T) {
	r := hsim(t, "../..", "plugin", "inspect", "examples/programs/allreduce/allreduce.wasm")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Regexp(t, `(?m)^hsim_hccl_v1 +HcclGetRootInfo, HcclGetErrorString, HcclCommInitRootInfo`, r.stdout)
	assert.Regexp(t, `(?m)^kind +program, version 1`, r.stdout)
}

func TestInterfaces(t *testing.T) {
	r := hsim(t, ".", "interfaces", "--json")
	require.Equal(t, 0, r.code, r.stderr)
	var rows []interfaceRow
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &rows))
	byName := map[string]interfaceRow{}
	for _, x := range rows {
		byName[x.Name] = x
		assert.NotEmpty(t, x.Group, x.Name)
		assert.NotEmpty(t, x.Signature, x.Name)
	}
	assert.Equal(t, "aclrtReleaseMemAddress", byName["ReleaseMemAddress"].Real)
	assert.Equal(t, "hsim_rt_v1", byName["lrtWaitAndResetNotify"].Module)
	assert.Equal(t, "ccu", byName["rtCcuBufAlloc"].Group)
	assert.Empty(t, byName["rtCcuBufAlloc"].Real)

	r = hsim(t, ".", "interfaces", "--group", "callback,ccu")
	require.Equal(t, 0, r.code)
	assert.Contains(t, r.stdout, "rtSubscribeReport")
	assert.NotContains(t, r.stdout, "aclrtMalloc ")
	r = hsim(t, ".", "interfaces", "--group", "nothing")
	require.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "hsim interfaces: --group nothing: want one of [device context stream")
}

// Without a compiler the commands say what to install.
func TestCompilerIsMissing(t *testing.T) {
	for _, c := range []struct{ use, clang, packages string }{
		{"cc", "clang", "clang lld wasi-libc libclang-rt-dev-wasm32"},
		{"c++", "clang++", "clang lld wasi-libc libclang-rt-dev-wasm32 libc++-dev-wasm32"},
	} {
		r := command(t, t.TempDir(), []string{"PATH=" + t.TempDir()}, c.use, "x.c")
		require.Equal(t, 1, r.code)
		assert.Contains(t, r.stderr, "hsim "+c.use+": build: compiler of programs: got no ")
		assert.Contains(t, r.stderr, c.packages)
	}
	r := hsim(t, ".", "cc")
	require.Equal(t, 2, r.code)
	assert.Equal(t, "hsim cc: got no arguments, want sources (try `hsim help cc`)\n", r.stderr)
}

func TestCompiler(t *testing.T) {
	_, err := exec.LookPath("clang")
	if _, lib := os.Stat("/usr/lib/wasm32-wasi/libc++.a"); err != nil || lib != nil {
		if os.Getenv("HSIM_CHECK") != "" {
			t.Fatal("clang and the C and C++ libraries for WebAssembly are needed")
		}
		t.Skip("clang or the libraries for WebAssembly are not installed")
	}
	dir := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	put("part.h", "int part(void);\n")
	put("part.c", "#include \"part.h\"\nint part(void) { return 42; }\n")
	put("main.c", "#include \"acl/acl.h\"\n#include \"part.h\"\n#include <stdio.h>\nint main(void) { uint32_t n; aclrtGetDeviceCount(&n); printf(\"%d on %u\\n\", part(), (unsigned)n); return 0; }\n")
	put("main.cpp", "#include <mutex>\n#include <thread>\n#include <cstdio>\nint main() { std::mutex m; std::thread t([&] { std::lock_guard<std::mutex> g(m); puts(\"thread\"); }); t.join(); }\n")
	put("wrong.c", "int main(void) { return nothing; }\n")
	put("sim.toml", "[cluster]\nprofile = \"ideal\"\ndevices = 2\n[[run]]\nprogram = \"main.wasm\"\nprocesses = 1\n[[run]]\nprogram = \"cxx.wasm\"\nprocesses = 1\n")

	// As the build lines of real projects are: objects first, libraries of the real system.
	r := hsim(t, dir, "cc", "-O1", "-c", "part.c", "-o", "part.o")
	require.Equal(t, 0, r.code, r.stderr)
	r = hsim(t, dir, "cc", "-Wall", "main.c", "part.o", "-lascendcl", "-lhccl", "-pthread")
	require.Equal(t, 0, r.code, r.stderr)
	r = hsim(t, dir, "c++", "-std=c++17", "main.cpp", "-o", "cxx.wasm")
	require.Equal(t, 0, r.code, r.stderr)
	r = hsim(t, dir, "run")
	require.Equal(t, 0, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.stdout, "42 on 2\nthread\n"), r.stdout)

	r = hsim(t, dir, "cc", "wrong.c")
	require.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "use of undeclared identifier 'nothing'")
	assert.NoFileExists(t, filepath.Join(dir, "wrong.wasm"))
}
