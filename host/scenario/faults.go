package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
)

// faultKeys are the keys of a [[fault]].
func faultKeys() []Key {
	return []Key{
		{Path: "fault[].at", Kind: KindTime, Default: `"0"`, Doc: "Virtual time at which it begins; the first row of a configuration begins at 0."},
		{Path: "fault[].for", Kind: KindTime, Doc: "How long it lasts; not set = for ever."},
		{Path: "fault[].link", Kind: KindText, Doc: "The link that fails, by one of its ports: \"0/3\" is port 3 of device 0, \"0/1/3\" port 3 of its die 1, \"sw0/5\" or \"leaf0.2/5\" a switch's (`hsim topo --dot` names them)."},
		{Path: "fault[].device", Kind: KindInt, Min: 0, Max: maxRanks - 1, Doc: "Instead of a link: every link of this device, counted over all servers."},
		{Path: "fault[].rank", Kind: KindInt, Min: 0, Max: maxRanks - 1, Doc: "Instead of a link: every link of this rank's device."},
		{Path: "fault[].direction", Kind: KindEnum, Default: `"both"`, Values: []string{"both", "out", "in"}, Doc: "out: only what leaves by the port, or the device; in: only what comes in."},
		{Path: "fault[].down", Kind: KindOutage, Doc: "The link carries nothing: for so long, or true for ever (or for fault.for). What is sent is lost."},
		{Path: "fault[].rate", Kind: KindRate, Doc: "The link runs at this rate, which is below its own."},
		{Path: "fault[].latency", Kind: KindTime, Doc: "The link takes so much longer."},
		{Path: "fault[].loss", Kind: KindShare, Doc: "This share of the packets is lost, each by a draw of its own."},
		{Path: "fault[].corrupt", Kind: KindShare, Doc: "This share of the packets arrives damaged, and is dropped by who receives it."},
	}
}

// FaultSpec is one [[fault]] whose place in the cluster is still as written.
type FaultSpec struct {
	Link         string // "" = Device or Rank
	Device, Rank int    // -1 = another way of naming it
	Direction    string // both, out, in
	fabric.Fault        // Port and Both are filled by place
}

// faults reads the [[fault]] tables.
func (v *values) faults(c *Config) {
	for i := range v.elements("fault") {
		if v.orphan("fault", i) {
			continue
		}
		before := len(*v.probs)
		f := v.fault(c, element("fault", i))
		if len(*v.probs) == before {
			c.Faults = append(c.Faults, f)
		}
	}
}

var faultKinds = []string{"down", "rate", "latency", "loss", "corrupt"} // in the order of package fabric

func (v *values) fault(c *Config, table string) FaultSpec {
	pre := table + "."
	f := FaultSpec{Link: get[string](v, pre+"link"), Device: -1, Rank: -1, Direction: get[string](v, pre+"direction")}
	f.At, f.For = get[sim.Time](v, pre+"at"), get[sim.Time](v, pre+"for")
	f.Rate, f.Latency = get[units.Rate](v, pre+"rate"), get[sim.Time](v, pre+"latency")
	f.PPM = int32(get[int64](v, pre+"loss") + get[int64](v, pre+"corrupt"))
	if f.Kind = fabric.FaultKind(len(faultKinds)); v.one(table, "what is wrong", faultKinds) {
		for k, name := range faultKinds {
			if _, given := v.has(pre + name); given {
				f.Kind = fabric.FaultKind(k)
			}
		}
	}
	if v.one(table, "where it is", []string{"link", "device", "rank"}) {
		if _, given := v.has(pre + "device"); given {
			f.Device = int(get[int64](v, pre+"device"))
		}
		if _, given := v.has(pre + "rank"); given {
			if f.Rank = int(get[int64](v, pre+"rank")); f.Rank >= c.Ranks() && c.Ranks() > 0 {
				v.problem(pre+"rank", fmt.Sprintf("the cluster has ranks 0 to %d", c.Ranks()-1), "")
			}
		}
	}
	if down := get[sim.Time](v, pre+"down"); down > 0 {
		if _, given := v.has(pre + "for"); given {
			v.problem(pre+"for", "fault.down says how long already", "one of the two")
		}
		f.For = down
	}
	if _, given := v.has(pre + "for"); given && f.For == 0 {
		v.problem(pre+"for", "want more than 0", "leaving it out for ever")
	}
	if _, given := v.has(pre + "rate"); given && f.Rate == 0 {
		v.problem(pre+"rate", "want more than 0", "down = true")
	}
	if _, given := v.has(pre + "latency"); given && f.Latency == 0 {
		v.problem(pre+"latency", "want more than 0", "leaving the fault out")
	}
	if c.Limit > 0 && f.At >= c.Limit {
		v.problem(pre+"at", fmt.Sprintf("the run ends at %v (sim.limit), before the fault", c.Limit), "an earlier time")
	}
	return f
}

