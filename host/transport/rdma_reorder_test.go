package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/topo"
)

// Sprayed packets overtake each other where queues differ. On a network that loses
// nothing nothing is sent again, and it takes no longer than one path a flow; a
// queue pair that takes every gap for a loss sends much twice.
func TestOvertakenIsNotLost(t *testing.T) {
	const size = 1 << 20
	var uneven []pair
	for _, p := range everyPair(16) {
		if (p.from*7+p.to*3)%5 < 2 {
			uneven = append(uneven, p)
		}
	}
	run := func(params map[string]any) (uint64, float64) {
		r := pods(t, 4, 16, size, uneven, carrier("rdma", topo.ROCE), func(c *rigConfig) { c.params, c.train = params, 1 })
		end := r.e.Run(0)
		return r.n.Resent(), micros(end.End)
	}
	again, spray := run(map[string]any{"spray": true})
	require.Zero(t, again)
	again, hash := run(map[string]any{"retransmit": "selective"})
	require.Zero(t, again)
	require.Less(t, spray, hash)
	again, eager := run(map[string]any{"spray": true, "reorder": 1})
	require.Greater(t, again, uint64(len(uneven)*size/4096/10))
	require.Greater(t, eager, spray)
	t.Logf("sprayed %.1f us, hashed %.1f us, every gap a loss %.1f us and %d packets twice", spray, hash, eager, again)
}
