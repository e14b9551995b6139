package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// maxRanks bounds a cluster: HCCL's rank tables end there, and a typing error must not exhaust the machine.
const maxRanks = 65536

// config builds the Config of one variant and checks what no single key can show.
func (v *values) config(runs int) *Config {
	c := &Config{
		values:      v,
		Seed:        uint64(get[int64](v, "sim.seed")),
		Limit:       get[sim.Time](v, "sim.limit"),
		Memory:      get[int64](v, "sim.memory"),
		ProfileName: get[string](v, "cluster.profile"),
		Train:       get[Train](v, "fabric.train"),
		BuffSize:    get[int64](v, "env.HCCL_BUFFSIZE") << 20,
		ExecTimeout: seconds(get[int64](v, "env.HCCL_EXEC_TIMEOUT")),
		RDMATimeout: uint32(get[int64](v, "env.HCCL_RDMA_TIMEOUT")),
		RDMARetries: uint32(get[int64](v, "env.HCCL_RDMA_RETRY_CNT")),
	}
	if get[string](v, "sim.data") == "phantom" {
		c.Data = mem.Phantom
	}
	v.profile(c)
	v.generation(c)
	v.topology(c)
	v.devices(c)
	v.imports(c)
	v.transport(c)
	v.network(c)
	for i, m := range get[[]string](v, "plugins.kernels") {
		c.Kernels = append(c.Kernels, v.module("plugins.kernels", m, fmt.Sprintf("element %d: ", i), "builtin"))
	}
	for i, m := range get[[]string](v, "plugins.ccu") {
		c.Programs = append(c.Programs, v.module("plugins.ccu", m, fmt.Sprintf("element %d: ", i), "builtin"))
	}
	for i, m := range get[[]string](v, "plugins.algorithms") {
		c.Algorithms = append(c.Algorithms, v.module("plugins.algorithms", m, fmt.Sprintf("element %d: ", i)))
	}
	v.programSettings(c)
	v.faults(c)
	if runs == 0 && !v.look {
		v.probs.add(Problem{File: v.file, Want: "there is no [[run]], so nothing to do", Try: "[[run]] with op = \"all_reduce\""})
	}
	for i := range runs {
		c.Runs = append(c.Runs, v.run(c, i))
	}
	return c
}

// seconds is a variable in seconds as a time; beyond what a time holds (106 days) it is for ever, 0.
func seconds(n int64) sim.Time {
	if n > int64(sim.Forever/sim.Second) {
		return 0
	}
	return sim.Time(n) * sim.Second
}

func (v *values) profile(c *Config) {
	name := c.ProfileName
	if strings.HasSuffix(name, ".toml") {
		name = v.resolvePath(name)
	}
	p, err := soc.Load(name)
	if err != nil {
		v.problem("cluster.profile", trimPrefixes(err), "") // the nearest name is in it
		return
	}
	c.Profile = v.spoken(p)
}

// spoken is the profile with the protocols that the file chooses: of those that the same ports carry.
func (v *values) spoken(p *soc.Profile) *soc.Profile {
	chip := p.Chip()
	up, out := chip.ScaleUp, chip.ScaleOut
	for _, k := range []struct {
		key string
		to  *soc.Protocol
	}{{"cluster.scale_up", &up}, {"cluster.scale_out", &out}} {
		name := get[string](v, k.key)
		if name == "" {
			continue
		}
		all := portsWith(chip, *k.to)
		switch i := slices.Index(soc.ProtocolNames(), name); {
		case all == 0:
			v.problem(k.key, fmt.Sprintf("the chip %s has no ports for it", chip.Name), "leaving it out")
		case !all.Has(soc.Protocol(i)):
			v.problem(k.key, fmt.Sprintf("the ports of the chip %s that speak %v carry %s", chip.Name, *k.to, all), written(k.to.String()))
		default:
			*k.to = soc.Protocol(i)
		}
	}
	if up == chip.ScaleUp && out == chip.ScaleOut {
		return p
	}
	return p.Speaking(up, out, "the scenario's cluster.scale_up and cluster.scale_out")
}

// generation holds the variables of [env] against what the chip's generation takes: 910 counts time-outs in steps of 68 s,
// and retransmission has other limits than on the newest chips.
func (v *values) generation(c *Config) {
	if c.Profile == nil {
		return
	}
	gen := c.Profile.Chip().Generation
	within := func(key string, low, high int64, try string) bool {
		if n := get[int64](v, key); n >= low && n <= high {
			return true
		}
		v.problem(key, fmt.Sprintf("EI0001: want a whole number from %d to %d in quotes on generation %s", low, high, gen), try)
		return false
	}
	switch gen {
	case "910":
		const step = 68
		if within("env.HCCL_EXEC_TIMEOUT", 1, 17340, `"1836"`) {
			c.ExecTimeout = seconds(max(get[int64](v, "env.HCCL_EXEC_TIMEOUT")/step, 1) * step)
		}
		within("env.HCCL_RDMA_TIMEOUT", 5, 24, `"20"`)
	case "A2", "A3":
		within("env.HCCL_RDMA_TIMEOUT", 5, 20, `"20"`)
	}
}

