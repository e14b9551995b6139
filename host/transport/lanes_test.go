package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

func ports(f fabric.Features) option { return func(c *rigConfig) { c.ports = f } }

func TestQueuedTree(t *testing.T) {
	for _, f := range []fabric.Features{{}, {Lanes: 16}, {Lanes: 2, Turns: true}, {Lanes: 4, Credits: fabric.Credits{Cells: 6553}},
		{Credits: fabric.Credits{Cells: 6553, Grain: 32}}, {Allocation: 10 * sim.Nanosecond}} {
		r := tree(t, 2<<20, 1, carrier("rdma", topo.ROCE), ports(f))
		require.Equal(t, sim.Done, r.run().Reason)
		require.Len(t, r.done, 128)
		t.Log(r.done[0].At, r.done[127].At)
	}
}
