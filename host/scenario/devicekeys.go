package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"hsim/host/topo"
)

// deviceKeys are the keys of a [[device]].
func deviceKeys() []Key {
	return []Key{
		{Path: "device[].id", Kind: KindInt, Min: 0, Max: maxRanks - 1, Doc: "The device, counted over all servers."},
		{Path: "device[].ip", Kind: KindText, Doc: "Address of its network adapter, which must be the one that cluster.rank_table gives its rank (EI0014); `hsim topo --ranks` and `hsim topo export` have it."},
		{Path: "device[].mtu", Kind: KindSize, Min: 256, Max: 8192, Doc: "Payload of a full packet that it wants: 256, 512, 1024, 2048, 4096 or 8192; not set = the transport's. Two devices use the smaller of theirs."},
		{Path: "device[].mtu_forced", Kind: KindBool, Default: "false", Doc: "On its connections both ends send by their own mtu, whatever the other has: what is too large there fails the connection."},
		{Path: "device[].tls", Kind: KindBool, Default: "false", Doc: "Whether its adapter encrypts. The ranks of a collective must agree (EI0016), but on 950 and 960."},
	}
}

// DeviceSpec is one [[device]]: what differs from the profile or from the files.
type DeviceSpec struct {
	ID     int
	IP     string // "" = as it is
	MTU    uint32 // 0 = the transport's
	Forced bool
	TLS    bool
}

// devices reads the [[device]] tables.
func (v *values) devices(c *Config) {
	at := map[int]int{}
	byIP := map[string]int{}
	for i := range v.elements("device") {
		if v.orphan("device", i) {
			continue
		}
		table := element("device", i)
		pre := table + "."
		d := DeviceSpec{ID: int(get[int64](v, pre+"id")), IP: get[string](v, pre+"ip"), MTU: uint32(get[int64](v, pre+"mtu")),
			Forced: get[bool](v, pre+"mtu_forced"), TLS: get[bool](v, pre+"tls")}
		if _, given := v.has(pre + "id"); !given {
			v.problemIn(table, "does not say which device it is", "id = 0")
			continue
		}
		if other, twice := at[d.ID]; twice {
			v.problem(pre+"id", fmt.Sprintf("device[%d] is the same device, want one table for each", other), "")
			continue
		}
		at[d.ID] = i
		if d.IP != "" {
			if a, err := netip.ParseAddr(d.IP); err != nil || a.Zone() != "" {
				v.problem(pre+"ip", "want a valid IP address", `"192.168.1.8"`)
			} else if other, taken := byIP[a.String()]; taken {
				v.problem(pre+"ip", fmt.Sprintf("device[%d] has this address, want one for each", other), "")
			} else {
				byIP[a.String()] = i
			}
		}
		if d.MTU&(d.MTU-1) != 0 {
			v.problem(pre+"mtu", "want 256, 512, 1024, 2048, 4096 or 8192", "")
		}
		if _, given := v.has(pre + "mtu_forced"); given && d.MTU == 0 {
			v.problem(pre+"mtu_forced", "has no meaning without device.mtu", "")
		}
		c.Devices = append(c.Devices, d)
	}
}

// deviceMTUs refuses packets of a device that a plugin in use does not make: ROCE has none of 8 KiB.
func (p *plan) deviceMTUs() {
	taken := map[uint32]bool{}
	for i := range p.cfg.Devices {
		mtu := p.cfg.Devices[i].MTU
		if mtu == 0 || taken[mtu] {
			continue
		}
		taken[mtu] = true
		for _, proto := range p.used {
			m := p.mods[proto]
			if m == nil || !m.has("mtu") {
				continue
			}
			path := element("device", i) + ".mtu"
			if _, err := m.trial([]Param{{Name: "mtu", Value: int64(mtu), path: path}}, path); err != nil {
				p.cfg.values.problem(path, fmt.Sprintf("%v: %s", proto, trimLoad(err)), "")
				return
			}
		}
	}
}

