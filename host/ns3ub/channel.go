package ns3ub

import "io/fs"

const (
	chanNodeA = iota
	chanPortA
	chanTPNA
	chanNodeB
	chanPortB
	chanTPNB
	chanPriority
	chanMetric
)

var channelColumns = []column{
	{[]string{"nodeId1", "node1"}, true},
	{[]string{"portId1", "port1"}, true},
	{[]string{"tpn1"}, true},
	{[]string{"nodeId2", "node2"}, true},
	{[]string{"portId2", "port2"}, true},
	{[]string{"tpn2"}, true},
	{[]string{"priority"}, true},
	{[]string{"metric", "metrics"}, false},
}

// maxPriority is the lowest of 16 priorities, each a virtual lane.
const maxPriority = 15

// noMetric is the metric of a channel that gives none: longer than any.
const noMetric = 1<<32 - 1

// readChannels reads transport_channel.csv; without one all channels are made on
// demand.
func (c *Case) readChannels(fsys fs.FS, probs *problems) {
	t := readTable(fsys, c.Dir, "transport_channel.csv", channelColumns, true, probs)
	if t == nil {
		return
	}
	c.noteColumns(t)
	type number struct{ node, tpn int64 }
	used := map[number]int{}
	for i := range t.rows {
		r := reader{t: t, row: &t.rows[i], probs: probs}
		ch := Channel{NodeA: r.device(c, chanNodeA), NodeB: r.device(c, chanNodeB), TPNA: r.int(chanTPNA, 0, maxID), TPNB: r.int(chanTPNB, 0, maxID),
			Priority: r.int(chanPriority, 0, maxPriority), Metric: noMetric, line: r.row.line}
		if r.text(chanMetric) != "" {
			ch.Metric = r.int(chanMetric, 0, noMetric)
		}
		if r.bad {
			continue
		}
		if ch.NodeA == ch.NodeB {
			r.fail(chanNodeB, "got node %d at both ends, want two devices", ch.NodeB)
			continue
		}
		ch.PortA, ch.PortB = r.port(c, chanPortA, ch.NodeA), r.port(c, chanPortB, ch.NodeB)
		for _, n := range []struct {
			number
			col int
		}{{number{ch.NodeA, ch.TPNA}, chanTPNA}, {number{ch.NodeB, ch.TPNB}, chanTPNB}} {
			if line, taken := used[n.number]; taken {
				r.fail(n.col, "channel number %d of node %d is used in line %d already, want every number once a node", n.tpn, n.node, line)
			}
			used[n.number] = r.row.line
		}
		if !r.bad {
			c.Channels = append(c.Channels, ch)
		}
	}
}
