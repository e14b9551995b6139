package ns3ub

import (
	"fmt"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/units"
)

// creditFrame are the bytes of the packet that returns credit: two flits with a
// count for every lane.
const creditFrame = 40

// The smallest packets: acknowledgements of RTP, of compact transport, and of
// loads and stores.
const (
	ackRTP    = 70
	ackCTP    = 24
	ackMemory = 16
)

// features are the lanes, the flow control and the allocation time of the case.
// In trains the ports that packets came in by take no turns, which would be those
// of whole trains, and allocation, which acts on single packets, is left out.
func (c *Case) features(trains bool) (fabric.Features, error) {
	a := &c.Attr
	f := fabric.Features{Lanes: int(a.Lanes), Turns: !trains}
	if !trains && c.latent() == 0 {
		f.Allocation = c.allocation()
	}
	f.Buffer.Reserve = a.Reserve
	switch a.FlowControl {
	case "CBFC_SHARED":
		f.Credits.Shared = int32(a.SharedCredit)
		fallthrough
	case "CBFC":
		f.Buffer = fabric.Buffer{} // credits keep within it
		f.Credits.Cells, f.Credits.Flit, f.Credits.Flits = int32(a.InitCredit), int32(a.FlitBytes), int32(a.FlitsPerCell)
		f.Credits.Grain = int32(min(a.CreditThreshold, a.InitCredit))
		f.Credits.DataGrain, f.Credits.Frame = int32(min(a.GrainData, a.InitCredit)), creditFrame
	case "PFC_FIXED":
		f.Pause = fabric.Pause{Lanes: 1<<a.Lanes - 1, Off: a.PauseAbove, On: a.ResumeBelow}
	case "PFC_DYNAMIC":
		if a.Shared == 0 {
			return f, fmt.Errorf("%s: FlowControl is PFC_DYNAMIC without UbQueueManager::SharedPoolBytes, want the bytes to share", c.path("network_attribute.txt"))
		}
		f.Pause = fabric.Pause{Lanes: 1<<a.Lanes - 1, Dynamic: true, Below: a.ResumeGap}
		f.Buffer.Shared, f.Buffer.Headroom, f.Buffer.Alpha = a.Shared, a.Headroom, uint(a.Alpha)
	}
	return f, f.Check()
}

// chooses is the time a node takes to choose a packet: for RTP its forward delay,
// where it has one, as that simulator takes it; the attribute counts else.
func (c *Case) chooses(n *Node) sim.Time {
	if n.Given && !c.Attr.CTP {
		return n.Forward
	}
	return c.Attr.Allocation
}

// allocation is the time that every node takes to choose a packet.
func (c *Case) allocation() sim.Time {
	least := sim.Forever
	for i := range c.Nodes {
		least = min(least, c.chooses(&c.Nodes[i]))
	}
	return least
}

// latent is the allocation time where no packet is shorter than it: choices then
// overlap with packets on the wire and cost nothing but latency, which every link
// has in addition. It is 0 where allocation has to be followed packet by packet.
func (c *Case) latent() sim.Time {
	smallest := int64(ackRTP)
	if c.Attr.CTP {
		smallest = ackCTP
	}
	for i := range c.Tasks {
		if op := c.Tasks[i].Op; op == OpStore || op == OpLoad {
			smallest = ackMemory
		}
	}
	fastest := units.Rate(0)
	for i := range c.Links {
		fastest = max(fastest, c.Links[i].Rate)
	}
	if t := c.allocation(); t <= fastest.Time(smallest) {
		return t
	}
	return 0
}

// counts says that allocation has to be followed packet by packet, which trains
// cannot.
func (c *Case) counts() bool { return c.allocation() > 0 && c.latent() == 0 }

// passes is the time that a packet takes through a switch beyond the allocation of
// all nodes: the rest of the switch's own, or, for compact transport, its forward
// delay.
func (c *Case) passes(n *Node) sim.Time {
	t := c.chooses(n) - c.allocation()
	if c.Attr.CTP && n.Given {
		t += n.Forward
	}
	return t
}
