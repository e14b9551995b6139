package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Several queue pairs of a connection leave by several ports, and add up.
func TestQueuePairs(t *testing.T) {
	r := execute(t, `[cluster]
profile = "ideal"
devices = 2
topology = { kind = "link", planes = 4 }
[transport]
UB_CTP = "rdma"
[[run]]
op = "broadcast"
sizes = "64MiB"
[[variant]]
name = "two"
transport.UB_CTP = { plugin = "rdma", params = { qps = 2 } }
[[variant]]
name = "four"
transport.UB_CTP = { plugin = "rdma", params = { qps = 4, qp_share = "64KiB" } }
`, Options{})
	require.Equal(t, OutcomeOK, r.Outcome)
	one := float64(r.Variants[0].Rows[0].TimeUS)
	require.InEpsilon(t, one/2, float64(r.Variants[1].Rows[0].TimeUS), 0.01)
	require.InEpsilon(t, one/4, float64(r.Variants[2].Rows[0].TimeUS), 0.01)
	require.Contains(t, refused(t, t.TempDir(), small+"[transport]\nUB_CTP = { plugin = \"rdma\", params = { qp_share = 100 } }\n", Options{}), "the plugin refuses the value 100")
}
