package draw

import (
	"fmt"
	"strings"
)

// head opens the document: title, frames of the servers.
func (l *layout) head(b *strings.Builder) {
	rows := len(l.p.sum.Links)
	if l.load != nil {
		rows += len(steps) + 2
	}
	height := l.h + 34 + 18*(rows+1)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif">`+"\n", l.w, height, l.w, height)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="white"/>`+"\n", l.w, height)
	s := &l.p.sum
	title := fmt.Sprintf("%s: %d devices on %d servers", s.Kind, s.Devices, s.Servers)
	if s.Superpods > 1 {
		title += fmt.Sprintf(" in %d superpods", s.Superpods)
	}
	if l.load != nil {
		title += ", " + l.load.Title
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="16" font-weight="bold">%s</text>`+"\n", margin, margin, escape(title))
	for _, f := range l.frames {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="10" fill="#f9fafb" stroke="#9ca3af"/>`+"\n", f.x, f.y, f.w, f.h)
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="10" fill="#6b7280">%s</text>`+"\n", f.x+8, f.y+14, escape(f.title))
	}
}

// line draws what joins two boxes.
func (l *layout) line(b *strings.Builder, ln *line) {
	if ln.a == ln.b {
		return // a note in the box
	}
	from, to := l.at[ln.a], l.at[ln.b]
	stroke, width, dash := colour(ln.layer), 1, ""
	if ln.count > 1 {
		width = 2
	}
	about := fmt.Sprintf("%s - %s: %s, layer %d, %s", l.p.boxes[ln.a].name, l.p.boxes[ln.b].name, ln.label(), ln.layer, ln.protocols)
	if ln.load != nil {
		s := ln.load.step()
		stroke, width = s.colour, s.width
		if about += "; " + ln.load.about(); ln.load.drops > 0 {
			dash = ` stroke-dasharray="6 3"`
		}
	}
	fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="%d" stroke-opacity="0.7"%s><title>%s</title></line>`+"\n",
		from.x, from.y, to.x, to.y, stroke, width, dash, escape(about))
}

// number writes on a line between boxes of several how many links it stands for.
func (l *layout) number(b *strings.Builder, ln *line) {
	if ln.a == ln.b || l.p.boxes[ln.a].note == nil && l.p.boxes[ln.b].note == nil {
		return
	}
	from, to := l.at[ln.a], l.at[ln.b]
	text, fill := ln.label(), colour(ln.layer)
	if ln.load != nil {
		text, fill = text+", "+ln.load.percent(), "#111827"
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="10" text-anchor="middle" fill="%s" stroke="white" stroke-width="4" paint-order="stroke">%s</text>`+"\n",
		(from.x+to.x)/2, (from.y+to.y)/2+3, fill, escape(text))
}

func (l *layout) box(b *strings.Builder, i int) {
	p, s, it := l.at[i], l.size[i], &l.p.boxes[i]
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="#374151"/>`+"\n", p.x-s.x, p.y-s.y, 2*s.x, 2*s.y, fill(it.kind))
	if it.note == nil {
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="10" text-anchor="middle">%s</text>`+"\n", p.x, p.y+4, escape(it.name))
		return
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="12" text-anchor="middle" font-weight="bold">%s</text>`+"\n", p.x, p.y-s.y+16, escape(it.name))
	for k, note := range it.note {
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="10" text-anchor="middle">%s</text>`+"\n", p.x, p.y-s.y+16+noteH*(k+1), escape(note))
	}
}

// legend says what the colours stand for, with the numbers of the summary.
func (l *layout) legend(b *strings.Builder) {
	y := l.h + 20
	for _, r := range l.p.sum.Links {
		stroke := colour(r.Layer)
		if l.load != nil {
			stroke = "#6b7280" // colours speak of the load
		}
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="3"/>`+"\n", margin, y-4, margin+24, y-4, stroke)
		text := fmt.Sprintf("layer %d: %d links %s - %s, %s each, %s, %s", r.Layer, r.Count, r.From, r.To, rate(r.Rate), r.Latency, r.Protocols)
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11">%s</text>`+"\n", margin+32, y, escape(text))
		y += 18
	}
	if l.load != nil {
		y = l.scale(b, y)
	}
	if len(l.p.racks) == 0 {
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="10" fill="#6b7280">%s</text>`+"\n", margin, y, "a box stands for several nodes, a line for all links between two boxes")
	}
}

// escape makes text safe inside a document.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
