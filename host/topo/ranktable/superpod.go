package ranktable

import (
	"fmt"

	"hsim/host/topo/form"
)

// superpods reads super_pod_list. Without it, or without super_device_id, the
// table is one of single servers.
func (p *parser) superpods(o *form.Object, devices []*form.Object, withID int) {
	if !o.Has("super_pod_list") || withID == 0 {
		p.r.Note(0, "no super_pod_list or no super_device_id: every server is a superpod of its own (server mode)")
		return
	}
	list, _ := o.Objects("super_pod_list", 1, maxRanks, "super_pod_id", "server_list")
	seen := map[string]bool{}
	for _, pod := range list {
		id, ok := pod.Text("super_pod_id", 1, 128, "a name of 1 to 128 characters")
		if ok && seen[id] {
			pod.Bad("super_pod_id", "every superpod once", "")
		}
		seen[id] = true
		n := len(p.t.Pods)
		p.t.Pods = append(p.t.Pods, id)
		servers, _ := pod.Objects("server_list", 1, maxRanks, "server_id")
		for _, s := range servers {
			name, ok := s.Text("server_id", 1, 64, "a name of 1 to 64 characters")
			if !ok {
				continue
			}
			at, known := p.byID[name]
			switch {
			case !known:
				s.Bad("server_id", "a server_id of the server_list above", "")
			case p.t.Servers[at].Pod >= 0:
				s.Bad("server_id", "every server in one superpod", "")
			default:
				p.t.Servers[at].Pod = n
			}
		}
	}
	for _, s := range p.t.Servers {
		if s.Pod < 0 && len(p.t.Pods) > 0 {
			p.fault(o, "super_pod_list", form.Invalid, fmt.Sprintf("no superpod with server %q", s.ID), "every server in one superpod", "", 0)
			return
		}
	}
	type inPod struct{ pod, id int }
	ids := map[inPod]bool{}
	for i := range p.t.Ranks {
		r := &p.t.Ranks[i]
		if !devices[i].Has("super_device_id") {
			devices[i].Missing("super_device_id", "it on every device, as it is on some", "")
			continue
		}
		at := inPod{p.t.Servers[r.Server].Pod, r.Super}
		if r.Super >= 0 && ids[at] {
			devices[i].Bad("super_device_id", "every id once in a superpod", "")
		}
		ids[at] = true
	}
}

// backups checks that a backup address is that of the other die of the package
// and its port another one than the die's own.
func (p *parser) backups(devices []*form.Object) {
	type die struct{ server, device int }
	at := map[die]*Rank{}
	for i := range p.t.Ranks {
		at[die{p.t.Ranks[i].Server, p.t.Ranks[i].Device}] = &p.t.Ranks[i]
	}
	for i := range p.t.Ranks {
		r := &p.t.Ranks[i]
		other := at[die{r.Server, r.Device ^ 1}]
		if r.BackupIP == "" || other == nil || len(other.IPs) == 0 {
			continue
		}
		if r.BackupIP != other.IPs[0] {
			devices[i].Bad("backup_device_ip", fmt.Sprintf("%q, the device_ip of device %d: the other die of the package", other.IPs[0], other.Device), "")
			continue
		}
		if r.BackupPort > 0 && r.BackupPort == other.DevicePort {
			devices[i].Bad("backup_device_port", fmt.Sprintf("another port than %d, on which device %d listens itself", other.DevicePort, other.Device), "")
		}
	}
}
