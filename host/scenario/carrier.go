package scenario

import (
	"fmt"
	"slices"

	"hsim/abi"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/wasm"
)

// carried lists the protocols that devices of this cluster speak to each other, in the order of the constants. Pairs with
// either end of the cluster and neighbours show them all: a protocol joins whole domains.
func carried(g *topo.Graph) []topo.Protocol {
	var set topo.ProtocolSet
	last := topo.NodeID(g.Devices - 1)
	for d := topo.NodeID(0); d <= last; d++ {
		for _, to := range []topo.NodeID{0, d + 1, last} {
			if to != d && to <= last {
				set |= soc.Protocols(g.Protocol(d, to))
			}
		}
	}
	return set.List()
}

// transports loads the plugins of a variant and checks that they can do what its runs need. used are the protocols that
// the cluster speaks; a plugin that was named in the file is checked even when nothing uses it.
func (v *values) transports(l *library, c *Config, used []topo.Protocol) map[topo.Protocol]*module {
	out := map[topo.Protocol]*module{}
	for i, name := range soc.ProtocolNames() {
		p := topo.Protocol(i)
		path := "transport." + name
		_, named := v.set[path+".plugin"]
		inUse := slices.Contains(used, p)
		if !inUse && !named && len(c.Transport[i].Params) == 0 {
			continue
		}
		m := l.get(c.Transport[i].Plugin, c.Transport[i].File, abi.Transport)
		if m.err != nil {
			v.problem(path+".plugin", trimLoad(m.err), "`hsim plugin inspect "+c.Transport[i].Plugin+"`")
			continue
		}
		if _, err := m.settings(c.Transport[i].Params); err != nil {
			v.problem(m.untaken(c.Transport[i].Params), trimLoad(err), "")
			continue
		}
		if key, err := m.trial(c.Transport[i].Params, path+".plugin"); err != nil {
			v.problem(key, trimLoad(err), "")
			continue
		}
		if inUse {
			v.needs(c, p, m, path+".plugin")
			out[p] = m
		}
	}
	return out
}

// settings resolves parameters as written into what the module takes.
func (m *module) settings(params []Param) ([]wasm.Setting, error) {
	values := make(map[string]any, len(params))
	for _, p := range params {
		values[p.Name] = p.Value
	}
	return m.desc.Resolve(m.name, values)
}

// untaken is the path of the first parameter that the module does not take, of those that together are refused.
func (m *module) untaken(params []Param) string {
	for _, p := range params {
		if _, err := m.settings([]Param{p}); err != nil {
			return p.path
		}
	}
	return params[0].path
}

// trial starts the module once as the simulation will for every device, and returns what it refuses and the key to blame: a
// value of a parameter, or the module itself.
func (m *module) trial(params []Param, plugin string) (key string, err error) {
	start := func(params []Param) error {
		settings, err := m.settings(params)
		if err != nil {
			return err
		}
		p, err := transport.NewModule(m.mod, transport.ModuleConfig{Engine: sim.New(0), Settings: settings})
		if err != nil {
			return err
		}
		_, err = p.New(0)
		return err
	}
	if err = start(params); err == nil {
		return "", nil
	}
	if start(nil) != nil {
		return plugin, err
	}
	for i := range params {
		if alone := start(params[i : i+1]); alone != nil {
			return params[i].path, alone
		}
	}
	return params[0].path, err
}

// shared is the module's parameter of that name, which the host goes by too, as written or its default; 0 when it has none.
func (m *module) shared(name string, params []Param) int64 {
	for i := range m.desc.Params {
		d := &m.desc.Params[i]
		if d.Name != name {
			continue
		}
		value := d.Default
		for _, p := range params {
			if p.Name == name {
				value = p.Value
			}
		}
		if n, err := d.Parse(value); err == nil && n > 0 && n < 1<<31 {
			return n
		}
	}
	return 0
}

// service is what connections over a protocol ask of their plugin: memory access where the hardware has it and the plugin
// offers it, else a reliable connection.
func service(p topo.Protocol, features uint32) uint8 {
	memory := p == topo.HCCS || p == topo.UB_MEM || p == topo.PCIE
	if memory && features&abi.FeatureMemory != 0 {
		return abi.ServiceMemory
	}
	return abi.ServiceReliable
}

// needs refuses a plugin that lacks what the runs need, by name.
func (v *values) needs(c *Config, p topo.Protocol, m *module, path string) {
	features, err := m.mod.Features()
	if err != nil {
		v.problem(path, trimLoad(err), "")
		return
	}
	if features&(abi.FeatureReliable|abi.FeatureMemory) == 0 {
		v.problem(path, fmt.Sprintf("plugin %s offers no reliable and no memory service, which devices that speak %v need", m.name, p), quoteNonEmpty("ub"))
		return
	}
	for i := range c.Runs {
		if c.Runs[i].IsOp && features&abi.FeatureNotifyWithWrite == 0 {
			v.problem(path, fmt.Sprintf("plugin %s carries no notify with a write, which %v over %v needs", m.name, c.Runs[i].Op, p), quoteNonEmpty("ub"))
			return
		}
	}
}

// carrier makes the transport's view of a plugin for one simulation.
func (m *module) carrier(p topo.Protocol, c *Config, cfg transport.ModuleConfig) (transport.Carrier, error) {
	chip, params := c.Profile.Chip(), c.Transport[p].Params
	settings, err := m.settings(params)
	if err != nil {
		return transport.Carrier{}, err
	}
	cfg.Settings = settings
	plugin, err := transport.NewModule(m.mod, cfg)
	if err != nil {
		return transport.Carrier{}, err
	}
	car := transport.Carrier{Plugin: plugin, MTU: uint32(m.shared("mtu", params)), Service: service(p, plugin.Features()), AckTimeout: c.RDMATimeout, RetryCount: c.RDMARetries, RnrCount: 7, RnrTimer: 12}
	if n := m.shared("qps", params); n > 1 {
		car.Channels, car.Bundle = int(n), transport.BundleSpec{Even: true, Slice: m.shared("qp_share", params)}
	}
	if n, most := m.shared("channels", params), m.shared("outstanding", params); n > 1 || most > 0 {
		car.Channels, car.Bundle = int(n), transport.BundleSpec{Slice: m.shared("slice", params), Outstanding: int(most)}
	}
	car.Order = transport.Order(m.shared("order", params))
	car.Routes = c.Routes
	if p == topo.HCCS {
		car.ReadEff, car.WriteEff = chip.RemoteReadEff, chip.RemoteWriteEff
	}
	return car, nil
}