// placeDevices holds the [[device]] tables against the cluster and its files.
func (p *plan) placeDevices() {
	v := p.cfg.values
	var with, without []string // ranks by whether their adapters encrypt
	blame := 0
	on := map[topo.NodeID]bool{}
	for i := range p.cfg.Devices {
		d := &p.cfg.Devices[i]
		if d.ID >= p.graph.Devices {
			v.problem(element("device", i)+".id", fmt.Sprintf("the cluster has devices 0 to %d", p.graph.Devices-1), "")
			return
		}
		if d.TLS && slices.Contains(p.nodes(), topo.NodeID(d.ID)) {
			if len(on) == 0 {
				blame = i
			}
			on[topo.NodeID(d.ID)] = true
		}
	}
	// Chips of the 950 generation and later do not compare it.
	if gen := p.cfg.Profile.Chip().Generation; len(on) == 0 || gen == "950" || gen == "960" {
		return
	}
	for rank, n := range p.nodes() {
		if on[n] {
			with = append(with, strconv.Itoa(rank))
		} else {
			without = append(without, strconv.Itoa(rank))
		}
	}
	ops := slices.ContainsFunc(p.cfg.Runs, func(r RunSpec) bool { return r.IsOp })
	if ops && len(with) > 0 && len(without) > 0 {
		v.problem(element("device", blame)+".tls", fmt.Sprintf("HcclCommInit: HCCL_E_PARA (1), EI0016: TLS is on at %s and off at %s, want all or none",
			ranksNamed(with), ranksNamed(without)), "")
	}
}

// ranksNamed lists ranks, at most eight of them.
func ranksNamed(ranks []string) string {
	if len(ranks) == 1 {
		return "rank " + ranks[0]
	}
	more := ""
	if len(ranks) > 8 {
		more = fmt.Sprintf(" and %d more", len(ranks)-8)
	}
	return "ranks " + strings.Join(ranks[:min(len(ranks), 8)], ", ") + more
}

// addresses are those of adapters, by device.
func (c *Config) addresses() map[int]string {
	out := map[int]string{}
	for _, d := range c.Devices {
		if d.IP != "" {
			out[d.ID] = d.IP
		}
	}
	return out
}

// named gives the devices of a cluster the addresses that the file has for them: of their adapter, or of the first port
// that has an address.
func (c *Config) named(cl *topo.Cluster) *topo.Cluster {
	for _, d := range c.Devices {
		best := -1
		for i := range cl.EndPoints {
			e := &cl.EndPoints[i]
			if int(e.Node) != d.ID || e.Type == topo.EID || e.Layer == 3 {
				continue
			}
			if best < 0 || e.Layer == 2 && cl.EndPoints[best].Layer != 2 {
				best = i
			}
		}
		if d.IP != "" && best >= 0 {
			cl.EndPoints[best].Addr, cl.EndPoints[best].Type = d.IP, topo.TypeOf(d.IP)
		}
	}
	return cl
}

// Named is the cluster of the configuration with names and addresses. The error is topo's.
func (c *Config) Named() (*topo.Cluster, error) {
	g, err := c.Graph()
	if err != nil {
		return nil, err
	}
	if c.Cluster != nil {
		return c.named(c.Cluster), nil
	}
	return c.named(topo.NewCluster(g, c.Profile.Chip())), nil
}

// packets are the sizes of packets that devices want.
func (c *Config) packets() (mtu map[topo.NodeID]uint32, forced map[topo.NodeID]bool) {
	mtu, forced = map[topo.NodeID]uint32{}, map[topo.NodeID]bool{}
	for _, d := range c.Devices {
		if d.MTU > 0 {
			mtu[topo.NodeID(d.ID)], forced[topo.NodeID(d.ID)] = d.MTU, d.Forced
		}
	}
	return mtu, forced
}
