package draw

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hsim/host/soc"
	"hsim/host/topo"
)

// Text writes what a cluster consists of: switches with their oversubscription,
// links by layer, the ports of a device, and who reaches whom over what.
func Text(w io.Writer, c *topo.Cluster) error {
	g := c.Graph
	s := g.Summary()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s on %s", s.Kind, plural(s.Devices, "device", "devices"), plural(s.Servers, "server", "servers"))
	if s.Superpods > 1 {
		fmt.Fprintf(&b, " in %d superpods", s.Superpods)
	}
	fmt.Fprintf(&b, ", %s, %s", plural(s.Hosts, "host", "hosts"), plural(s.Size, "link", "links"))
	if g.Spares > 0 {
		fmt.Fprintf(&b, ", %s", plural(g.Spares, "backup device", "backup devices"))
		b.WriteString(standIns(g))
	}
	fmt.Fprintf(&b, "; chip %s", c.Chip.Name)
	if c.Version != "" {
		fmt.Fprintf(&b, "; rank table %s with %s", c.Version, plural(len(c.Ranks), "rank", "ranks"))
	}
	b.WriteString("\n\n")
	switches(&b, g, &s)
	links(&b, &s)
	ports(&b, c)
	reach(&b, g)
	_, err := io.WriteString(w, b.String())
	return err
}

