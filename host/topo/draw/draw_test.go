package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
	"hsim/host/topo"
)

func build(t testing.TB, profile string, spec topo.Spec) *topo.Graph {
	t.Helper()
	p, err := soc.Load(profile)
	require.NoError(t, err)
	g, err := topo.Build(spec, p.Chip())
	require.NoError(t, err)
	return g
}

// Pictures are well-formed, have a box for everything at their level of detail,
// and no box lies on another. HSIM_DRAW=dir keeps them.
func TestSVG(t *testing.T) {
	for _, c := range []struct {
		name, profile string
		spec          topo.Spec
		boxes, lines  int
	}{
		{"mesh950", "950dt", topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1}, 16 + 2 + 8 + 1, 2*28 + 16*8 + 16 + 16},
		{"a2", "a2", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 2}, 16 + 4 + 1, 56 + 16 + 16},
		{"star", "ideal", topo.Spec{Kind: "star", Servers: 1, Devices: 4}, 5, 4},
		{"fattree", "ideal", topo.Spec{Kind: "fattree", Servers: 4, Devices: 4, Params: topo.Params{K: 4}}, 36, 48},
		{"a3", "a3", topo.Spec{Kind: "clos", Servers: 4, Devices: 16, Hosts: 1}, 4 + 3, 0},
		{"cloudmatrix", "a3", topo.CloudMatrix384(), 4, 0},
		{"superpods", "950dt", topo.Spec{Kind: "superpod", Servers: 64, Devices: 8, Hosts: 1, Params: topo.Params{Superpods: 4, Backup: 1}}, 4*3 + 1, 0},
		{"pair", "950dt", topo.Spec{Kind: "link", Servers: 2, Devices: 1, Hosts: 1, Params: topo.Params{Planes: 2}}, 4, 3},
	} {
		g := build(t, c.profile, c.spec)
		var b strings.Builder
		require.NoError(t, SVG(&b, g))
		if dir := os.Getenv("HSIM_DRAW"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.name+".svg"), []byte(b.String()), 0o644))
		}
		for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, c.name)
		}
		p := pictureOf(g, nil)
		require.Len(t, p.boxes, c.boxes, c.name)
		if c.lines > 0 {
			require.Len(t, p.lines, c.lines, c.name)
		}
		links := 0
		for _, l := range p.lines {
			links += l.count
		}
		require.Equal(t, len(g.Links), links)
		l := place(p)
		for i := range l.at {
			require.True(t, l.at[i].x >= l.size[i].x && l.at[i].x+l.size[i].x <= l.w && l.at[i].y+l.size[i].y <= l.h, "%s: %s is outside", c.name, p.boxes[i].name)
			for j := range i {
				apart := abs(l.at[i].x-l.at[j].x) >= l.size[i].x+l.size[j].x || abs(l.at[i].y-l.at[j].y) >= l.size[i].y+l.size[j].y
				require.True(t, apart, "%s: %s lies on %s", c.name, p.boxes[i].name, p.boxes[j].name)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

func TestDOT(t *testing.T) {
	var b strings.Builder
	require.NoError(t, DOT(&b, build(t, "ideal", topo.Spec{Kind: "star", Servers: 1, Devices: 2, Hosts: 1})))
	require.Equal(t, `graph "star" {
  layout=dot; rankdir=BT; ranksep=1.2; node [shape=box, style=filled, fontname="sans-serif", fontsize=10]; edge [fontname="sans-serif", fontsize=8];
  subgraph cluster_0 {
    label="server 0"; style=rounded; color=gray;
    n0 [label="npu0", fillcolor="#dbeafe"];
    n1 [label="npu1", fillcolor="#dbeafe"];
    n2 [label="host0", fillcolor="#f3f4f6"];
  }
  n3 [label="sw0", fillcolor="#dcfce7"];
  n0 -- n3 [label="400Gbps", color="#16a34a"]; // layer 1, UB_CTP,UB_TP,UB_MEM,HCCS,UBOE,ROCE,TCP
  n1 -- n3 [label="400Gbps", color="#16a34a"]; // layer 1, UB_CTP,UB_TP,UB_MEM,HCCS,UBOE,ROCE,TCP
  n0 -- n2 [label="400Gbps", color="#6b7280"]; // layer 3, PCIE
  n1 -- n2 [label="400Gbps", color="#6b7280"]; // layer 3, PCIE
}
`, b.String())
}
