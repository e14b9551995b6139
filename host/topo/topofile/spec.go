package topofile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
	"hsim/host/units"
)

// The format says that a device hangs on a network, not what the network is made
// of, and no rates. Where an exported topology has more to say than that, the
// file carries what the generator was asked for under the key "hsim"; readers of
// the real system ignore it.

// spec reads the key "hsim".
func (p *reader) spec(o *form.Object) {
	s, ok := o.Object("hsim", "kind", "servers", "devices", "hosts", "params")
	if !ok {
		return
	}
	spec := &topo.Spec{}
	var have [4]bool
	spec.Kind, have[0] = s.OneOf("kind", topo.Kinds()...)
	spec.Servers, have[1] = s.Int("servers", 1, 1<<16)
	spec.Devices, have[2] = s.Int("devices", 1, 1024)
	spec.Hosts, have[3] = s.Int("hosts", 0, 16)
	if slices.Contains(have[:], false) {
		return
	}
	var names []string
	for _, k := range topo.ParamKeys() {
		names = append(names, k.Name)
	}
	params, ok := s.Object("params", names...)
	if !ok {
		return
	}
	for _, name := range names {
		v, ok := plain(params, name)
		if !ok {
			continue
		}
		if err := spec.Params.Set(spec.Kind, name, v); err != nil {
			params.Bad(name, "a parameter of the topology: "+strings.TrimPrefix(err.Error(), "topo: "), "")
		}
	}
	p.f.Spec, p.f.specLine = spec, o.Line("hsim")
}

// plain is the value of a parameter as a TOML decoder would give it.
func plain(o *form.Object, key string) (any, bool) {
	switch o.Kind(key) {
	case form.Number:
		n, ok := o.Int(key, 0, 1<<40)
		return int64(n), ok
	case form.Text:
		return o.Text(key, 0, 64, "text")
	case form.Bool:
		b, ok := o.Bool(key)
		return b, ok
	case form.List:
		list, ok := o.Ints(key, 1024, 0, 1<<16)
		var out []any
		for _, n := range list {
			out = append(out, int64(n))
		}
		return out, ok
	}
	return nil, false
}

// params are the values of a spec that are not the default.
func params(spec *topo.Spec) map[string]any {
	p, out := &spec.Params, map[string]any{}
	for key, n := range map[string]int{"planes": p.Planes, "group": p.Group, "leaves": p.Leaves, "spines": p.Spines, "oversubscription": p.Oversub,
		"k": p.K, "tiers": p.Tiers, "backup": p.Backup} {
		if n != 0 {
			out[key] = n
		}
	}
	if p.Superpods > 1 {
		out["superpods"] = p.Superpods
	}
	if len(p.Replaced) > 0 {
		out["replaced"] = p.Replaced
	}
	if len(p.Dims) > 0 {
		out["dims"] = p.Dims
	}
	if p.Rate > 0 {
		out["rate"] = units.FormatRate(p.Rate)
	}
	if p.UplinkRate > 0 {
		out["uplink_rate"] = units.FormatRate(p.UplinkRate)
	}
	if p.Latency != nil {
		out["latency"] = units.FormatTime(*p.Latency)
	}
	if p.Uplink != nil {
		out["uplink_latency"] = units.FormatTime(*p.Uplink)
	}
	if p.Hop != nil {
		out["hop_latency"] = units.FormatTime(*p.Hop)
	}
	if p.Store != nil {
		out["store_and_forward"] = *p.Store
	}
	if p.Package != nil {
		out["package"] = *p.Package
	}
	if p.NIC != "" {
		out["nic"] = p.NIC
	}
	return out
}

// specText is the key "hsim" of a written file.
func specText(spec *topo.Spec) ([]byte, error) {
	return json.Marshal(struct {
		Kind    string         `json:"kind"`
		Servers int            `json:"servers"`
		Devices int            `json:"devices"`
		Hosts   int            `json:"hosts"`
		Params  map[string]any `json:"params"`
	}{spec.Kind, spec.Servers, spec.Devices, spec.Hosts, params(spec)})
}

// rebuild makes the graph of a file with the key "hsim" and holds it against the
// members and the edges, which a user may have edited.
func (f *File) rebuild(members []Member, servers []topo.ServerSpec, chip *soc.Chip) (*topo.Graph, error) {
	bad := func(value, want string) error {
		return &form.Faults{List: []*form.Fault{{Code: form.Invalid, File: f.Name, Line: f.specLine, Key: "hsim", Value: value, Want: want,
			Try: `the file without the key "hsim": networks are then one switch each`}}}
	}
	if n := f.Spec.Servers * f.Spec.Devices; f.Spec.Servers != len(servers) || n != len(members) {
		return nil, bad(fmt.Sprintf("%d servers with %d devices", f.Spec.Servers, n), fmt.Sprintf("the %d servers with %d devices of the rank table", len(servers), len(members)))
	}
	g, err := topo.Build(*f.Spec, chip)
	if err != nil {
		return nil, bad("a topology that cannot be built", strings.TrimPrefix(err.Error(), "topo: "))
	}
	for d := range g.Devices {
		n := &g.Nodes[d]
		ids := servers[n.Server].Devices
		if !slices.Contains(ids, int(n.Index)) || len(ids) != f.Spec.Devices {
			return nil, bad(fmt.Sprintf("device %d on server %d", n.Index, n.Server), fmt.Sprintf("one of the rank table's devices %v there", ids))
		}
	}
	plan, err := PlanOf(topo.NewCluster(g, chip))
	if err != nil {
		return nil, bad("a topology that a file cannot hold", err.Error())
	}
	if i := differ(plan.File.Edges, f.Edges); i >= 0 {
		return nil, bad(fmt.Sprintf("a %s topology", f.Spec.Kind), fmt.Sprintf("the cables of edge_list, which differ at edge %d", i))
	}
	return g, nil
}

// differ is the first edge that two lists do not share, -1 for equal lists.
func differ(a, b []Edge) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			return i
		}
		x, y := a[i], b[i]
		x.Line, y.Line = 0, 0
		if fmt.Sprint(x) != fmt.Sprint(y) {
			return i
		}
	}
	return -1
}
