package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	for path, want := range Files() {
		got, err := os.ReadFile(filepath.Join("../../..", path))
		require.NoError(t, err)
		if string(got) != string(want) {
			t.Errorf("%s is not what the tables say (run go generate ./abi); a changed golden needs a line in RATIONALE.md", path)
		}
	}
}

// TestGoldenNamesEverything guards against tables that the golden would pass over.
func TestGoldenNamesEverything(t *testing.T) {
	golden := string(Golden())
	for _, line := range []string{
		"transport export hsim_abi_transport_v1 () -> i32",
		"transport export hsim_transport_receive (i32, i32)",
		"kernel export hsim_kernel_<name> (i32, i32, i32, i32) -> i32",
		"kernel import hsim_kernel_v1.dma_in (i32, i64, i32) -> i32",
		"transport record packet size 112 align 8",
		"transport field packet.cc u32[4] at 56",
		"transport field verdict.now i64 at 80",
		"transport field conn.rate i64 at 184",
		"ccu export hsim_ccu_<name>_launch (i32, i32, i32) -> i32",
		"algorithm import hsim_algorithm_v1.receive_reduce (i32, i64, i64, i32, i32, i32) -> i32",
		"common export hsim_buffer (i32) -> i32",
		"const status.not_found -7",
	} {
		require.Contains(t, golden, line+"\n")
	}
	require.Equal(t, "DMAOut2D", goName("dma_out_2d"))
	require.Equal(t, "argsLen", goParam("args_len"))
}
