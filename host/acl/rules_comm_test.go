package acl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

// anyNet carries everything and moves nothing.
type anyNet struct{}

func (anyNet) Connect(transport.Spec) (a, b transport.ConnID, err error) { return 1, 2, nil }
func (anyNet) Post(transport.ConnID, *transport.WR) error                { return nil }
func (anyNet) SetSink(transport.ConnID, transport.Sink)                  {}
func (anyNet) Features(topo.Protocol) uint32                             { return ^uint32(0) }

// R016: a device takes part in several communicators, as a rank of each.
func TestR016SeveralCommunicators(t *testing.T) {
	p, err := soc.Load("ideal")
	require.NoError(t, err)
	g, err := topo.Build(topo.Spec{Kind: "star", Servers: 1, Devices: 2}, p.Chip())
	require.NoError(t, err)
	sys := device.NewSystem(device.SystemConfig{Engine: sim.New(1), Mem: mem.NewSpace(mem.Phantom), Graph: g})
	var devs []*device.Device
	for i := range g.Devices {
		d, err := device.New(sys, device.Config{Chip: p.Chip(), Node: topo.NodeID(i)})
		require.NoError(t, err)
		devs = append(devs, d)
	}
	host := hccl.NewHost(sys, anyNet{}, g)
	one, err := host.NewComm(hccl.CommConfig{Name: "one", Devices: devs})
	require.NoError(t, err)
	two, err := host.NewComm(hccl.CommConfig{Name: "two", Devices: []*device.Device{devs[1], devs[0]}})
	require.NoError(t, err)
	assert.Same(t, devs[0], one.Rank(0).Device())
	assert.Same(t, devs[0], two.Rank(1).Device())
	assert.Equal(t, []int{0, 1}, []int{one.Rank(0).ID(), two.Rank(1).ID()})
}