// standIns names the backup devices that stand in for others.
func standIns(g *topo.Graph) string {
	var out []string
	for _, n := range g.Nodes[len(g.Nodes)-g.Spares:] {
		if n.Replaced {
			out = append(out, n.Name)
		}
	}
	if len(out) == 0 {
		return ""
	}
	if more := len(out) - 8; more > 0 {
		out = append(out[:8], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf(" (in the place of %s)", strings.Join(out, ", "))
}

func switches(b *strings.Builder, g *topo.Graph, s *topo.Summary) {
	if len(s.Tiers) == 0 {
		return
	}
	over := g.Oversubscription()
	rows := [][]string{{"SWITCHES", "COUNT", "PORTS", "DELAY", "FORWARDING", "DOWN", "UP", "OVERSUBSCRIPTION"}}
	for _, t := range s.Tiers {
		n := fmt.Sprint(t.MinPorts)
		if t.MaxPorts > t.MinPorts {
			n += fmt.Sprintf("..%d", t.MaxPorts)
		}
		row := []string{t.Tier, fmt.Sprint(t.Switches), n, t.Delay.String(), "cut-through", "-", "-", "-"}
		if t.Store {
			row[4] = "store and forward"
		}
		for _, o := range over {
			if o.Tier != t.Tier {
				continue
			}
			if row[5] = rate(o.Down); o.Up > 0 {
				row[6], row[7] = rate(o.Up), ratio(o.Percent)
			}
			break
		}
		rows = append(rows, row)
	}
	columns(b, rows)
}

// ratio prints a percentage as n:1.
func ratio(percent int64) string {
	if percent%100 == 0 {
		return fmt.Sprintf("%d:1", percent/100)
	}
	return fmt.Sprintf("%d.%02d:1", percent/100, percent%100)
}

func links(b *strings.Builder, s *topo.Summary) {
	if len(s.Links) == 0 {
		return
	}
	rows := [][]string{{"LAYER", "LINKS", "BETWEEN", "RATE", "LATENCY", "PROTOCOLS"}}
	for _, l := range s.Links {
		rows = append(rows, []string{fmt.Sprint(l.Layer), fmt.Sprint(l.Count), l.From + " - " + l.To, rate(l.Rate), l.Latency.String(), l.Protocols.String()})
	}
	columns(b, rows)
}

// ports lists the port groups of the chip with how many are linked, and the
// linked ports that files name beside them.
func ports(b *strings.Builder, c *topo.Cluster) {
	g := c.Graph
	linked := make([]int, len(c.Chip.Ports)+1)
	for d := range topo.NodeID(g.Devices) {
		for _, p := range g.NodePorts(d) {
			linked[groupOf(c.Chip, &g.Ports[p])]++
		}
	}
	rows := [][]string{{"PORTS OF A DEVICE", "FOR", "RATE", "LINKED OF ALL", "PROTOCOLS"}}
	for i := range c.Chip.Ports {
		p := &c.Chip.Ports[i]
		name := fmt.Sprintf("%d/%d", p.Die, p.First)
		if p.Count > 1 {
			name += fmt.Sprintf(" to %d/%d", p.Die, p.First+p.Count-1)
		}
		rows = append(rows, []string{name, p.Role.String(), rate(p.Rate), fmt.Sprintf("%d of %d", linked[i], p.Count*g.Devices), p.Protocols.String()})
	}
	if n := linked[len(c.Chip.Ports)]; n > 0 {
		rows = append(rows, []string{"others", "-", "-", fmt.Sprint(n), "-"})
	}
	columns(b, rows)
}

func groupOf(chip *soc.Chip, p *topo.Port) int {
	for i := range chip.Ports {
		g := &chip.Ports[i]
		if int(p.Die) == g.Die && int(p.Index) >= g.First && int(p.Index) < g.First+g.Count {
			return i
		}
	}
	return len(chip.Ports)
}

// reach shows the way from the first device to the nearest of each kind: in its
// server, in another, in another superpod.
func reach(b *strings.Builder, g *topo.Graph) {
	rows := [][]string{{"FROM", "TO", "PLACE", "PROTOCOL", "LINKS", "LATENCY", "RATE", "PATHS"}}
	seen := map[string]bool{}
	for d := topo.NodeID(1); int(d) < g.Devices; d++ {
		first, n := &g.Nodes[0], &g.Nodes[d]
		place := "same server"
		switch {
		case n.Super != first.Super:
			place = "other superpod"
		case n.Server != first.Server:
			place = "other server"
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		p := g.Protocol(0, d)
		row := []string{first.Name, n.Name, place, p.String(), "none", "-", "-", "-"}
		if info, ok := g.PathInfo(0, d, p); ok && info.Hops > 0 {
			row[4], row[5], row[6], row[7] = fmt.Sprint(info.Hops), info.Latency.String(), rate(info.SumRate), fmt.Sprint(info.Paths)
		}
		rows = append(rows, row)
	}
	if len(rows) > 1 {
		columns(b, rows)
	}
}

// Ranks writes where every rank runs: its node, server and superpod, the physical
// and the logic id of its device, its id in the topology file, and its address in
// the scale-out network, or the first it has.
func Ranks(w io.Writer, c *topo.Cluster) error {
	g := c.Graph
	logic := map[topo.NodeID]int{}
	for s := range g.Servers {
		for i, d := range c.Logic(s) {
			logic[d] = i
		}
	}
	addr := map[topo.NodeID]string{}
	best := map[topo.NodeID]bool{}
	for _, e := range c.EndPoints {
		if nic := e.Type != topo.EID && e.Layer == 2; addr[e.Node] == "" || nic && !best[e.Node] {
			addr[e.Node], best[e.Node] = e.Addr, nic
		}
	}
	rows := [][]string{{"RANK", "NODE", "SERVER", "SUPERPOD", "PHYSICAL", "LOGIC", "LOCAL", "ADDRESS"}}
	for r := range c.Ranks {
		rank := &c.Ranks[r]
		n := &g.Nodes[rank.Node]
		row := []string{fmt.Sprint(r), n.Name, c.Servers[n.Server].ID, c.Servers[n.Server].Pod, "-", "-", "-", addr[rank.Node]}
		if n.Kind == topo.Device {
			row[4], row[6] = fmt.Sprint(n.Index), fmt.Sprint(rank.Local)
			if l, ok := logic[rank.Node]; ok {
				row[5] = fmt.Sprint(l)
			}
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	columns(&b, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// Check writes a report of Inspect.
func Check(w io.Writer, g *topo.Graph, r *topo.Report) error {
	var b strings.Builder
	rows := [][]string{{"PROTOCOL", "PAIRS IT JOINS", "OF"}}
	for _, p := range r.Reach {
		rows = append(rows, []string{p.Protocol.String(), fmt.Sprint(p.Pairs), fmt.Sprint(p.Total)})
	}
	if len(r.Reach) > 0 {
		columns(&b, rows)
	}
	for _, f := range r.Findings {
		word := "note"
		if f.Fault() {
			word = "FAULT"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", word, f.Kind, f.Text)
	}
	if r.OK() {
		fmt.Fprintf(&b, "%s: every device reaches every other\n", g.Kind)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// columns writes rows with their columns under each other, and an empty line.
func columns(b *strings.Builder, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			line += cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\n")
}
