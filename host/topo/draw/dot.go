package draw

import (
	"fmt"
	"io"
	"strings"

	"hsim/host/topo"
)

// DOT writes a graph as text for Graphviz: `hsim topo --dot | dot -Tsvg`.
func DOT(w io.Writer, g *topo.Graph) error { return DOTLoad(w, g, nil) }

// DOTLoad is DOT with lines by what they carried, see SVGLoad.
func DOTLoad(w io.Writer, g *topo.Graph, load *Load) error {
	p := pictureOf(g, load)
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q {\n", g.Kind)
	b.WriteString("  layout=dot; rankdir=BT; ranksep=1.2; node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10]; edge [fontname=\"sans-serif\", fontsize=8];\n")
	if load != nil {
		fmt.Fprintf(&b, "  label=%q; labelloc=t; fontname=\"sans-serif\";\n", load.Title+"\n"+scaleText())
	}
	for r, name := range p.racks {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%q; style=rounded; color=gray;\n", r, name)
		for i := range p.boxes {
			if p.boxes[i].rack == r {
				b.WriteString("    " + p.boxes[i].dot(i))
			}
		}
		b.WriteString("  }\n")
	}
	for i := range p.boxes {
		if p.boxes[i].rack < 0 {
			b.WriteString("  " + p.boxes[i].dot(i))
		}
	}
	for i := range p.lines {
		l := &p.lines[i]
		if l.a == l.b {
			continue // a note in the box
		}
		extra := ""
		if p.boxes[l.a].kind == topo.Device && p.boxes[l.b].kind == topo.Device {
			extra = ", constraint=false"
		}
		label := ""
		if l.count > 1 || len(p.lines) <= 64 {
			label = l.label()
		}
		stroke := colour(l.layer)
		if l.load != nil {
			s := l.load.step()
			stroke = s.colour
			if extra += fmt.Sprintf(", penwidth=%d, tooltip=%q", s.width, l.load.about()); l.load.drops > 0 {
				extra += ", style=dashed"
			}
			if label != "" {
				label += "\n" + l.load.percent()
			}
		}
		fmt.Fprintf(&b, "  n%d -- n%d [label=%q, color=%q%s]; // layer %d, %s\n", l.a, l.b, label, stroke, extra, l.layer, l.protocols)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (b *box) dot(i int) string {
	label := b.name
	for _, note := range b.note {
		label += "\n" + note
	}
	return fmt.Sprintf("n%d [label=%q, fillcolor=%q];\n", i, label, fill(b.kind))
}

// colour is the line colour of a layer.
func colour(layer uint8) string {
	return [...]string{"#2563eb", "#16a34a", "#ea580c", "#6b7280"}[min(layer, 3)]
}

// fill is the colour of a kind of box.
func fill(k topo.Kind) string {
	return [...]string{"#dbeafe", "#f3f4f6", "#dcfce7"}[min(k, topo.Switch)]
}
