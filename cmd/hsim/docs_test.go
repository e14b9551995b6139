package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/scenario"
)

// update rewrites what the documentation quotes from the program: HSIM_UPDATE=1 go test ./cmd/hsim -run Docs
var update = os.Getenv("HSIM_UPDATE") != ""

func pages(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	require.NoError(t, err)
	return append(docs, filepath.Join(repository, "README.md"), filepath.Join(repository, "examples", "README.md"))
}

var (
	shBlock   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")
	textBlock = regexp.MustCompile("(?s)```text\n(.*?)```")
)

// Every command that the documentation shows is run, in a copy of what it needs.
func TestDocsCommandsRun(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.Symlink(binary, filepath.Join(bin, "hsim")))
	_, noClang := exec.LookPath("clang")
	_, noLibrary := os.Stat("/usr/lib/wasm32-wasi/libc.a") // of programs
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := shBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"sim.toml", "plugins", "examples", "docs"} {
				copyTree(t, filepath.Join(repository, name), filepath.Join(dir, name))
			}
			// The kernel page walks through a file of its own.
			if m := tomlBlock.FindStringSubmatch(string(text)); m != nil && strings.Contains(m[1], "mykernel.wasm") {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "mykernel.toml"), []byte(m[1]), 0o600))
			}
			for _, b := range blocks {
				script := prepareScript(t, b[1])
				program := strings.Contains(script, "hsim cc") || strings.Contains(script, "hsim c++")
				if noClang != nil && strings.Contains(script, "plugin build") || (noClang != nil || noLibrary != nil) && program {
					t.Logf("not run, there is no clang here:\n%s", script)
					continue
				}
				cmd := exec.Command("sh", "-e", "-c", script)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				assert.NoError(t, err, "%s\n%s", script, out)
				if _, err := os.Stat(filepath.Join(dir, "mykernel.toml")); err == nil {
					_ = os.Rename(filepath.Join(dir, "mykernel.toml"), filepath.Join(dir, "mykernel", "my.toml"))
				}
			}
		})
	}
}

// prepareScript lets the built program stand for `go run ./cmd/hsim`, and checks make targets without making them: one
// of them is this test.
func prepareScript(t *testing.T, block string) string {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)
	var lines []string
	for _, l := range strings.Split(block, "\n") {
		if target, ok := strings.CutPrefix(l, "make "); ok {
			assert.Regexp(t, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(target)+`:`), string(makefile))
			continue
		}
		lines = append(lines, strings.Replace(l, "go run ./cmd/hsim", "hsim", 1))
	}
	return strings.Join(lines, "\n")
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o600)
	}))
}

// The table in the README is what the command prints on a terminal of 120 columns.
func TestDocsReadmeTable(t *testing.T) {
	r := command(t, repository, []string{"COLUMNS=120"}, "run", "sim.toml")
	require.Equal(t, 0, r.code, r.stderr)
	parts := strings.SplitN(r.stdout, "\n\n", 3)
	require.Len(t, parts, 3)
	want := parts[0] + "\n\n" + parts[1] + "\n"
	quoted(t, filepath.Join(repository, "README.md"), textBlock, "```text\n"+want+"```")
}

// What docs/network.md quotes of a run with faults.
func TestDocsNetwork(t *testing.T) {
	page := filepath.Join(repository, "docs", "network.md")
	gone := hsim(t, repository, "run", "examples/network/sim.toml", "--variant", "gone")
	require.Equal(t, 1, gone.code)
	first, _, _ := strings.Cut(gone.stderr, "\n")
	quoted(t, page, regexp.MustCompile("(?s)```text\nhsim: gone.*?```"), "```text\n"+first+"\n```")
	slow := hsim(t, repository, "run", "examples/network/sim.toml", "--variant", "slow")
	require.Equal(t, 0, slow.code, slow.stderr)
	_, busiest, ok := strings.Cut(slow.stdout, "\n\nnetwork\n")
	require.True(t, ok, slow.stdout)
	quoted(t, page, regexp.MustCompile("(?s)```text\nnetwork.*?```"), "```text\nnetwork\n"+busiest+"```")
}

func TestDocsReference(t *testing.T) {
	path := filepath.Join(repository, "docs", "sim-toml.md")
	if update {
		require.NoError(t, os.WriteFile(path, []byte(scenario.Reference()), 0o600))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, scenario.Reference(), string(got), "run go generate ./cmd/hsim")
}

// quoted holds that the first match of block in a page is text.
func quoted(t *testing.T, page string, block *regexp.Regexp, text string) {
	t.Helper()
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	at := block.FindIndex(old)
	require.NotNil(t, at, page)
	if update {
		b := bytes.Join([][]byte{old[:at[0]], []byte(text), old[at[1]:]}, nil)
		require.NoError(t, os.WriteFile(page, b, 0o600))
		return
	}
	assert.Equal(t, text, string(old[at[0]:at[1]]), "%s is not what the program prints (HSIM_UPDATE=1 go test ./cmd/hsim -run Docs)", page)
}

var link = regexp.MustCompile(`\]\(([^)#]+)`)

// No page refers to a file that is not there.
func TestDocsLinks(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			assert.FileExists(t, existing(filepath.Join(filepath.Dir(page), m[1])), "%s refers to %s", page, m[1])
		}
	}
}

// existing returns a file for a directory that is there, so that one assertion serves both.
func existing(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if !e.IsDir() {
				return filepath.Join(path, e.Name())
			}
		}
	}
	return path
}
