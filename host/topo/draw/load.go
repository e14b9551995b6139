package draw

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hsim/host/topo"
	"hsim/host/units"
)

// Load is what the ports of a graph carried in a run: of those that sent anything,
// the busiest first.
type Load struct {
	Title string // of the run, as pictures show it
	Ports []PortLoad
	More  int // ports that sent something and are not listed

	of map[topo.PortID]*PortLoad
}

// PortLoad is what one port sent, in the direction away from it.
type PortLoad struct {
	Port        topo.PortID
	Utilisation float64 // part of the run that its wire was taken, 0 to 1
	Rate        units.Rate
	Bytes       int64
	WaitUS      float64 // longest time that a packet waited for the wire
	Drops       int64
}

func (l *Load) port(id topo.PortID) *PortLoad {
	if l.of == nil {
		l.of = map[topo.PortID]*PortLoad{}
		for i := range l.Ports {
			l.of[l.Ports[i].Port] = &l.Ports[i]
		}
	}
	return l.of[id]
}

// carried is what the links of one line carried.
type carried struct {
	most  float64 // utilisation of the busiest direction of a link
	where string  // that direction
	drops int64
}

// add adds a link; c may be nil.
func (c *carried) add(g *topo.Graph, load *Load, l *topo.Link) *carried {
	if c == nil {
		c = &carried{}
	}
	for _, id := range []topo.PortID{l.A, l.B} {
		p := load.port(id)
		if p == nil {
			continue
		}
		c.drops += p.Drops
		if p.Utilisation > c.most || c.where == "" {
			c.most, c.where = p.Utilisation, g.PortName(id)+" to "+g.PortName(g.Peer(id))
		}
	}
	return c
}

// used is the utilisation by which lines are ordered.
func (c *carried) used() float64 {
	if c == nil {
		return 0
	}
	return c.most
}

func (c *carried) percent() string { return fmt.Sprintf("%.0f %%", 100*c.most) }

// about says what a line carried, in words.
func (c *carried) about() string {
	if c.where == "" {
		return "carried nothing"
	}
	s := fmt.Sprintf("busiest %s, %s", c.where, c.percent())
	if c.drops > 0 {
		s += fmt.Sprintf(", %d packets lost", c.drops)
	}
	return s
}

// step is how a line is drawn whose utilisation is below a bound.
type step struct {
	below  float64
	colour string
	width  int
	text   string
}

var steps = []step{
	{0, "#d1d5db", 1, "carried nothing"},
	{0.2, "#3b82f6", 2, "below 20 % of the time"},
	{0.4, "#10b981", 3, "20 to 40 %"},
	{0.6, "#eab308", 4, "40 to 60 %"},
	{0.8, "#f97316", 5, "60 to 80 %"},
	{2, "#dc2626", 6, "80 % and more"},
}

func (c *carried) step() step {
	if c.where == "" {
		return steps[0]
	}
	for _, s := range steps[1:] {
		if c.most < s.below {
			return s
		}
	}
	return steps[len(steps)-1]
}

// scale draws the legend of the load and returns where the next row begins.
func (l *layout) scale(b *strings.Builder, y int) int {
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11">%s</text>`+"\n", margin, y, "wire taken, in the busier direction of the busiest link of a line:")
	for _, s := range steps {
		y += 18
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="%d"/>`+"\n", margin, y-4, margin+24, y-4, s.colour, s.width)
		fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11">%s</text>`+"\n", margin+32, y, escape(s.text))
	}
	y += 18
	fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#6b7280" stroke-width="3" stroke-dasharray="6 3"/>`+"\n", margin, y-4, margin+24, y-4)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11">%s</text>`+"\n", margin+32, y, "dashed: packets were lost")
	return y + 18
}

// scaleText is the legend in one line.
func scaleText() string {
	return "thin to thick: busy 0, 20, 40, 60, 80 % of the time; dashed: packets were lost"
}

// shown is how many ports the table of a load lists.
const shown = 20

// LoadTable writes the busiest ports of a run.
func LoadTable(w io.Writer, g *topo.Graph, load *Load) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s sent something\n\n", load.Title, plural(len(load.Ports)+load.More, "port", "ports"))
	rows := [][]string{{"PORT", "TO", "RATE", "BUSY", "BYTES", "LONGEST WAIT", "LOST"}}
	ports := slices.Clone(load.Ports)
	slices.SortStableFunc(ports, func(a, b PortLoad) int {
		switch {
		case a.Utilisation > b.Utilisation:
			return -1
		case a.Utilisation < b.Utilisation:
			return 1
		}
		return 0
	})
	for _, p := range ports[:min(len(ports), shown)] {
		rows = append(rows, []string{g.PortName(p.Port), g.PortName(g.Peer(p.Port)), rate(p.Rate), fmt.Sprintf("%.1f %%", 100*p.Utilisation),
			fmt.Sprint(p.Bytes), fmt.Sprintf("%.2f us", p.WaitUS), fmt.Sprint(p.Drops)})
	}
	columns(&b, rows)
	if n := len(ports) + load.More - min(len(ports), shown); n > 0 {
		fmt.Fprintf(&b, "and %s\n", plural(n, "more port", "more ports"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
