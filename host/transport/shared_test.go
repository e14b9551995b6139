package transport

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/topo"
)

// few is a plugin whose instances take three connections, as if their memory were
// full; with private every device has one of its own.
type few struct {
	Plugin
	private bool
	made    *int
}

func (p few) Features() uint32 {
	if p.private {
		return p.Plugin.Features() &^ abi.FeatureShared
	}
	return p.Plugin.Features()
}

func (p few) New(d topo.NodeID) (Protocol, error) {
	*p.made++
	e, err := p.Plugin.New(d)
	return &fewEngine{Protocol: e}, err
}

type fewEngine struct {
	Protocol
	open int
}

func (e *fewEngine) Open() error {
	if e.open++; e.open > 3 {
		return errors.New("full")
	}
	return e.Protocol.Open()
}

// An instance of a plugin that keeps no state of devices serves as many connections as
// it takes, of whatever devices; then there is another one. One that does is asked for
// by every device, and what it refuses is refused.
func TestSharedInstances(t *testing.T) {
	for _, name := range []string{"rdma", "ub"} {
		made := 0
		r := newRig(t, carrier(name, topo.ROCE), starOf(5), func(c *rigConfig) {
			c.data = mem.Phantom
			c.wrap = func(p Plugin) Plugin { return few{p, false, &made} }
		})
		for i := range topo.NodeID(4) {
			r.write(i, i+1, 1<<20)
		}
		r.ended(t)
		require.Equal(t, 3, made, "8 ends by three")

		made = 0
		r = newRig(t, carrier(name, topo.ROCE), starOf(5), func(c *rigConfig) {
			c.wrap = func(p Plugin) Plugin { return few{p, true, &made} }
		})
		for i := range topo.NodeID(3) {
			r.connect(i, 4)
		}
		require.Equal(t, 4, made)
		_, _, err := r.n.Connect(Spec{A: 3, B: 4, Protocol: topo.ROCE})
		require.ErrorContains(t, err, "full")
	}
}
