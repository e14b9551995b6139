package scenario

import (
	"fmt"
	"strings"

	"hsim/host/hccl"
	"hsim/host/sim"
	"hsim/host/units"
)

// Explain says what each run of each variant is made of: what was chosen and why, the costs of the chip and of its
// links, and where the time of one repetition goes. Nothing is simulated but single messages on an idle link.
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
	fmt.Fprintf(b, "chip %s, %d x %d devices, %s\n", chip.Name, c.Topology.Servers, c.Topology.Devices, c.Topology.Kind)
	link := linkCost{}
	if p.graph.Devices > 1 {
		var err error
		if link, err = p.probe(0, 1); err != nil {
			return err
		}
	}
	w, err := p.build(nil, nil)
	if err != nil {
		return err
	}
	comm, err := w.communicator()
	if err != nil {
		return err
	}
	p.costs(b, link)
	for i := range c.Runs {
		if err := p.explainRun(b, &c.Runs[i], comm.Shape(), link); err != nil {
			return err
		}
	}
	return nil
}

// costs prints the parts of alpha and beta with where they come from.
func (p *plan) costs(b *strings.Builder, link linkCost) {
	chip := p.cfg.Profile.Chip()
	source := map[string]string{}
	for _, k := range p.cfg.Profile.Constants() {
		source[k.Key] = string(k.Class) + ": " + k.Source
	}
	line := func(name, value, key string) {
		from := source[key]
		if from == "" {
			from = key
		}
		fmt.Fprintf(b, "  %-34s %-12s %s\n", name, value, from)
	}
	b.WriteString("costs of a task (parts of alpha)\n")
	line("host call", chip.HostCall.String(), "host.call")
	line("host launch of a task", chip.HostLaunch.String(), "host.launch")
	line("AICPU expansion, start", chip.AICPULaunch.String(), "aicpu.launch")
	line("AICPU expansion of a task", chip.AICPUPerTask.String(), "aicpu.per_task")
	line("task scheduler, each task", chip.TSDispatch.String(), "ts.dispatch")
	line("notify wait, expanded by the host", chip.SyncHost.String(), "sync.host")
	line("notify wait, expanded by AICPU", chip.SyncAICPU.String(), "sync.aicpu")
	line("SDMA, start of a copy or reduce", chip.SDMA.Alpha.String(), "sdma.alpha")
	if p.graph.Devices > 1 {
		over := fmt.Sprintf("probe: device 0 to 1, %v over %s", link.proto, p.cfg.values.asWritten(link.proto))
		line("notify to a peer", link.notify.String(), over)
		line("write to a peer, first byte", link.alpha.String(), over)
		b.WriteString("costs of a byte (beta)\n")
		line("write to a peer, 32 to 64 MiB", link.rate(), over)
	} else {
		b.WriteString("costs of a byte (beta)\n")
	}
	line("SDMA reduce", chip.SDMA.ReduceRate.String(), "sdma.reduce_rate")
	line("SDMA copy", chip.SDMA.CopyRate.String(), "sdma.copy_rate")
}

// rate is the slope of the largest messages.
func (l *linkCost) rate() string {
	d, bytes := l.slope(probePoints - 2)
	if d <= 0 {
		return "unlimited"
	}
	return fmt.Sprintf("%.3f GB/s", float64(bytes)/(float64(d)/1000))
}

func (p *plan) explainRun(b *strings.Builder, r *RunSpec, shape hccl.Shape, link linkCost) error {
	fmt.Fprintf(b, "\nrun %d: %s %s\n", r.Index, r.Name(), kernelSuffix(r.Dtype))
	if !r.IsOp {
		u := p.kerns[r.Index]
		fmt.Fprintf(b, "  kernel %s of module %s, %d blocks on %vs\n", u.fn.Name, u.fn.Binary().Name(), u.blocks, u.unit)
		return nil
	}
	last := ""
	for _, size := range r.Sizes {
		n := elements(r.Op, size, r.Dtype.Size(), p.graph.Devices)
		choice, err := hccl.Select(hccl.Request{Op: r.Op, Count: n, Dtype: r.Dtype, Red: r.Reduce, Algorithm: r.Algorithm, Expansion: r.Expansion}, shape)
		if err != nil {
			return err
		}
		if why := choice.String(); why != last {
			fmt.Fprintf(b, "  from %s: %s\n", units.FormatSize(size), why)
			b.WriteString("    " + breakdownHead + "\n")
			last = why
		}
		d, err := predict(hccl.Params{Op: r.Op, Alg: choice.Algorithm, Ranks: p.graph.Devices, Rank: p.graph.Devices - 1, Root: r.Root, Count: n,
			Elem: r.Dtype.Size(), InPlace: r.InPlace, Scratch: p.cfg.BuffSize}, p.cfg.Profile.Chip(), choice.Expansion, link, shape.Mesh)
		if err != nil {
			return err
		}
		b.WriteString("    " + d.line(size) + "\n")
	}
	return nil
}

const breakdownHead = "size        steps  tasks  predicted(us)  = launch + expand + dispatch + sync + handshake + network + reduce + copy"

func (d *breakdown) line(size int64) string {
	us := func(t sim.Time) string { return fmt.Sprintf("%.2f", float64(t)/float64(sim.Microsecond)) }
	parts := []string{us(d.Launch), us(d.Expand), us(d.Dispatch), us(d.Sync), us(d.Handshake), us(d.Network), us(d.Reduce), us(d.Copy)}
	return fmt.Sprintf("%-11s %-6d %-6d %-14s = %s", units.FormatSize(size), d.Steps, d.Tasks, us(d.Total()), strings.Join(parts, " + "))
}
