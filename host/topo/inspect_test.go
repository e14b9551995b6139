package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/units"
)

func inspect(t *testing.T, profile string, spec Spec) *Report {
	t.Helper()
	r, err := build(t, profile, spec).Inspect(chip(t, profile))
	require.NoError(t, err)
	return r
}

// texts are the findings of a kind.
func texts(r *Report, kind FindingKind) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Kind == kind {
			out = append(out, f.Text)
		}
	}
	return out
}

func TestInspectReach(t *testing.T) {
	r := inspect(t, "a2", Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1})
	require.True(t, r.OK())
	require.Equal(t, 1, build(t, "a2", Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1}).Parts())
	require.Equal(t, []ReachRow{{HCCS, 2 * 56, 240}, {ROCE, 240, 240}, {TCP, 240, 240}}, r.Reach)
	require.Empty(t, texts(r, Asymmetric))
	require.Empty(t, texts(r, Unlinked))

	servers := []ServerSpec{{Devices: []int{0, 1, 2}}, {Devices: []int{0, 1}}}
	d, err := NewDraft("test", servers, 0, chip(t, "950dt"))
	require.NoError(t, err)
	cable := func(a NodeID, pa int, b NodeID, pb int) {
		x, ok := d.Port(a, 1, pa)
		require.True(t, ok)
		y, ok := d.Port(b, 1, pb)
		require.True(t, ok)
		d.Link(x, y, Link{Rate: 448 * units.Gbps, Protocols: 1 << UB_CTP})
	}
	cable(0, 0, 1, 0)
	cable(1, 1, 2, 0)
	cable(3, 0, 4, 0)
	cable(3, 1, 4, 1)
	g, err := d.Graph()
	require.NoError(t, err)
	r, err = g.Inspect(chip(t, "950dt"))
	require.NoError(t, err)
	require.False(t, r.OK())
	require.Equal(t, []ReachRow{{UB_CTP, 6, 20}}, r.Reach)
	require.Equal(t, 2, g.Parts(), "devices 0 and 2 have no way, but device 1 between them")
	require.Equal(t, []string{"no protocol joins 14 of 20 ordered pairs of devices, such as npu0 and npu2"}, texts(r, Unreachable))
	require.Equal(t, []string{"less bandwidth than others of the server: 2 devices, such as this: npu0 has 448Gbps on layer 0, its server's best 896Gbps"}, texts(r, Asymmetric))
	require.Contains(t, texts(r, Unlinked), "27 of 35 direct ports (direct) have no link, such as npu0:1/1")
}

// A device without a link has less than any other, one with an endless link more.
func TestAsymmetricBandwidth(t *testing.T) {
	rates := func(r ...units.Rate) (b bandwidth) {
		for _, x := range r {
			b.add(x)
		}
		return b
	}
	order := []bandwidth{rates(), rates(200), rates(100, 200), rates(0)}
	for i, a := range order {
		for k, b := range order {
			require.Equal(t, i < k, a.less(b), "%v %v", a, b)
		}
	}
	require.False(t, rates(0).less(rates(0, 100)))
	require.Equal(t, "no link", rates().String())
	require.Equal(t, "no limit", rates(0, 100).String())
}

// The counts of joined pairs are those of a slow reference.
func TestJoinedCountsPairs(t *testing.T) {
	for _, c := range []struct {
		profile string
		spec    Spec
	}{
		{"910", Spec{Kind: "mesh", Servers: 2, Devices: 8}},
		{"a3", Spec{Kind: "clos", Servers: 4, Devices: 4, Params: Params{Superpods: 2}}},
		{"950dt", Spec{Kind: "mesh-clos", Servers: 4, Devices: 4, Params: Params{Superpods: 4}}},
		{"ideal", Spec{Kind: "mesh", Servers: 2, Devices: 8, Params: Params{Dims: []int{4, 4}}}},
		{"ideal", Spec{Kind: "link", Servers: 2, Devices: 1}},
	} {
		g := build(t, c.profile, c.spec)
		r, err := g.Inspect(chip(t, c.profile))
		require.NoError(t, err)
		for _, row := range r.Reach {
			n := int64(0)
			for a := range NodeID(g.Devices) {
				for b := range NodeID(g.Devices) {
					if a != b && g.Reachable(a, b, row.Protocol) {
						n++
					}
				}
			}
			require.Equal(t, n, row.Pairs, "%s %v %v", c.profile, c.spec.Kind, row.Protocol)
		}
	}
}

// Eight planes and eight uplinks of a leaf share the factor eight: behind plane i
// only flows of one remainder arrive, and seven uplinks stay empty. Seven planes
// and sixteen uplinks share none.
func TestPolarisation(t *testing.T) {
	r := inspect(t, "950dt", Spec{Kind: "clos", Servers: 4, Devices: 8})
	got := texts(r, Polarised)
	require.Len(t, got, 1)
	require.Equal(t, "UB_CTP: if every switch hashes alike, 224 of 256 equal-cost ports of 32 leaf nodes stay unused, as leaf0.0 uses 1 of 8 (hsim gives every switch a hash of its own)", got[0])
	require.Empty(t, texts(inspect(t, "a3", Spec{Kind: "superpod", Servers: 4, Devices: 16}), Polarised))
	require.Empty(t, texts(inspect(t, "ideal", Spec{Kind: "star", Servers: 4, Devices: 8}), Polarised))
}

// A three-tier fat tree of one plane: the edge and the aggregation switch both
// choose among k/2.
func TestPolarisationOfFatTree(t *testing.T) {
	got := texts(inspect(t, "ideal", Spec{Kind: "fattree", Servers: 4, Devices: 4, Params: Params{K: 4}}), Polarised)
	require.Len(t, got, 1)
	require.Contains(t, got[0], "8 of 16 equal-cost ports of 8 agg nodes stay unused, as agg0 uses 1 of 2")
}

func TestOversubscriptionRows(t *testing.T) {
	rows := build(t, "ideal", Spec{Kind: "clos", Servers: 4, Devices: 8, Params: Params{Oversub: 4}}).Oversubscription()
	require.Equal(t, []OversubRow{
		{Tier: "leaf", Switches: 4, Down: 3200 * units.Gbps, Up: 800 * units.Gbps, Percent: 400},
		{Tier: "spine", Switches: 2, Down: 1600 * units.Gbps}}, rows)
	rows = build(t, "a3", Spec{Kind: "superpod", Servers: 2, Devices: 16}).Oversubscription()
	require.Equal(t, []OversubRow{
		{Tier: "leaf", Switches: 14, Down: 16 * 224 * units.Gbps, Up: 16 * 224 * units.Gbps, Percent: 100},
		{Tier: "spine", Switches: 7 * 16, Down: 2 * 224 * units.Gbps},
		{Tier: "nic", Switches: 1, Down: 32 * 200 * units.Gbps}}, rows)
}
