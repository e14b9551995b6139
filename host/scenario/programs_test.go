package scenario

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const gather = `[cluster]
profile = "950dt"
devices = 4
topology = "mesh"
[[run]]
op = "all_gather"
sizes = ["1KiB", "600KiB"]
expansion = "ccu_sched"
iterations = 2
check = "all"
`

func TestRunsOfMicroprograms(t *testing.T) {
	real := execute(t, gather, Options{})
	require.Equal(t, OutcomeOK, real.Outcome)
	v := real.Variants[0]
	require.Len(t, v.Rows, 2)
	for _, r := range v.Rows {
		require.Equal(t, Success, r.Check)
		require.Equal(t, "mesh on ccu_sched", r.Algorithm+" on "+r.Expansion)
	}
	phantom := execute(t, "[sim]\ndata = \"phantom\"\n"+gather, Options{})
	for i, r := range phantom.Variants[0].Rows {
		require.Equal(t, v.Rows[i].TimeUS, r.TimeUS, "the same times without bytes")
	}
	ideal := execute(t, strings.Replace(gather, "950dt", "ideal", 1), Options{})
	require.Equal(t, OutcomeOK, ideal.Outcome)
	require.Less(t, float64(ideal.Variants[0].Rows[0].TimeUS), float64(v.Rows[0].TimeUS))
}

func TestRunsThatCannotBeMicroprograms(t *testing.T) {
	refused := func(text string) string {
		sc, err := LoadText("sim.toml", t.TempDir(), text, Options{})
		if err == nil {
			_, err = Run(context.Background(), sc, Hooks{})
		}
		require.Error(t, err)
		return err.Error()
	}
	at := `sim.toml:8: run[0].expansion = "ccu_sched": `
	require.Contains(t, refused(strings.Replace(gather, "950dt", "a3", 1)), at+"the chip a3 has no such engine, it has host, aicpu or aiv")
	require.Contains(t, refused(strings.Replace(gather, "950dt", "960", 1)), at+"not supported yet on the chip 960: its CCU is of version 2, and programs are translated to version 1 (try \"aicpu\")")
	require.Contains(t, refused(strings.Replace(gather, `"mesh"`, `"star"`, 1)), at+"got 4 ranks on 1 servers that are not linked pair by pair")
	require.Contains(t, refused(strings.Replace(gather, "all_gather", "broadcast", 1)), at+"got no microprogram broadcast_mesh, want one of all_gather_mesh")
	kernels, err := filepath.Abs("../../plugins/kernels/kernels.wasm")
	require.NoError(t, err)
	require.Contains(t, refused(gather+"[plugins]\nccu = [\""+kernels+"\"]\n"), "plugins.ccu")
	require.Contains(t, refused(gather+"[plugins]\nccu = [\"none.wasm\"]\n"), "there is no file")
	require.Contains(t, refused(gather+"[plugins]\nccu = []\n"), "got no modules of microprograms, want one with all_gather_mesh (plugins.ccu)")
}
