package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

// W9 and W10 at 128 hosts with pauses: trains as auto makes them against packets, in
// the last flow and in the mean of all.
func TestTrainsOnPods(t *testing.T) {
	pfc := fabric.Features{Lanes: 4, Pause: fabric.Pause{Lanes: 15, Off: 819200, On: 655360},
		Buffer: fabric.Buffer{Reserve: 1 << 20, Shared: 32 << 20, Headroom: 400_000}}
	for _, c := range []struct {
		name string
		opt  option
	}{
		{"a way for each flow", carrier("rdma", topo.ROCE)},
		{"sprayed", func(c *rigConfig) { c.params = map[string]any{"spray": true, "window": 2048} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(train int) (last, mean float64) {
				r := pods(t, 8, 128, 2_000_000, permuted(128), c.opt, ports(pfc), func(c *rigConfig) { c.train = train })
				require.Equal(t, sim.Done, r.run().Reason)
				require.Len(t, r.done, 128)
				for _, d := range r.done {
					last, mean = max(last, micros(d.At)), mean+micros(d.At-d.First)/128
				}
				return last, mean
			}
			last, mean := run(1)
			lastTrain, meanTrain := run(0)
			require.InEpsilon(t, last, lastTrain, 0.02)
			require.InEpsilon(t, mean, meanTrain, 0.02)
		})
	}
}
