package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListProgram(t *testing.T) {
	q := ProgramRequest{Module: "builtin", Program: "all_gather_mesh", Profile: "950dt", Ranks: 4, Rank: 2, Dtype: "fp32", Reduce: "sum"}
	text, err := ListProgram(q)
	require.NoError(t, err)
	require.Contains(t, text, "all_gather_mesh: rank 2 of 4, die 1 of 950dt, 14 arguments in 2 queue entries\n")
	require.Contains(t, text, "  loop engines       128 from 0 on, of 200\n")
	require.Contains(t, text, "LoadSqeArgsToXn     xn=")
	require.Contains(t, text, "channel=4 set=C", "three channels, after the die's own two")
	for want, change := range map[string]func(*ProgramRequest){
		`got program "all_gathr", want all_gather_mesh`: func(q *ProgramRequest) { q.Program = "all_gathr" },
		"the chip has no collective communication unit": func(q *ProgramRequest) { q.Profile = "a3" },
		"got rank 4 and root 0 of 4 ranks":              func(q *ProgramRequest) { q.Rank = 4 },
		"got rank 2 and root 0 of 66 ranks":             func(q *ProgramRequest) { q.Ranks = 66 },
		"there is no file":                              func(q *ProgramRequest) { q.Module = "none.wasm" },
		"parse data type":                               func(q *ProgramRequest) { q.Dtype = "float" },
		"parse reduce operator":                         func(q *ProgramRequest) { q.Reduce = "avg" },
	} {
		x := q
		change(&x)
		_, err := ListProgram(x)
		require.ErrorContains(t, err, want)
	}
}