// one says whether just one of the keys of a table is given, and blames the table or the second key.
func (v *values) one(table, what string, keys []string) bool {
	var given []string
	for _, k := range keys {
		if _, ok := v.has(table + "." + k); ok {
			given = append(given, k)
		}
	}
	switch len(given) {
	case 0:
		v.problemIn(table, "does not say "+what+", want one of "+list(keys), "")
		return false
	case 1:
		return true
	}
	v.problem(table+"."+given[1], "stands beside "+given[0]+", want one of them", "a [[fault]] for each")
	return false
}

// placedFault is a fault on one link, with the table that it comes from.
type placedFault struct {
	fabric.Fault
	table int
}

// placeFaults finds the links of the faults in the graph, and refuses what is not there or what would be wrong twice.
func (p *plan) placeFaults() {
	v := p.cfg.values
	for i := range p.cfg.Faults {
		table := element("fault", i)
		var ports []topo.PortID
		f := &p.cfg.Faults[i]
		switch {
		case f.Link != "":
			id, want, try := findPort(p.graph, f.Link)
			if want != "" {
				v.problem(table+".link", want, try)
				continue
			}
			ports = []topo.PortID{id}
		case f.Rank >= 0:
			ports = p.graph.NodePorts(p.nodes()[f.Rank])
		case f.Device >= p.graph.Devices:
			v.problem(table+".device", fmt.Sprintf("the cluster has devices 0 to %d", p.graph.Devices-1), "")
			continue
		default:
			ports = p.graph.NodePorts(topo.NodeID(f.Device))
		}
		p.placeFault(f, i, ports)
	}
}

func (p *plan) placeFault(f *FaultSpec, i int, ports []topo.PortID) {
	slower := 0
	for _, id := range ports {
		x := placedFault{f.Fault, i}
		if rate := p.graph.LinkOf(id).Rate; x.Kind == fabric.FaultRate && rate > 0 && x.Rate >= rate {
			continue
		}
		slower++
		x.Port, x.Both = id, f.Direction == "both"
		if f.Direction == "in" {
			x.Port = p.graph.Peer(id)
		}
		if other := p.clash(&x); other >= 0 {
			v := p.cfg.values
			line := ""
			if s, ok := v.set[element("fault", other)+"."+faultKinds[x.Kind]]; ok {
				line = fmt.Sprintf(" (%s)", at(s.file, s.line))
			}
			v.problem(element("fault", i)+"."+faultKinds[x.Kind], fmt.Sprintf("at the same time fault[%d]%s has %s on %s, want one", other, line, faultKinds[x.Kind], linkName(p.graph, id)), "")
			return
		}
		p.faults = append(p.faults, x)
	}
	p.slowerLinks(f, i, slower, len(ports))
	if slower == 0 {
		p.cfg.values.problem(element("fault", i)+".rate", fmt.Sprintf("the link runs at %s, want less: a fault makes it slower", units.FormatRate(p.graph.LinkOf(ports[0]).Rate)), "")
	}
}

// clash is the table of a fault of the same kind on the same link at the same time, -1 without one.
func (p *plan) clash(x *placedFault) int {
	for i := range p.faults {
		o := &p.faults[i]
		same := o.Port == x.Port || (o.Both || x.Both) && p.graph.Peer(o.Port) == x.Port
		if o.table == x.table || o.Kind != x.Kind || !same {
			continue
		}
		if (o.For == 0 || x.At < o.At.Add(o.For)) && (x.For == 0 || o.At < x.At.Add(x.For)) {
			return o.table
		}
	}
	return -1
}

