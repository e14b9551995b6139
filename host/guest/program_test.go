package guest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHello(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3", devices: 2})
	spec := r.job(r.program("hello"), 2)
	require.Equal(t, []string{
		"0 Ascend910_9391, 2 devices, rank 0 of 2, 0 arguments: copies agree",
		"1 Ascend910_9391, 2 devices, rank 1 of 2, 0 arguments: copies agree",
	}, r.ran(spec))
}

func TestExitCode(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	j, _ := r.run(r.job(r.program("hello"), 1, "7"))
	code, ok := j.Processes()[0].Exit()
	require.True(t, ok)
	require.Equal(t, 7, code)
}
