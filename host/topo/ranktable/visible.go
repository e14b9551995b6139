package ranktable

import (
	"slices"
	"strconv"

	"hsim/host/topo/form"
)

// visible refuses ranks on devices that programs do not see: device_id is the
// physical id, whatever the logic ids are.
func (p *parser) visible() {
	for i := range p.t.Ranks {
		r := &p.t.Ranks[i]
		if r.Device < 0 || slices.Contains(p.o.Visible, r.Device) {
			continue
		}
		try := ""
		if r.Device < len(p.o.Visible) {
			try = "device_id " + strconv.Itoa(p.o.Visible[r.Device]) + ": logic id " + strconv.Itoa(r.Device) + " is that device"
		}
		p.r.Fault(form.Fault{Code: form.Invalid, Line: r.line, Key: r.path + ".device_id", Value: strconv.Itoa(r.Device),
			Want: "the physical id (devicePhyId) of a visible device: " + names(p.o.Visible), Try: try, Result: form.Unavail})
	}
}

// CheckIP holds the address of a network adapter against the table's address of
// the rank on it.
func (t *Table) CheckIP(rank int, ip string) error {
	r := &t.Ranks[rank]
	if len(r.IPs) == 0 || slices.Contains(r.IPs, ip) {
		return nil
	}
	return &form.Faults{List: []*form.Fault{{Code: form.Invalid, File: t.Name, Line: r.line, Key: r.path + ".device_ip", Value: strconv.Quote(r.IPs[0]),
		Want: strconv.Quote(ip) + ", the address of the network adapter", Try: "the same address in both"}}}
}
