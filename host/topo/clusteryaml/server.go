package clusteryaml

import (
	"fmt"

	"hsim/host/topo/form"
	"hsim/host/topo/topofile"
)

// maxDevices is the most a server may have: the local ids of a topology file.
const maxDevices = 64

// pin is what a port of every device is wired for.
type pin int

// The kinds of port in a pin map.
const (
	unused pin = iota
	direct
	toSwitch
	toHost
)

// Server is one kind of server: its devices, their ports and cables.
type Server struct {
	Name    string
	SoC     string
	Devices int

	dies   []die
	cables []cable
	onNet  map[topofile.Port][]int // ports to switches and the devices that are cabled there
	order  []topofile.Port         // keys of onNet, by die and index
	layers map[topofile.Port][]int // layers that a port group names, besides 1
	file   string
}

type die struct {
	id   int
	pins []pin
}

// cable joins two devices of a server.
type cable struct {
	a, b         int
	portA, portB topofile.Port
}

// parseServer reads a server file.
func parseServer(r *form.Reader, v *form.Value) *Server {
	o := r.Root(v, "type", "name", "description", "soc_version", "device_num", "hardware_type", "device_ports_allocate_map", "port_group", "port_list", "links")
	s := &Server{file: r.File, onNet: map[topofile.Port][]int{}, layers: map[topofile.Port][]int{}}
	if o.Has("name") {
		s.Name, _ = o.Text("name", 0, 256, "a name")
	}
	if o.Has("soc_version") {
		s.SoC, _ = o.Text("soc_version", 1, 64, "the name of a chip")
	}
	s.Devices, _ = o.Int("device_num", 1, maxDevices)
	p := &serverReader{r: r, s: s, next: map[[2]int]int{}}
	p.pins(o)
	p.groups(o)
	p.links(o)
	return s
}

type serverReader struct {
	r    *form.Reader
	s    *Server
	next map[[2]int]int // per device and die: direct ports in use
}

func (p *serverReader) pins(o *form.Object) {
	list, _ := o.Objects("device_ports_allocate_map", 1, 16, "die_id", "pin_map")
	for _, d := range list {
		id, ok := d.Int("die_id", 0, 15)
		if ok && p.die(id) != nil {
			d.Bad("die_id", "every die once", "")
		}
		pins, _ := d.Ints("pin_map", 256, int(unused), int(toHost))
		one := die{id: id}
		for _, n := range pins {
			one.pins = append(one.pins, pin(n))
		}
		p.s.dies = append(p.s.dies, one)
	}
}

func (p *serverReader) die(id int) *die {
	for i := range p.s.dies {
		if p.s.dies[i].id == id {
			return &p.s.dies[i]
		}
	}
	return nil
}

// ports are the ports of a die that are wired for something.
func (d *die) ports(want pin) []topofile.Port {
	var out []topofile.Port
	for i, n := range d.pins {
		if n == want {
			out = append(out, topofile.Port{Die: d.id, Index: i})
		}
	}
	return out
}

// groups notes which ports also serve a layer above 1.
func (p *serverReader) groups(o *form.Object) {
	if !o.Has("port_group") {
		return
	}
	list, _ := o.Objects("port_group", 0, 64, "layer", "ports")
	for _, g := range list {
		layer, ok := g.Int("layer", 0, 7)
		names, ok2 := g.Texts("ports", 1, 256, "ports")
		for i, n := range names {
			port, good := topofile.ParsePort(n)
			switch {
			case n == "d2h":
			case !good:
				g.Item("ports", i, `a port "die/port", or "d2h"`, "")
			case ok && ok2 && layer > 1:
				p.s.layers[port] = append(p.s.layers[port], layer)
			}
		}
	}
}

func (p *serverReader) links(o *form.Object) {
	list, _ := o.Objects("links", 0, 1024, "link_mode", "connections", "device_to_device_links", "device_to_switch_links")
	for _, l := range list {
		switch mode, _ := l.OneOf("link_mode", "fullmesh", "enum"); mode {
		case "fullmesh":
			all, _ := l.Objects("connections", 1, 1024, "die_id", "devices_range")
			for _, c := range all {
				p.fullMesh(c)
			}
		case "enum":
			if l.Has("device_to_device_links") {
				all, _ := l.Objects("device_to_device_links", 0, 4096, "src_die_id", "src_local_id_range", "dst_die_id", "dst_local_id_range")
				for _, c := range all {
					p.pairs(c)
				}
			}
			if l.Has("device_to_switch_links") {
				all, _ := l.Objects("device_to_switch_links", 0, 1024, "die_id", "devices_range")
				for _, c := range all {
					p.toSwitches(c)
				}
			}
		}
	}
}

