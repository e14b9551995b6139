package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
)

func TestSummary(t *testing.T) {
	s := build(t, "950dt", Spec{Kind: "mesh-clos", Servers: 4, Devices: 8, Hosts: 1, Params: Params{Superpods: 2}}).Summary()
	ub := soc.Protocols(UB_CTP, UB_TP, UB_MEM)
	require.Equal(t, Summary{Kind: "mesh-clos", Servers: 4, Superpods: 2, Devices: 32, Hosts: 4, Size: 4*28 + 32*8 + 32 + 32,
		Tiers: []TierRow{
			{Tier: "sw", Switches: 16, MinPorts: 16, MaxPorts: 16, Delay: 150 * sim.Nanosecond},
			{Tier: "nic", Switches: 1, MinPorts: 32, MaxPorts: 32, Delay: 300 * sim.Nanosecond},
		},
		Links: []LinkRow{
			{From: "device", To: "device", Layer: 0, Count: 4 * 28, Rate: 56 * units.GBps, Latency: 150 * sim.Nanosecond, Protocols: ub},
			{From: "device", To: "sw", Layer: 1, Count: 256, Rate: 56 * units.GBps, Latency: 150 * sim.Nanosecond, Protocols: ub},
			{From: "device", To: "nic", Layer: 2, Count: 32, Rate: 400 * units.Gbps, Latency: 600 * sim.Nanosecond, Protocols: soc.Protocols(UBOE, ROCE, TCP)},
			{From: "device", To: "host", Layer: 3, Count: 32, Rate: 56 * units.GBps, Latency: 500 * sim.Nanosecond, Protocols: soc.Protocols(PCIE)},
		}}, s)
}

// The rows of a path add up to what Info says of it.
func TestHopsAddUp(t *testing.T) {
	g := build(t, "a3", Spec{Kind: "clos", Servers: 2, Devices: 16})
	r := routes(t, g, HCCS)
	info, ok := r.Info(0, 17)
	require.True(t, ok)
	rows := r.Hops(0, 17)
	require.Len(t, rows, info.Hops)
	sum := sim.Time(0)
	for _, h := range rows {
		sum += h.Latency + h.Delay
	}
	require.Equal(t, info.Latency, sum)
	require.Equal(t, "npu0:0/0", rows[0].From)
	require.Equal(t, []int{7, 16, 1, 1}, []int{rows[0].Choices, rows[1].Choices, rows[2].Choices, rows[3].Choices})
	require.Nil(t, r.Hops(3, 3))
	direct, ok := g.PathInfo(0, 17, HCCS)
	require.True(t, ok)
	require.Equal(t, info, direct)
	_, ok = g.PathInfo(0, 17, UB_CTP)
	require.False(t, ok)
}

func TestFindPort(t *testing.T) {
	g := build(t, "950dt", Spec{Kind: "mesh-clos", Servers: 1, Devices: 8, Hosts: 1})
	for ref, want := range map[string]string{"npu3:1/6": "npu3:1/6", "3/1/6": "npu3:1/6", "3/7": "npu3:0/7", "sw0.4:0/2": "sw0.4:0/2", "host0:0/1": "host0:0/1"} {
		p, err := g.FindPort(ref)
		require.NoError(t, err)
		require.Equal(t, want, g.PortName(p))
	}
	for ref, want := range map[string]string{
		"9/3":       `topo: port "9/3": device 9: got no such device, want 0 to 7`,
		"3/3":       `topo: port "3/3": got a port that npu3 has on two dies, want device/die/port (try "3/1/3")`,
		"npux:0/1":  "topo: port \"npux:0/1\": node \"npux\": got no such name, want a device such as npu0 or a name that `hsim topo` prints (try \"npu7\")",
		"npu3:1/7":  `topo: port "npu3:1/7": got no such linked port, want one of npu3:0/0, npu3:0/1, npu3:0/2, npu3:0/3, npu3:0/4, npu3:0/5, npu3:0/6, npu3:0/7, and 9 more`,
		"host0:9/9": `topo: port "host0:9/9": got no such linked port, want one of host0:0/0, host0:0/1, host0:0/2, host0:0/3, host0:0/4, host0:0/5, host0:0/6, host0:0/7`,
	} {
		_, err := g.FindPort(ref)
		require.EqualError(t, err, want)
	}
}
