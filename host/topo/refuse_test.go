package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		profile string
		spec    Spec
		want    string
	}{
		{"ideal", Spec{Kind: "star", Devices: 8}, `topo: build star: servers: got 0, want 1 to 65536`},
		{"ideal", Spec{Kind: "star", Servers: 1, Devices: -1}, `topo: build star: devices: got -1, want 1 to 1024`},
		{"ideal", Spec{Kind: "star", Servers: 65536, Devices: 1024}, `topo: build star: servers times devices: got 67108864, want at most 65536`},
		{"ideal", Spec{Kind: "star", Servers: 1, Devices: 2, Hosts: 3}, `topo: build star: hosts: got 3 for 2 devices of a server, want at most one each`},
		{"ideal", Spec{Kind: "stars", Servers: 1, Devices: 2}, `topo: topology "stars": got no such kind, want one of star, mesh, clos, mesh-clos, fattree, superpod, link (try "star")`},
		{"a2", Spec{Kind: "superpod", Servers: 2, Devices: 8, Params: Params{Backup: 1}}, `topo: build superpod: backup: needs switch ports in the scale-up network, profile "a2" has none (try backup = 0)`},
		{"a3", Spec{Kind: "mesh", Servers: 1, Devices: 16}, `topo: build mesh: needs 15 direct ports for a mesh of 16 devices, profile "a3" has 7 (try topology = "star" or smaller dims)`},
		{"a3", Spec{Kind: "mesh-clos", Servers: 1, Devices: 4}, `topo: build mesh-clos: group: needs 3 direct ports for a full mesh of 4, profile "a3" has 0 (try topology = "clos" or group = 1)`},
		{"a3", Spec{Kind: "star", Servers: 1, Devices: 4, Params: Params{Planes: 9}}, `topo: build star: planes: needs 9 switch ports on a device, profile "a3" has 7 free (try planes = 7)`},
		{"ideal", Spec{Kind: "star", Servers: 1, Devices: 4, Params: Params{Planes: 1000}}, `topo: build star: planes: got 1000, want 1 to 256`},
		{"ideal", Spec{Kind: "mesh", Servers: 1, Devices: 4, Params: Params{Dims: []int{3}}}, `topo: build mesh: dims: got [3] = 3 devices, want a divisor of the 4 devices of a superpod`},
		{"ideal", Spec{Kind: "mesh", Servers: 1, Devices: 4, Params: Params{Dims: []int{0}}}, `topo: build mesh: dims: got 0, want 1 to 65536 along each dimension`},
		{"ideal", Spec{Kind: "clos", Servers: 2, Devices: 4, Params: Params{Leaves: 3}}, `topo: build clos: leaves: got 3, want a divisor of the 8 devices of a superpod`},
		{"ideal", Spec{Kind: "clos", Servers: 2, Devices: 4, Params: Params{Spines: 3}}, `topo: build clos: spines: got 3, want a divisor of the 4 uplinks of a leaf`},
		{"ideal", Spec{Kind: "clos", Servers: 2, Devices: 4, Params: Params{Oversub: 3}}, `topo: build clos: oversubscription: got 3, want a divisor of the 4 devices of a leaf`},
		{"ideal", Spec{Kind: "fattree", Servers: 5, Devices: 4, Params: Params{K: 4}}, `topo: build fattree: k: got 4 with 3 tiers, which holds 16 devices, want at least 20 (try a larger k or tiers = 3)`},
		{"ideal", Spec{Kind: "fattree", Servers: 5, Devices: 4, Params: Params{K: 5}}, `topo: build fattree: k: got 5, want an even number`},
		{"ideal", Spec{Kind: "star", Servers: 3, Devices: 4, Params: Params{Superpods: 2}}, `topo: build star: superpods: got 2, want a divisor of 3 servers`},
		{"ideal", Spec{Kind: "link", Servers: 3, Devices: 1}, `topo: build link: servers times devices: got 3, want exactly 2`},
		{"a2", Spec{Kind: "mesh", Servers: 2, Devices: 8, Params: Params{NIC: "none"}}, `topo: build mesh: got no path from npu0 to npu8 over HCCS or ROCE, want every pair of devices joined (try topology = "star", or a profile with NIC ports)`},
	} {
		_, err := Build(c.spec, chip(t, c.profile))
		require.EqualError(t, err, c.want)
	}
}

func TestSetParams(t *testing.T) {
	var p Params
	require.NoError(t, p.Set("mesh", "dims", []any{int64(8), int64(4)}))
	require.Equal(t, []int{8, 4}, p.Dims)
	require.NoError(t, p.Set("clos", "uplink_latency", "250ns"))
	require.Equal(t, 250*sim.Nanosecond, *p.Uplink)
	require.NoError(t, p.Set("clos", "latency", "0"))
	require.Equal(t, sim.Time(0), *p.Latency)
	require.NoError(t, p.Set("clos", "store_and_forward", true))
	require.True(t, *p.Store)
	for _, c := range []struct {
		kind, key string
		v         any
		want      string
	}{
		{"fattree", "k", "8", `topo: k: got "8", want a whole number from 2 to 128`},
		{"fattree", "tiers", int64(4), `topo: tiers: got 4, want a whole number from 2 to 3`},
		{"star", "dims", []any{int64(2)}, `topo: dims: got it for topology "star", want it only for mesh`},
		{"clos", "spine", int64(2), `topo: spine: got an unknown key, want one of planes, leaves, spines, oversubscription, superpods, rate, uplink_rate, latency, uplink_latency, hop_latency, store_and_forward, package, nic (try "spines")`},
		{"clos", "latency", "3m", `topo: latency: got "3m", want a time up to 1s such as "1.5us"`},
		{"clos", "rate", int64(3), `topo: rate: got 3, want a rate such as "400Gbps" or "56GB/s"`},
		{"mesh", "dims", []any{int64(2), "x"}, `topo: dims: got [2 x], want a list of whole numbers from 1 to 65536`},
		{"mesh", "nic", "ring", `topo: nic: got "ring", want star or none`},
	} {
		require.EqualError(t, p.Set(c.kind, c.key, c.v), c.want)
	}
}

func TestOverridesReachTheLinks(t *testing.T) {
	zero, far := sim.Time(0), 3*sim.Microsecond
	g := build(t, "a3", Spec{Kind: "clos", Servers: 2, Devices: 2, Params: Params{Rate: 1e9, UplinkRate: 2e9, Latency: &zero, Uplink: &far, Hop: &zero}})
	info, ok := routes(t, g, HCCS).Info(0, 2)
	require.True(t, ok)
	require.Equal(t, 2*far, info.Latency)
	require.EqualValues(t, 1e9, info.MinRate)
	nic, _ := routes(t, g, ROCE).Info(0, 2)
	require.EqualValues(t, 200e9, nic.MinRate, "the parameters speak of the main network only")
}
