package draw

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"hsim/host/topo"
)

// Sizes of the picture in pixels.
const (
	boxW, boxH = 64, 24
	bigW, bigH = 156, 26 // a box of several, without its notes
	noteH      = 14
	gap        = 18
	rowGap     = 96
	margin     = 28
	perRow     = 20 // switches in one row
)

// point is the middle of a box.
type point struct{ x, y int }

// rectangle is a frame with a title.
type rectangle struct {
	x, y, w, h int
	title      string
}

// layout is where everything is.
type layout struct {
	p      *picture
	at     []point
	size   []point // half width and half height
	frames []rectangle
	w, h   int
	load   *Load
}

// SVG writes a graph as a picture: the devices of a server in a frame, in a
// circle where cables join them, switches above by tier, the scale-out network
// below, and a legend with what each colour stands for.
func SVG(w io.Writer, g *topo.Graph) error { return SVGLoad(w, g, nil) }

// SVGLoad is SVG with lines by what they carried: colour and width by the busiest
// direction, dashes where packets were lost, and a legend that says so.
func SVGLoad(w io.Writer, g *topo.Graph, load *Load) error {
	l := place(pictureOf(g, load))
	l.load = load
	var b strings.Builder
	l.head(&b)
	for _, i := range l.order() {
		l.line(&b, &l.p.lines[i])
	}
	for i := range l.p.lines {
		l.number(&b, &l.p.lines[i])
	}
	for i := range l.p.boxes {
		l.box(&b, i)
	}
	l.legend(&b)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// place finds the places: rows of switches from the top down, then the devices,
// then the scale-out network.
func place(p *picture) *layout {
	l := &layout{p: p, at: make([]point, len(p.boxes)), size: make([]point, len(p.boxes))}
	top := 0
	for i := range p.boxes {
		l.size[i] = point{boxW / 2, boxH / 2}
		if n := len(p.boxes[i].note); n > 0 {
			l.size[i] = point{bigW / 2, (bigH + noteH*n) / 2}
		}
		top = max(top, p.boxes[i].level)
	}
	ground := l.ground()
	width := l.groundWidth(ground)
	for level := 1; level <= top; level++ {
		width = max(width, l.rowWidth(l.of(level)))
	}
	width = max(width, l.rowWidth(l.of(-1)), 420)
	l.w = width + 2*margin
	y := margin + 34
	for level := top; level >= 1; level-- {
		y = l.row(l.of(level), y)
	}
	y = l.racks(ground, y)
	if below := l.of(-1); len(below) > 0 {
		y = l.row(below, y+rowGap/2) - rowGap/2
	}
	l.h = y
	return l
}

// of lists the boxes of a level.
func (l *layout) of(level int) []int {
	var out []int
	for i := range l.p.boxes {
		if l.p.boxes[i].level == level {
			out = append(out, i)
		}
	}
	return out
}

func (l *layout) rowWidth(boxes []int) int {
	w := 0
	for i, b := range boxes {
		if i < perRow {
			w += 2*l.size[b].x + gap
		}
	}
	return w
}

// row places boxes side by side, in several rows where there are many, and
// returns where the next row begins.
func (l *layout) row(boxes []int, y int) int {
	for from := 0; from < len(boxes); from += perRow {
		part := boxes[from:min(from+perRow, len(boxes))]
		total, high := l.rowWidth(part), 0
		x := (l.w - total) / 2
		for _, b := range part {
			l.at[b] = point{x + gap/2 + l.size[b].x, y + l.size[b].y}
			x += 2*l.size[b].x + gap
			high = max(high, 2*l.size[b].y)
		}
		y += high + gap
	}
	if len(boxes) == 0 {
		return y
	}
	return y + rowGap - gap
}

// rack is the devices and hosts of one server, or boxes that stand alone.
type rack struct {
	devices, hosts []int
	ring           bool // cables join the devices
	w, h           int
}

// ground groups the boxes of level 0.
func (l *layout) ground() []rack {
	racks := make([]rack, len(l.p.racks))
	var out []rack
	for i := range l.p.boxes {
		b := &l.p.boxes[i]
		switch {
		case b.level != 0:
		case b.rack < 0:
			out = append(out, rack{devices: []int{i}, w: 2 * l.size[i].x, h: 2 * l.size[i].y})
		case b.kind == topo.Host:
			racks[b.rack].hosts = append(racks[b.rack].hosts, i)
		default:
			racks[b.rack].devices = append(racks[b.rack].devices, i)
		}
	}
	for _, ln := range l.p.lines {
		a, b := &l.p.boxes[ln.a], &l.p.boxes[ln.b]
		if a.kind == topo.Device && b.kind == topo.Device && a.rack >= 0 && a.rack == b.rack {
			racks[a.rack].ring = true
		}
	}
	for _, r := range racks {
		n := max(len(r.devices), 1)
		if r.ring = r.ring && n >= 3; r.ring {
			side := max(2*ringRadius(n)+boxH, n*26)
			r.w, r.h = side+boxW, 2*ringRadius(n)+boxH
		} else {
			cols := min(n, 8)
			r.w, r.h = cols*(boxW+8), (n+cols-1)/cols*(boxH+14)
		}
		if len(r.hosts) > 0 {
			r.w, r.h = max(r.w, len(r.hosts)*(boxW+8)), r.h+boxH+30
		}
		r.w, r.h = r.w+2*gap, r.h+2*gap
		out = append(out, r)
	}
	return out
}

// ringRadius is the radius of a circle of n devices.
func ringRadius(n int) int { return max(46, n*16) }

// perShelf is how many servers stand side by side.
func perShelf(n int) int { return max(4, int(math.Ceil(math.Sqrt(float64(2*n))))) }

func (l *layout) groundWidth(racks []rack) int {
	w, most := 0, 0
	for i, r := range racks {
		if i%perShelf(len(racks)) == 0 {
			w = 0
		}
		w += r.w + gap
		most = max(most, w)
	}
	return most
}

// racks places the servers and returns where the next row begins.
func (l *layout) racks(racks []rack, y int) int {
	shelf := perShelf(len(racks))
	for from := 0; from < len(racks); from += shelf {
		part := racks[from:min(from+shelf, len(racks))]
		total, high := -gap, 0
		for _, r := range part {
			total, high = total+r.w+gap, max(high, r.h)
		}
		x := (l.w - total) / 2
		for _, r := range part {
			l.rack(&r, x, y)
			x += r.w + gap
		}
		y += high + gap + 14
	}
	return y
}

func (l *layout) rack(r *rack, x, y int) {
	if len(r.devices) > 0 && l.p.boxes[r.devices[0]].rack < 0 {
		l.at[r.devices[0]] = point{x + r.w/2, y + r.h/2}
		return
	}
	all := append(append([]int{}, r.devices...), r.hosts...)
	if len(all) == 0 {
		return
	}
	l.frames = append(l.frames, rectangle{x, y, r.w, r.h, l.p.racks[l.p.boxes[all[0]].rack]})
	n := len(r.devices)
	if r.ring {
		radius := ringRadius(n)
		for k, d := range r.devices {
			angle := 2*math.Pi*float64(k)/float64(n) - math.Pi/2
			rx := float64(r.w-2*gap-boxW) / 2
			l.at[d] = point{x + r.w/2 + int(rx*math.Cos(angle)), y + gap + boxH/2 + radius + int(float64(radius)*math.Sin(angle))}
		}
	} else {
		cols := min(max(n, 1), 8)
		for k, d := range r.devices {
			l.at[d] = point{x + r.w/2 + (2*(k%cols)-cols+1)*(boxW+8)/2, y + gap + boxH/2 + k/cols*(boxH+14)}
		}
	}
	for k, h := range r.hosts {
		l.at[h] = point{x + r.w/2 + (2*k-len(r.hosts)+1)*(boxW+8)/2, y + r.h - gap - boxH/2}
	}
}

// order is that in which lines are drawn: the busiest last, on top of the others.
func (l *layout) order() []int {
	out := make([]int, len(l.p.lines))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(l.p.lines[a].load.used(), l.p.lines[b].load.used()) })
	return out
}
