package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/topo"
)

// loaded is a star of four whose link of device 1 is busy inwards, with one that lost packets.
func loaded(t *testing.T) (*topo.Graph, *Load) {
	g := build(t, "ideal", topo.Spec{Kind: "star", Servers: 1, Devices: 4, Hosts: 1})
	port := func(n topo.NodeID) topo.PortID { return g.NodePorts(n)[0] }
	return g, &Load{Title: "base: load", Ports: []PortLoad{
		{Port: port(0), Utilisation: 0.1, Rate: 1e9, Bytes: 5},
		{Port: g.Peer(port(1)), Utilisation: 0.95, Rate: 1e9, Bytes: 50, WaitUS: 2.5},
		{Port: port(1), Utilisation: 0.2, Rate: 1e9, Bytes: 7},
		{Port: port(2), Utilisation: 0.45, Rate: 1e9, Bytes: 9, Drops: 3},
	}}
}

// A line has the colour and width of its busiest direction; what carried nothing is thin, what lost packets is dashed, and
// the legend says so. The picture is a document.
func TestLoadOnAPicture(t *testing.T) {
	g, load := loaded(t)
	var b strings.Builder
	require.NoError(t, SVGLoad(&b, g, load))
	svg := b.String()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for title, style := range map[string]string{
		"busiest npu0:0/0 to sw0:0/0, 10 %":                                `stroke="#3b82f6" stroke-width="2"`,
		"busiest sw0:0/1 to npu1:0/0, 95 %":                                `stroke="#dc2626" stroke-width="6"`,
		"busiest npu2:0/0 to sw0:0/2, 45 %, 3 packets lost":                `stroke="#eab308" stroke-width="4" stroke-opacity="0.7" stroke-dasharray="6 3"`,
		"layer 1, UB_CTP,UB_TP,UB_MEM,HCCS,UBOE,ROCE,TCP; carried nothing": `stroke="#d1d5db" stroke-width="1"`,
	} {
		at := strings.Index(svg, title)
		require.Positive(t, at, title)
		line := svg[strings.LastIndex(svg[:at], "<line"):at]
		require.Contains(t, line, style, title)
	}
	require.Less(t, strings.Index(svg, "#3b82f6"), strings.Index(svg, "#dc2626"), "the busiest lies on top")
	for _, text := range []string{"base: load", "80 % and more", "dashed: packets were lost"} {
		require.Contains(t, svg, text)
	}
	b.Reset()
	require.NoError(t, DOTLoad(&b, g, load))
	require.Contains(t, b.String(), `label="400Gbps\n95 %", color="#dc2626", penwidth=6, tooltip="busiest sw0:0/1 to npu1:0/0, 95 %"];`)
	require.Contains(t, b.String(), `penwidth=4, tooltip="busiest npu2:0/0 to sw0:0/2, 45 %, 3 packets lost", style=dashed];`)
	b.Reset()
	require.NoError(t, LoadTable(&b, g, load))
	require.Contains(t, b.String(), "base: load: 4 ports sent something\n")
	require.Regexp(t, `(?m)^sw0:0/1 +npu1:0/0 +1Gbps +95.0 % +50 +2.50 us +0$`, b.String())
}

// A picture of boxes that stand for several shows the busiest of their links.
func TestLoadOfManyNodes(t *testing.T) {
	g := build(t, "ideal", topo.Spec{Kind: "superpod", Servers: 8, Devices: 16})
	busy := g.NodePorts(17)[0]
	var b strings.Builder
	require.NoError(t, SVGLoad(&b, g, &Load{Title: "x", Ports: []PortLoad{{Port: busy, Utilisation: 0.7, Rate: 1e9}, {Port: g.NodePorts(18)[0], Utilisation: 0.1}}}))
	require.Contains(t, b.String(), "busiest npu17:0/0 to ")
	require.Contains(t, b.String(), "16 x 400Gbps, 70 %")
}
