package guest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden compares what a program printed with a file; HSIM_UPDATE=1 writes it.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	text := strings.Join(lines, "\n") + "\n"
	if os.Getenv("HSIM_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

func TestHandles(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3", devices: 2})
	var lines []string
	for _, l := range r.ran(r.job(r.program("handles"), 1)) {
		lines = append(lines, strings.TrimPrefix(l, "0 "))
	}
	golden(t, "handles.txt", lines)
}

func TestWindow(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3"})
	require.Equal(t, []string{
		"0 20 pieces of 100 MiB",
		"0 acl: aclrtMalloc: ACL_ERROR_RT_MEMORY_ALLOCATION (207001): 104857600 bytes do not fit into the program's window of device addresses, " +
			"whose largest piece has 50320896 bytes left of 2147483136 (a 32-bit program sees 2 GiB; larger sizes run from Go or as [[run]] op)",
		"0 207001 after one more",
		"0 0 after two are freed",
		"0 1 in their place, 0 fits into the rest",
		"0 2040 MiB in use",
		"0 0 at the end of memory",
		"0 107000 past it",
	}, r.ran(r.job(r.program("window"), 1)))
}
