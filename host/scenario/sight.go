package scenario

import (
	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

// NetworkReport is what the network carried in one simulation.
type NetworkReport struct {
	Drops   int64          `json:"drops"`   // packets that were lost
	Corrupt int64          `json:"corrupt"` // packets that arrived damaged
	Marked  int64          `json:"marked"`  // packets with a congestion mark
	Pauses  int64          `json:"pauses"`
	Resent  uint64         `json:"resent"` // packets that transports sent again
	Flows   *FlowReport    `json:"flows,omitempty"`
	Ports   []PortReport   `json:"ports"`             // that sent anything, the busiest first
	More    int            `json:"more,omitempty"`    // ports that are left out
	Samples []SampleReport `json:"samples,omitempty"` // with fabric.sample
}

// FlowReport sums up how long transfers took, from their first packet to their completion.
type FlowReport struct {
	Transfers int    `json:"transfers"`
	Failed    int    `json:"failed"`
	Bytes     int64  `json:"bytes"`
	P50       Micros `json:"p50_us"`
	P99       Micros `json:"p99_us"`
	Max       Micros `json:"max_us"`
}

// PortReport is what one port sent, in the direction away from it.
type PortReport struct {
	Port        string  `json:"port"`
	Peer        string  `json:"peer"`
	Rate        int64   `json:"rate_bps"`
	Utilisation Decimal `json:"utilisation"` // part of the run that its wire was taken
	Bytes       int64   `json:"bytes"`       // on the wire
	Packets     int64   `json:"packets"`
	LongestUS   Micros  `json:"longest_wait_us"`
	Depth       int64   `json:"queue_bytes,omitempty"` // the longest queue, of ports that count it
	Drops       int64   `json:"drops,omitempty"`
	Full        int64   `json:"dropped_full,omitempty"` // of the drops, those that found no room
	Corrupt     int64   `json:"corrupt,omitempty"`
	Marked      int64   `json:"marked,omitempty"`
	Pauses      int64   `json:"pauses,omitempty"`
	BlockedUS   Micros  `json:"blocked_us,omitempty"` // packets waited and none was allowed to start
}

// SampleReport is what one port did in one period; a port is listed where something changed.
type SampleReport struct {
	Port        string  `json:"port"`
	FromUS      Micros  `json:"from_us"`
	ToUS        Micros  `json:"to_us"`
	Utilisation Decimal `json:"utilisation"`
	Queue       int64   `json:"queue_bytes"`
	Drops       int64   `json:"drops"` // since the beginning
}

// Busiest is the port that was busiest during a row.
type Busiest struct {
	Port        string  `json:"port"`
	Peer        string  `json:"peer"`
	Rate        int64   `json:"rate_bps"`
	Utilisation Decimal `json:"utilisation"` // part of the row's time
	Alike       int     `json:"alike"`       // ports within one part in a hundred of it, itself included
	Ports       int     `json:"ports"`       // that sent anything in the row
}

// Limits is the utilisation from which on the network is said to have set the pace.
const limits = 0.8

// Limiting says that the network set the pace: the busiest port had hardly a pause.
func (b *Busiest) Limiting() bool { return b != nil && b.Utilisation >= limits }

// maxPorts and maxSamples bound a report.
const (
	maxPorts   = 20_000
	maxSamples = 200_000
)

// watch holds what the ports had done when a row began.
type watch struct {
	at   sim.Time
	busy []sim.Time
}

func (x *execution) watchPorts() *watch {
	w := &watch{at: x.w.eng.Now(), busy: make([]sim.Time, len(x.graph.Ports))}
	for i := range w.busy {
		w.busy[i] = x.w.fab.Busy(topo.PortID(i))
	}
	return w
}

// busiest is the port that was busiest since the watch began, nil where none sent anything.
func (x *execution) busiest(w *watch) *Busiest {
	span := x.w.eng.Now() - w.at
	if span <= 0 {
		return nil
	}
	best, id, ports := sim.Time(0), topo.PortID(topo.None), 0
	used := make([]sim.Time, 0, len(w.busy))
	for i := range w.busy {
		b := x.w.fab.Busy(topo.PortID(i)) - w.busy[i]
		if b <= 0 {
			continue
		}
		ports++
		used = append(used, b)
		if b > best {
			best, id = b, topo.PortID(i)
		}
	}
	if id == topo.None {
		return nil
	}
	alike := 0
	for _, b := range used {
		if best-b <= best/100 {
			alike++
		}
	}
	return &Busiest{Port: x.graph.PortName(id), Peer: x.graph.PortName(x.graph.Peer(id)), Rate: int64(x.w.fab.Rate(id)),
		Utilisation: Decimal(min(float64(best)/float64(span), 1)), Alike: alike, Ports: ports}
}

// network fills the report of what the ports carried.
func (x *execution) network() *NetworkReport {
	n := &NetworkReport{Resent: x.w.net.Resent(), Ports: []PortReport{}, Samples: x.samples}
	for _, l := range x.w.fab.Loads() {
		n.Drops += l.Stat.Drops
		n.Corrupt += l.Stat.Corrupt
		n.Marked += l.Stat.Marked
		n.Pauses += l.Stat.Pauses
		if len(n.Ports) == maxPorts {
			n.More++
			continue
		}
		n.Ports = append(n.Ports, PortReport{Port: l.Port, Peer: l.Peer, Rate: l.Rate, Utilisation: Decimal(float64(l.Utilised) / 1e6),
			Bytes: l.Stat.Bytes, Packets: l.Stat.Packets, LongestUS: Micros(l.Stat.Queue), Depth: l.Stat.Depth, Drops: l.Stat.Drops,
			Full: l.Stat.Full, Corrupt: l.Stat.Corrupt, Marked: l.Stat.Marked, Pauses: l.Stat.Pauses, BlockedUS: Micros(l.Stat.Blocked)})
	}
	return n
}

// sampled keeps a sample for the report.
func (x *execution) sampled(s fabric.Sample) {
	if x.over {
		return
	}
	if len(x.samples) == maxSamples {
		if !x.full {
			x.full = true
			x.report.Warnings = append(x.report.Warnings, "the JSON report has the first 200000 samples; the trace has all of them (try a longer fabric.sample)")
		}
		return
	}
	x.samples = append(x.samples, SampleReport{Port: x.graph.PortName(s.Port), FromUS: Micros(s.From), ToUS: Micros(s.At),
		Utilisation: Decimal(float64(s.Utilised) / 1e6), Queue: s.Depth, Drops: s.Drops})
}