func (v *values) topology(c *Config) {
	const t = "cluster.topology."
	var p topo.Params
	kind := get[string](v, t+"kind")
	for _, k := range topo.ParamKeys() {
		s, given := v.has(t + k.Name)
		if !given || s.rank < v.set[t+"kind"].rank && k.Kinds != nil && !contains(k.Kinds, kind) {
			continue // a parameter of the topology that a variant or --set has replaced
		}
		raw := s.raw
		if n, ok := raw.(int64); ok && n == 0 && strings.HasSuffix(k.Name, "latency") {
			raw = "0"
		}
		if err := p.Set(kind, k.Name, raw); err != nil {
			v.problem(t+k.Name, strings.TrimPrefix(trimPrefixes(err), k.Name+": "), "")
		}
	}
	c.Topology = topo.Spec{
		Kind:    kind,
		Servers: int(get[int64](v, "cluster.servers")),
		Devices: int(get[int64](v, "cluster.devices")),
		Hosts:   int(get[int64](v, "cluster.hosts")),
		Params:  p,
	}
	if n := int64(c.Topology.Servers) * int64(c.Topology.Devices); n > maxRanks {
		v.problem("cluster.devices", fmt.Sprintf("%d servers of %d devices are %d ranks, want at most %d", c.Topology.Servers, c.Topology.Devices, n, maxRanks), "")
	}
}

func (v *values) transport(c *Config) {
	for i, name := range soc.ProtocolNames() {
		path := "transport." + name
		car := &c.Transport[i]
		car.Plugin = v.module(path+".plugin", get[string](v, path+".plugin"), "", "rdma", "ub")
		if car.Plugin != "rdma" && car.Plugin != "ub" {
			car.File = car.Plugin
		}
		v.used[path+".params.*"] = true
		for p, s := range v.set {
			// Parameters are those of the plugin they were written for: a variant that names another one drops them.
			if after, ok := strings.CutPrefix(p, path+".params."); ok && s.rank >= v.set[path+".plugin"].rank {
				car.Params = append(car.Params, Param{Name: after, Value: s.value, path: p})
			}
		}
		sort.Slice(car.Params, func(a, b int) bool { return car.Params[a].Name < car.Params[b].Name })
	}
}

// module checks that a plugin is one of the embedded names or a file that exists, and returns the name or the path.
func (v *values) module(path, m, where string, embedded ...string) string {
	if contains(embedded, m) {
		return m
	}
	if !strings.HasSuffix(m, ".wasm") {
		v.problem(path, where+"want "+list(quoteAll(embedded))+", or the path of a .wasm file", quoteNonEmpty(nearest(m, embedded)))
		return m
	}
	file := v.resolvePath(m)
	if info, err := os.Stat(file); err != nil {
		why := "cannot be read: " + err.Error()
		if errors.Is(err, os.ErrNotExist) {
			why = "there is no file " + file
		}
		try := "`hsim plugin build DIR` to build it"
		if strings.HasSuffix(path, ".program") {
			try = "`hsim cc` or `hsim c++` to build it"
		}
		v.problem(path, where+why, try)
	} else if info.IsDir() {
		v.problem(path, where+file+" is a directory, want a .wasm file", "")
	}
	return file
}

// resolvePath makes a path of the file relative to the file's directory.
func (v *values) resolvePath(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(filepath.Dir(v.file), p)
}

func (v *values) output() Output {
	o := Output{Table: get[bool](v, "output.table")}
	for _, x := range []struct {
		path string
		to   *string
	}{{"output.json", &o.JSON}, {"output.trace", &o.Trace}} {
		if p := get[string](v, x.path); p != "" {
			*x.to = v.resolvePath(p)
			if strings.HasSuffix(p, string(filepath.Separator)) {
				*x.to += string(filepath.Separator) // a directory, which is refused before the run
			}
		}
	}
	if o.JSON != "" && o.JSON == o.Trace {
		v.problem("output.trace", "is the same file as output.json", "another name")
	}
	return o
}

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = written(n)
	}
	return out
}

// trimPrefixes takes the package prefixes off an error whose place is named already.
func trimPrefixes(err error) string {
	text := err.Error()
	for _, p := range []string{"soc: ", "topo: ", "hccl: ", "scenario: ", "wasm: ", "units: "} {
		text = strings.TrimPrefix(text, p)
	}
	return text
}
