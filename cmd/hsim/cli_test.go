package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// binary is the program under test, built once: exit codes and signals are those of a process.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hsim-cli-*")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "hsim")
	build := exec.Command("go", "build", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		panic("build: " + err.Error() + "\n" + string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

type result struct {
	code           int
	stdout, stderr string
}

// hsim runs the program in dir.
func hsim(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return command(t, dir, nil, args...)
}

func command(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// write puts a sim.toml into a new directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte(text), 0o600))
	return dir
}

const repository = "../.."

const small = "[cluster]\nprofile = \"ideal\"\ndevices = 4\n[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB..4KiB x2\"\n"
