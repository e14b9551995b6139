package scenario

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
)

// note keeps what is legal and has not the effect that it seems to have.
func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// unspoken are notes of protocols that the file has settings for and no device of any plan speaks. Of one variant of
// several only its own settings count: the others may speak what the file configures for all.
func unspoken(sc *Scenario, plans []*plan) []string {
	var out []string
	for i, name := range soc.ProtocolNames() {
		pre := "transport." + name + "."
		var with *plan
		spoken := false
		for _, p := range plans {
			spoken = spoken || slices.Contains(p.used, topo.Protocol(i))
			for path, s := range p.cfg.values.set {
				if strings.HasPrefix(path, pre) && (!sc.part || s.rank > 0) && with == nil {
					with = p
				}
			}
		}
		if with == nil || spoken || len(with.used) == 0 {
			continue
		}
		chip := with.cfg.Profile.Chip()
		try := "another cluster.profile"
		switch p := topo.Protocol(i); {
		case portsWith(chip, chip.ScaleUp).Has(p):
			try = "cluster.scale_up = " + written(name)
		case portsWith(chip, chip.ScaleOut).Has(p):
			var needs []string
			if p != chip.ScaleOut {
				needs = append(needs, "cluster.scale_out = "+written(name))
			}
			if !slices.Contains(with.used, chip.ScaleOut) {
				needs = append(needs, "a cluster of several scale-up domains")
			}
			try = strings.Join(needs, " and ")
		}
		var speak []string
		for _, q := range with.used {
			speak = append(speak, q.String())
		}
		out = append(out, fmt.Sprintf("transport.%s has no effect: no run uses %s, devices of the chip %s speak %s here (try %s)", name, name, chip.Name, strings.Join(speak, " and "), try))
	}
	return out
}

// portsWith is all that the ports carry which speak a protocol.
func portsWith(chip *soc.Chip, p soc.Protocol) soc.ProtocolSet {
	var all soc.ProtocolSet
	for i := range chip.Ports {
		if set := chip.Ports[i].Protocols; set.Has(p) {
			all |= set
		}
	}
	return all
}

// overridden notes parameters of a plugin that others of it, or the cluster, leave without effect.
func (p *plan) overridden() {
	if s, given := p.cfg.values.has("cluster.scale_up"); given && !slices.Contains(p.used, p.cfg.Profile.Chip().ScaleUp) {
		p.note("cluster.scale_up = %s has no effect: no links between devices of this cluster carry it", written(s.raw))
	}
	for _, proto := range p.used {
		m := p.mods[proto]
		if m == nil {
			continue
		}
		params := p.cfg.Transport[proto].Params
		find := func(name string) *Param {
			if i := slices.IndexFunc(params, func(x Param) bool { return x.Name == name }); i >= 0 {
				return &params[i]
			}
			return nil
		}
		spray, again := find("spray"), find("retransmit")
		if spray != nil && spray.Value == true && again != nil && again.Value == "go-back-n" && m.desc.Name == "rdma" {
			p.note("%s = %s has no effect beside %s: a packet that was overtaken would be a loss, so that only what is missing is sent again", again.path, written(again.Value), spray.path)
		}
		if least := find("rate_min"); least != nil {
			rate, most := units.Rate(m.value(least)), p.fastest(proto)
			if most > 0 && rate >= most {
				p.note("%s = %s: no port that carries %v is faster than %s, so that congestion never slows a sender", least.path, written(least.Value), proto, units.FormatRate(most))
			}
		}
	}
}

// value is a parameter as the module gets it, 0 where it does not take it.
func (m *module) value(x *Param) int64 {
	for i := range m.desc.Params {
		if d := &m.desc.Params[i]; d.Name == x.Name {
			n, _ := d.Parse(x.Value)
			return n
		}
	}
	return 0
}

// fastest is the rate of the fastest link of a device that carries a protocol; 0 = one has no limit.
func (p *plan) fastest(proto topo.Protocol) units.Rate {
	most := units.Rate(0)
	for _, n := range p.nodes() {
		for _, id := range p.graph.NodePorts(n) {
			l := p.graph.LinkOf(id)
			if !l.Protocols.Has(proto) {
				continue
			}
			if l.Rate == 0 {
				return 0
			}
			most = max(most, l.Rate)
		}
	}
	return most
}

// lateFaults are notes of faults that began when everything was over.
func (p *plan) lateFaults(end sim.Time) []string {
	var out []string
	for i := range p.cfg.Faults {
		if f := &p.cfg.Faults[i]; f.At >= end {
			out = append(out, fmt.Sprintf("fault[%d] had no effect: it begins at %v, and the last row ended at %v (try an earlier fault.at)", i, f.At, end))
		}
	}
	return out
}

// slowerLinks notes a fault of a device that only some of its links are too fast for.
func (p *plan) slowerLinks(f *FaultSpec, table, slower, all int) {
	if f.Kind == fabric.FaultRate && slower > 0 && slower < all {
		p.note("fault[%d].rate slows %d of %d links: the others run at no more than %s anyway", table, slower, all, units.FormatRate(f.Rate))
	}
}
