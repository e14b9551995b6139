package guest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

func TestCollectives(t *testing.T) {
	for _, chip := range []string{"ideal", "a3", "950dt"} {
		t.Run(chip, func(t *testing.T) {
			kind := "clos"
			if chip == "950dt" {
				kind = "mesh"
			}
			r := newRig(t, rigConfig{chip: chip, devices: 4, kind: kind})
			spec := r.job(r.program("collectives"), 4)
			spec.Leaks = true
			j, res := r.run(spec)
			require.Nil(t, res.Stall, "%v", r.out)
			var first []string
			for _, l := range r.out {
				if s, ok := strings.CutPrefix(l, "0 "); ok {
					first = append(first, s)
				}
			}
			require.Equal(t, []string{
				"1 HcclCommInitRootInfo((uint32_t)size, &root, 0, &comm)",
				"1 HcclCommInitRootInfo(2, &root, 2, &comm)",
				"1 HcclAllReduce(din, dout, N, (HcclDataType)99, HCCL_REDUCE_SUM, comm, stream)",
				"1 HcclAllReduce(in, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream)",
				"1 HcclAllReduce(din, dout, 8 * N + 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream)",
				"15 HcclAllReduce(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, (aclrtStream)din)",
				"2 HcclGetRankId(comm, NULL)",
				"HCCL_E_PARA",
				"0 failures",
			}, first)
			for _, p := range j.Processes() {
				code, _ := p.Exit()
				require.Zero(t, code)
				require.Empty(t, p.Leaks())
			}
		})
	}
}

// A rank that never comes: the others give up after the connect time-out, and the stall before it is named.
func TestMissingRank(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal", devices: 3})
	j, res := r.run(r.job(r.program("collectives"), 3, "missing"))
	require.NotNil(t, res.Stall)
	require.Contains(t, res.Stall.String(), "rank 0 / main waits for all ranks of communicator 1 (missing ranks: 2)")
	require.Equal(t, 120*sim.Second, res.End)
	require.Contains(t, r.out, "0 9 HcclCommInitRootInfoConfig((uint32_t)size, &root, (uint32_t)rank, &config, &comm)")
	require.Contains(t, strings.Join(r.out, "\n"), "HCCL_E_TIMEOUT (9), EI0015: only 2 of 3 ranks joined within 120s (HCCL_CONNECT_TIMEOUT)")
	code, ok := j.Processes()[0].Exit()
	require.True(t, ok)
	require.Zero(t, code)
}