// findPort finds a port that a user names: DEVICE/PORT, DEVICE/DIE/PORT, or the same with the name of a node, which a
// colon may follow as in reports. want and try say what is wrong with it.
func findPort(g *topo.Graph, text string) (id topo.PortID, want, try string) {
	parts := strings.Split(strings.Replace(text, ":", "/", 1), "/")
	form := `want DEVICE/PORT such as "0/3", DEVICE/DIE/PORT, or a switch's, such as "sw0/5"`
	if len(parts) < 2 || len(parts) > 3 {
		return 0, form, ""
	}
	node, want, try := findNode(g, parts[0])
	if want != "" {
		return 0, want, try
	}
	die, number := -1, 0
	for i, s := range parts[1:] {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 1<<15 {
			return 0, form, ""
		}
		if i+2 < len(parts) {
			die = n
		} else {
			number = n
		}
	}
	var found []topo.PortID
	for _, q := range g.NodePorts(node) {
		if p := &g.Ports[q]; int(p.Index) == number && (die < 0 || int(p.Die) == die) {
			found = append(found, q)
		}
	}
	name := g.Nodes[node].Name
	switch len(found) {
	case 0:
		return 0, fmt.Sprintf("%s has no link at port %s, it has links at %s", name, strings.Join(parts[1:], "/"), portList(g, node)), ""
	case 1:
		return found[0], "", ""
	}
	var names []string
	for _, q := range found {
		names = append(names, strconv.Quote(parts[0]+"/"+g.Ports[q].Name()))
	}
	return 0, fmt.Sprintf("%s has a port %d on each of %d dies", name, number, len(found)), list(names)
}

// findNode finds a device by its number, or any node by its name.
func findNode(g *topo.Graph, text string) (id topo.NodeID, want, try string) {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 0 || n >= g.Devices {
			return 0, fmt.Sprintf("there is no device %s, the cluster has devices 0 to %d", text, g.Devices-1), ""
		}
		return topo.NodeID(n), "", ""
	}
	var names []string
	for n := range g.Nodes {
		if g.Nodes[n].Name == text {
			return topo.NodeID(n), "", ""
		}
		names = append(names, g.Nodes[n].Name)
	}
	return 0, "there is no node " + text + ", `hsim topo --dot` names them", soc.Nearest(text, names)
}

// portList names the linked ports of a node, the first few of many.
func portList(g *topo.Graph, n topo.NodeID) string {
	all := g.NodePorts(n)
	var names []string
	for _, q := range all[:min(len(all), 12)] {
		names = append(names, g.Ports[q].Name())
	}
	if len(all) > len(names) {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(all)-len(names))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// linkName names a link by its two ports.
func linkName(g *topo.Graph, p topo.PortID) string {
	return g.PortName(p) + " - " + g.PortName(g.Peer(p))
}

// faultsOf are the faults as the fabric takes them.
func (p *plan) faultsOf() []fabric.Fault {
	var out []fabric.Fault
	for i := range p.faults {
		out = append(out, p.faults[i].Fault)
	}
	return out
}

// blameFaults names the faults that were on at a time or had been before, for who reads of a failure.
func (p *plan) blameFaults(at sim.Time) string {
	var said []string
	for i := range p.cfg.Faults {
		f := &p.cfg.Faults[i]
		if f.At > at {
			continue
		}
		said = append(said, f.describe(p, i))
	}
	if len(said) == 0 {
		return ""
	}
	return "faults until then: " + strings.Join(said, "; ")
}

// describe says what is wrong where and when: "link npu0:0/3 - npu1:0/2 down from 200us on".
func (f *FaultSpec) describe(p *plan, table int) string {
	i := slices.IndexFunc(p.faults, func(x placedFault) bool { return x.table == table })
	if i < 0 {
		return ""
	}
	where := "link " + linkName(p.graph, p.faults[i].Port)
	switch {
	case f.Rank >= 0:
		where = fmt.Sprintf("all links of rank %d (%s)", f.Rank, p.graph.Nodes[p.nodes()[f.Rank]].Name)
	case f.Device >= 0:
		where = "all links of " + p.graph.Nodes[f.Device].Name
	}
	what := faultKinds[f.Kind]
	switch f.Kind {
	case fabric.FaultRate:
		what = "at " + units.FormatRate(f.Rate)
	case fabric.FaultLatency:
		what = fmt.Sprintf("%v slower", f.Latency)
	case fabric.FaultLoss:
		what = "losing " + percent(f.PPM)
	case fabric.FaultCorrupt:
		what = "damaging " + percent(f.PPM)
	}
	if f.Direction != "both" {
		what += " (" + f.Direction + ")"
	}
	if f.For == 0 {
		return fmt.Sprintf("%s %s from %v on", where, what, f.At)
	}
	return fmt.Sprintf("%s %s from %v to %v", where, what, f.At, f.At.Add(f.For))
}

func percent(ppm int32) string {
	return strconv.FormatFloat(float64(ppm)/1e4, 'f', -1, 64) + " % of its packets"
}