// span reads a range of devices [first, last].
func (p *serverReader) span(o *form.Object, key string) (lo, hi int, ok bool) {
	ids, ok := o.Ints(key, 2, 0, maxDevices-1)
	if !ok {
		return 0, 0, false
	}
	if len(ids) != 2 || ids[0] > ids[1] || ids[1] >= p.s.Devices {
		o.Bad(key, fmt.Sprintf("[first, last] of the devices 0 to %d", p.s.Devices-1), "")
		return 0, 0, false
	}
	return ids[0], ids[1], true
}

// dieOf reads the id of a die that has a pin map.
func (p *serverReader) dieOf(o *form.Object, key string) *die {
	id, ok := o.Int(key, 0, 15)
	if !ok {
		return nil
	}
	d := p.die(id)
	if d == nil {
		o.Bad(key, "a die_id of device_ports_allocate_map", "")
	}
	return d
}

// take is the next direct port of a device on a die.
func (p *serverReader) take(o *form.Object, device int, d *die) (topofile.Port, bool) {
	ports := d.ports(direct)
	n := p.next[[2]int{device, d.id}]
	if n >= len(ports) {
		p.r.Fault(form.Fault{Code: form.Invalid, Line: o.Line(""), Key: o.Path(""), Value: fmt.Sprintf("more cables than die %d has ports for them", d.id),
			Want: fmt.Sprintf("at most %d on device %d: the ports with 1 in the pin map", len(ports), device)})
		return topofile.Port{}, false
	}
	p.next[[2]int{device, d.id}]++
	return ports[n], true
}

func (p *serverReader) fullMesh(o *form.Object) {
	d := p.dieOf(o, "die_id")
	lo, hi, ok := p.span(o, "devices_range")
	if d == nil || !ok {
		return
	}
	// device i takes its ports in the order of its peers
	port := map[[2]int]topofile.Port{}
	for i := lo; i <= hi; i++ {
		for j := lo; j <= hi; j++ {
			if i != j {
				if port[[2]int{i, j}], ok = p.take(o, i, d); !ok {
					return
				}
			}
		}
	}
	for i := lo; i <= hi; i++ {
		for j := i + 1; j <= hi; j++ {
			p.s.cables = append(p.s.cables, cable{i, j, port[[2]int{i, j}], port[[2]int{j, i}]})
		}
	}
}

func (p *serverReader) pairs(o *form.Object) {
	from, to := p.dieOf(o, "src_die_id"), p.dieOf(o, "dst_die_id")
	a, b, ok := p.span(o, "src_local_id_range")
	c, d, ok2 := p.span(o, "dst_local_id_range")
	if from == nil || to == nil || !ok || !ok2 {
		return
	}
	if b-a != d-c {
		o.Bad("dst_local_id_range", fmt.Sprintf("a range of %d devices, as long as src_local_id_range", b-a+1), "")
		return
	}
	for i := range b - a + 1 {
		if a+i == c+i {
			o.Bad("dst_local_id_range", "other devices than in src_local_id_range", "")
			return
		}
		pa, ok := p.take(o, a+i, from)
		pb, ok2 := p.take(o, c+i, to)
		if !ok || !ok2 {
			return
		}
		p.s.cables = append(p.s.cables, cable{a + i, c + i, pa, pb})
	}
}

func (p *serverReader) toSwitches(o *form.Object) {
	d := p.dieOf(o, "die_id")
	lo, hi, ok := p.span(o, "devices_range")
	if d == nil || !ok {
		return
	}
	for _, port := range d.ports(toSwitch) {
		if p.s.onNet[port] == nil {
			p.s.order = append(p.s.order, port)
		}
		for i := lo; i <= hi; i++ {
			p.s.onNet[port] = append(p.s.onNet[port], i)
		}
	}
}
