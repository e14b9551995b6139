package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A TP group uses as many ports as it has channels; slices that may not be answered
// late bound it; the initiator's order costs a round trip a notify.
func TestChannelsOfUB(t *testing.T) {
	r := execute(t, `[cluster]
profile = "ideal"
devices = 2
topology = { kind = "link", planes = 4, latency = "1us" }
[transport]
UB_CTP = "ub"
[[run]]
op = "broadcast"
sizes = "64MiB"
[[variant]]
name = "four"
transport.UB_CTP = { plugin = "ub", params = { channels = 4 } }
[[variant]]
name = "two"
transport.UB_CTP = { plugin = "ub", params = { channels = 2 } }
[[variant]]
name = "bounded"
transport.UB_CTP = { plugin = "ub", params = { channels = 4, slice = "4KiB", outstanding = 8 } }
[[variant]]
name = "initiator"
transport.UB_CTP = { plugin = "ub", params = { order = "initiator" } }
`, Options{})
	require.Equal(t, OutcomeOK, r.Outcome)
	var us []float64
	for _, v := range r.Variants {
		us = append(us, v.Rows[0].TimeUS.Float())
	}
	require.InEpsilon(t, us[0], us[1], 0.01)
	require.InEpsilon(t, 2*us[0], us[2], 0.01)
	// Eight packets of 4 KiB, two a port, in a round trip of 2 us and one packet.
	rounds := 64 * 256 / 8.
	require.InEpsilon(t, rounds*(2+4096/50e3), us[3], 0.001)
	require.Greater(t, us[4], us[0]+2)
	for says, params := range map[string]string{"channels": "channels = 0", "slice": `mtu = "8KiB", slice = "12KiB"`, "outstanding": "outstanding = -1"} {
		require.Contains(t, refused(t, t.TempDir(), small+"[transport]\nUB_CTP = { plugin = \"ub\", params = { "+params+" } }\n", Options{}), says)
	}
}
