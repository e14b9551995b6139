package scenario

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/hccl"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// Explain says what each run of each variant is made of: what was chosen and why, the constants of the chip and of the
// way between two devices, and what of the predicted time each of them takes. Nothing is simulated.
func Explain(sc *Scenario) (string, error) {
	lib, err := newLibrary()
	if err != nil {
		return "", err
	}
	defer func() { _ = lib.close() }()
	plans, err := prepareAll(sc, lib)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, n := range unspoken(sc, plans) {
		fmt.Fprintf(&b, "note: %s\n\n", n)
	}
	for i, p := range plans {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := p.explain(&b); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (p *plan) explain(b *strings.Builder) error {
	c, chip := p.cfg, p.cfg.Profile.Chip()
	if c.Name != "" {
		fmt.Fprintf(b, "variant %s: ", c.Name)
	}
	fmt.Fprintf(b, "chip %s, %s, %s\n", chip.Name, Extent(c.Topology.Servers, c.Topology.Devices, c.Ranks()), c.Topology.Kind)
	for _, n := range p.notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	p.leftOut(b)
	p.constants(b)
	model := p.model()
	for i := range c.Runs {
		if err := p.explainRun(b, &c.Runs[i], model); err != nil {
			return err
		}
	}
	return nil
}

// wires tells predictions what the plugins of this variant put on the wire, where it is one that hsim knows.
func (p *plan) wires() map[topo.Protocol]hccl.Wire {
	out := map[topo.Protocol]hccl.Wire{}
	for proto, m := range p.mods {
		w := hccl.DefaultWire(proto, p.cfg.Profile.Chip())
		if m.desc.Name == "rdma" {
			w = hccl.DefaultWire(topo.ROCE, p.cfg.Profile.Chip())
		}
		if mtu := m.shared("mtu", p.cfg.Transport[proto].Params); mtu > 0 {
			w.MTU = mtu
		}
		w.MTU, _ = p.packet(w.MTU)
		if proto != topo.HCCS {
			w.EffPerm = 0 // the measured efficiency is that of HCCS
		}
		out[proto] = w
	}
	return out
}

// packet is the payload of a full packet between the ranks, of which each pair uses the smaller of its own: the transport's
// or that of a [[device]]. Not even says that some pairs use more.
func (p *plan) packet(transports int64) (mtu int64, even bool) {
	own, _ := p.cfg.packets()
	var all []int64
	for _, n := range p.nodes() {
		if m := int64(own[n]); m > 0 {
			all = append(all, m)
		} else {
			all = append(all, transports)
		}
	}
	slices.Sort(all)
	if len(all) < 2 {
		return transports, true
	}
	return all[0], all[0] == all[len(all)-2] // the two largest make the largest packets
}

// fullMTU is the packet that transports make where nothing else is said: its acknowledgements take little beside it.
const fullMTU = 4096

// leftOut says what of the file the predictions do not know.
func (p *plan) leftOut(b *strings.Builder) {
	if n := len(p.cfg.Faults); n > 0 {
		fmt.Fprintf(b, "predictions leave out: %d [[fault]]\n", n)
	}
	for _, proto := range p.used {
		least := p.wires()[proto].MTU
		if least < fullMTU {
			fmt.Fprintf(b, "predictions leave out: acknowledgements, of which packets of %s make many (%v)\n", units.FormatSize(least), proto)
		}
		if _, even := p.packet(p.mods[proto].shared("mtu", p.cfg.Transport[proto].Params)); !even {
			fmt.Fprintf(b, "predictions take all packets of %v as of %s, the smallest that the [[device]] tables make; between some ranks they are larger\n", proto, units.FormatSize(least))
		}
	}
}

// constants prints the parts of alpha and beta with how well they are known and where they come from.
func (p *plan) constants(b *strings.Builder) {
	chip := p.cfg.Profile.Chip()
	source := map[string]string{}
	for _, k := range p.cfg.Profile.Constants() {
		source[k.Key] = string(k.Class) + ": " + k.Source
	}
	line := func(key, value, about string) {
		from := source[key]
		if from == "" {
			from = about
		}
		fmt.Fprintf(b, "  %-17s %-12s %s\n", key, value, from)
	}
	b.WriteString("alpha:\n")
	line("host.call", chip.HostCall.String(), "")
	line("host.launch", chip.HostLaunch.String(), "")
	line("aicpu.launch", chip.AICPULaunch.String(), "")
	line("aicpu.per_task", chip.AICPUPerTask.String(), "")
	line("ts.dispatch", chip.TSDispatch.String(), "")
	line("sync.host", chip.SyncHost.String(), "")
	line("sync.aicpu", chip.SyncAICPU.String(), "")
	line("sdma.alpha", chip.SDMA.Alpha.String(), "")
	way := ""
	var info topo.PathInfo
	if nodes := p.nodes(); len(nodes) > 1 {
		proto := p.graph.Protocol(nodes[0], nodes[1])
		info, _ = p.graph.PathInfo(nodes[0], nodes[1], proto)
		way = fmt.Sprintf("rank 0 to 1: %v over %s, %d links, %d ports", proto, p.cfg.values.asWritten(proto), info.Hops, info.Width)
		line("path latency", info.Latency.String(), way)
	}
	b.WriteString("beta and gamma:\n")
	if way != "" {
		line("path rate", unlimited(info.SumRate), way)
	}
	line("sdma.reduce_rate", unlimited(chip.SDMA.ReduceRate), "")
	line("sdma.copy_rate", unlimited(chip.SDMA.CopyRate), "")
}

func unlimited(r units.Rate) string {
	if r == 0 {
		return "unlimited"
	}
	return r.String()
}

func (p *plan) explainRun(b *strings.Builder, r *RunSpec, model *hccl.Model) error {
	if r.Program != "" {
		fmt.Fprintf(b, "\nrun %d: program %s\n  what a program does is known when it runs\n", r.Index, r.Name())
		return nil
	}
	fmt.Fprintf(b, "\nrun %d: %s %s\n", r.Index, r.Name(), dtypeName(r.Dtype))
	if !r.IsOp {
		u := p.kerns[r.Index]
		fmt.Fprintf(b, "  kernel %s of module %s, %d blocks on %vs\n", u.fn.Name, u.fn.Binary().Name(), u.blocks, u.unit)
		return nil
	}
	last := ""
	var group []hccl.Explanation
	var sizes []int64
	flush := func() {
		if len(group) > 0 {
			writeParts(b, sizes, group)
		}
		group, sizes = nil, nil
	}
	for _, size := range r.Sizes {
		e, err := model.Explain(hccl.Request{Op: r.Op, Count: r.count(size, p.cfg.Ranks()), Dtype: r.Dtype, Red: r.Reduce,
			Algorithm: r.Algorithm, Expansion: r.Expansion, Root: r.Root, Buffer: p.cfg.BuffSize, Schedule: p.sched[r.Index], InPlace: r.InPlace})
		if err != nil {
			return err
		}
		if why := e.Reasons("\n    "); why != last {
			flush()
			fmt.Fprintf(b, "  from %s: %s\n", units.FormatSize(size), why)
			last = why
		}
		if e.None == "" {
			group, sizes = append(group, e), append(sizes, size)
		}
	}
	flush()
	return nil
}

// writeParts prints one line per size: the predicted time, alpha of one step of the form, and what each constant takes.
func writeParts(b *strings.Builder, sizes []int64, group []hccl.Explanation) {
	var parts []hccl.Part
	for _, e := range group {
		for _, v := range e.Parts {
			if !hasPart(parts, v.Part) {
				parts = append(parts, v.Part)
			}
		}
	}
	fmt.Fprintf(b, "    %-10s %14s %10s  =", "size", "predicted(us)", "a(us)")
	for _, k := range parts {
		fmt.Fprintf(b, " %*s", max(len(k.String()), 8), k)
	}
	b.WriteByte('\n')
	for i, e := range group {
		fmt.Fprintf(b, "    %-10s %14s %10s  =", units.FormatSize(sizes[i]), micros(e.Total), micros(e.Alpha))
		for _, k := range parts {
			var t sim.Time
			for _, v := range e.Parts {
				if v.Part == k {
					t = v.Total
				}
			}
			fmt.Fprintf(b, " %*s", max(len(k.String()), 8), micros(t))
		}
		b.WriteByte('\n')
	}
}

func hasPart(list []hccl.Part, p hccl.Part) bool {
	for _, x := range list {
		if x == p {
			return true
		}
	}
	return false
}

func micros(t sim.Time) string { return fmt.Sprintf("%.3f", float64(t)/float64(sim.Microsecond)) }
