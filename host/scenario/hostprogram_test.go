package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const programs = "../guest/testdata/programs/"

// runProgram runs a text in which PROGRAM stands for a path in the test programs' directory.
func runProgram(t *testing.T, text string) (*Report, []string) {
	t.Helper()
	dir, err := filepath.Abs(programs)
	require.NoError(t, err)
	sc, err := LoadText("sim.toml", dir, text, Options{})
	require.NoError(t, err)
	var out []string
	r, err := Run(context.Background(), sc, Hooks{Print: func(rank, processes int, stderr bool, line string) {
		out = append(out, fmt.Sprintf("%d/%d %v %s", rank, processes, stderr, line))
	}})
	require.NoError(t, err)
	return r, out
}

const small4 = "[cluster]\nprofile = \"a3\"\nservers = 2\ndevices = 2\ntopology = \"clos\"\n"

func TestProgramPerRank(t *testing.T) {
	r, out := runProgram(t, small4+"[[run]]\nprogram = \"mpi.wasm\"\n")
	require.Equal(t, OutcomeOK, r.Outcome)
	var want []string
	for rank := range 4 {
		want = append(want, fmt.Sprintf("%d/4 false from rank 2, squares 14, most 9, server%d at 30 us", rank, rank/2))
	}
	assert.ElementsMatch(t, want, out)
	row := r.Variants[0].Rows[0]
	require.Len(t, row.Processes, 4)
	assert.Equal(t, ProcessReport{Rank: 3, Pid: 1003, EndUS: row.TimeUS}, row.Processes[3])
	assert.Equal(t, Success, row.Check)
}

func TestProgramProcesses(t *testing.T) {
	r, out := runProgram(t, small4+"[env]\nHCCL_BUFFSIZE = \"10\"\n[[run]]\nprogram = \"hello.wasm\"\nprocesses = 3\nargs = [\"0\"]\n[[run]]\nop = \"all_reduce\"\n")
	require.Equal(t, OutcomeOK, r.Outcome)
	require.Len(t, out, 3)
	assert.Contains(t, out, "2/3 false Ascend910_9391, 2 devices, rank 2 of 3, 1 arguments: copies agree")
	require.Len(t, r.Variants[0].Rows, 2, "operations and programs share a simulation")
	assert.Equal(t, Success, r.Variants[0].Rows[1].Check)
}

func TestProgramsThatFail(t *testing.T) {
	for _, c := range []struct {
		args    string
		outcome Outcome
		errors  string
	}{
		{`["thread"]`, OutcomeFailed, "ends: exited with status 9"},
		{`["abort"]`, OutcomeFailed, "ends: stopped: program ends: unreachable instruction (the guest gave up) in abort < main"},
		{`["deadlock"]`, OutcomeStalled, ""},
	} {
		r, _ := runProgram(t, small4+"[[run]]\nprogram = \"ends.wasm\"\nprocesses = 1\nargs = "+c.args+"\n")
		assert.Equal(t, c.outcome, r.Outcome, c.args)
		if c.errors != "" {
			require.Len(t, r.Variants[0].Errors, 1)
			assert.Contains(t, r.Variants[0].Errors[0], c.errors)
			assert.Equal(t, Failed, r.Variants[0].Rows[0].Check)
		}
	}
	// A program that fails leaves nothing behind: the next run works.
	r, _ := runProgram(t, small4+"[[run]]\nprogram = \"ends.wasm\"\nargs = [\"abort\"]\n[[run]]\nprogram = \"hello.wasm\"\n")
	assert.Equal(t, OutcomeFailed, r.Outcome)
	require.Len(t, r.Variants[0].Rows, 2)
	assert.Equal(t, Success, r.Variants[0].Rows[1].Check)
	assert.Contains(t, r.Variants[0].Errors[0], "rank 3 stopped: ")
}

func TestProgramLeaks(t *testing.T) {
	r, _ := runProgram(t, small4+"[[run]]\nprogram = \"ends.wasm\"\nprocesses = 1\nleaks = true\nargs = [\"leak\"]\n")
	require.Equal(t, OutcomeOK, r.Outcome)
	require.Equal(t, []string{"ends: process 0 ended without giving back 2 streams; 1 events; 1 notifies; 1 pieces of device memory, 1000 bytes; 1 pieces of page-locked memory, 24 bytes"},
		r.Variants[0].Warnings)
}

func TestProgramSettings(t *testing.T) {
	r, out := runProgram(t, strings.Replace(small4, "devices = 2", "devices = 2\nvisible = [1]", 1)+
		"[[run]]\nprogram = \"handles.wasm\"\nprocesses = 1\nenv = [\"ASCEND_SLOG_PRINT_TO_STDOUT=1\"]\n")
	require.Equal(t, OutcomeOK, r.Outcome)
	assert.Contains(t, out, "0/1 true [ERROR] acl: aclrtSetDevice: ACL_ERROR_RT_INVALID_DEVICEID (107001): got device 7, want 0..0, the devices visible to handles")
}

func TestBadPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"program = \"nothing.wasm\"":                          "(try `hsim cc` or `hsim c++` to build it)",
		"program = \"hello.c\"":                               "run[0].program = \"hello.c\": want the path of a .wasm file (try `hsim cc hello.c` to make one of C sources)",
		"program = \"hello.wasm\"\nsizes = \"1KiB\"":          "run[0].sizes = \"1KiB\": has no meaning for the program hello.wasm",
		"program = \"hello.wasm\"\nop = \"all_reduce\"":       "run[0].program = \"hello.wasm\": a run has an op, a kernel or a program, not several",
		"program = \"hello.wasm\"\nprocesses = 0":             "run[0].processes = 0: want a whole number from 1 to 65536",
		"program = \"hello.wasm\"\nprocesses = \"all\"":       "run[0].processes = \"all\": got a text, want a whole number from 1 to 65536",
		"program = \"hello.wasm\"\nenv = [\"A\"]":             "run[0].env = [\"A\"]: got \"A\", want NAME=value",
		"program = \"../../../../plugins/ub/ub.wasm\"":        "run[0].program = \"../../../../plugins/ub/ub.wasm\": load plugin ub as program: got a plugin (exports hsim_abi_transport_v1)",
		"op = \"all_reduce\"\nprocesses = 3":                  "run[0].processes = 3: has no meaning for the op all_reduce",
		"op = \"all_reduce\"\n[cluster]\nvisible = [0, 8]":    "cluster.visible = [0, 8]: a server has devices 0 to 7",
		"op = \"all_reduce\"\n[cluster]\nvisible = [0, 1, 0]": "cluster.visible = [0, 1, 0]: device 0 is there twice",
	} {
		dir, err := filepath.Abs(programs)
		require.NoError(t, err)
		sc, err := LoadText("sim.toml", dir, "[[run]]\n"+text+"\n", Options{})
		if err == nil {
			_, err = Run(context.Background(), sc, Hooks{})
		}
		require.ErrorContains(t, err, want, text)
	}
}

// Programs have all the streams of a device: the scenario itself takes none before it measures.
func TestProgramHasAllStreams(t *testing.T) {
	r, out := runProgram(t, small4+"[[run]]\nprogram = \"cases.wasm\"\nargs = [\"streams\"]\nprocesses = 1\n")
	require.Equal(t, OutcomeOK, r.Outcome)
	assert.Contains(t, out, "0/1 false 1982 streams were left, 1982 made", "of 1984, beside the default one and one of the program's")
}
