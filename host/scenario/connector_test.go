package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Transfers count though the run ends when their data are there, before their acknowledgements are back; and waiting for
// those changes neither the end nor what the ports carried until then.
func TestLastTransfersCount(t *testing.T) {
	for _, plugin := range []string{"ub", "rdma"} {
		r := execute(t, "[cluster]\nprofile = \"ideal\"\ndevices = 3\ntopology = \"star\"\n[transport]\nUB_CTP = \""+plugin+
			"\"\n[[run]]\nop = \"all_to_all\"\nalgorithm = \"mesh\"\nsizes = \"3MiB\"\n", Options{})
		v := r.Variants[0]
		require.Equal(t, 3*2, v.Network.Flows.Transfers, plugin)
		require.EqualValues(t, 3*2<<20, v.Network.Flows.Bytes)
		require.Greater(t, v.Network.Flows.Max, v.Rows[0].TimeUS*99/100, "the acknowledgements come after the data")
		require.Less(t, v.EndUS, v.Rows[0].TimeUS*6/5)
	}
}
