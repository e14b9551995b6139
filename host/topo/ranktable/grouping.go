package ranktable

import (
	"fmt"
	"slices"

	"hsim/host/soc"
)

// group is one server of a table. Servers of the same pod are one superpod.
type group struct {
	id, hostIP, podID string
	pod               int
}

// groups lists the servers and the server of each rank. 2.0 has no servers unless
// hsim wrote it: the devices of one instance of layer 0 are on one server until a
// device id comes again.
func (t *Table) groups(chip *soc.Chip) ([]group, []int) {
	home := make([]int, len(t.Ranks))
	var out []group
	if t.Version != "2.0" {
		for i, s := range t.Servers {
			g := group{id: s.ID, hostIP: s.HostIP, pod: s.Pod}
			switch {
			case s.Pod >= 0:
				g.podID = t.Pods[s.Pod]
			case t.serverMode(chip):
				g.pod, g.podID = i, s.ID
			}
			out = append(out, g)
		}
		for r := range t.Ranks {
			home[r] = t.Ranks[r].Server
		}
		return out, home
	}
	pods := map[string]int{}
	podOf := func(r *Rank) (int, string) {
		name := r.instance(1)
		if _, ok := pods[name]; !ok {
			pods[name] = len(pods)
		}
		return pods[name], name
	}
	if len(t.Servers) > 0 {
		for _, s := range t.Servers {
			out = append(out, group{id: s.ID, hostIP: s.HostIP})
		}
		for r := range t.Ranks {
			home[r] = t.Ranks[r].Server
			out[home[r]].pod, out[home[r]].podID = podOf(&t.Ranks[r])
		}
		return out, home
	}
	var instances []string
	members := map[string][]int{}
	for r := range t.Ranks {
		name := t.Ranks[r].instance0()
		if members[name] == nil {
			instances = append(instances, name)
		}
		members[name] = append(members[name], r)
	}
	for _, name := range instances {
		list := members[name]
		slices.SortStableFunc(list, func(x, y int) int { return t.Ranks[x].Local - t.Ranks[y].Local })
		seen := map[int]bool{}
		for i, r := range list {
			if i == 0 || seen[t.Ranks[r].Device] {
				pod, id := podOf(&t.Ranks[r])
				out = append(out, group{id: name, pod: pod, podID: id})
				if i > 0 {
					out[len(out)-1].id = fmt.Sprintf("%s#%d", name, len(out)-1)
				}
				clear(seen)
			}
			seen[t.Ranks[r].Device] = true
			home[r] = len(out) - 1
		}
	}
	return out, home
}

// serverMode reports whether every server is a superpod of its own: a table
// without superpods for a chip that has them.
func (t *Table) serverMode(chip *soc.Chip) bool {
	return t.Version == "1.2" || t.Version == "1.0" && chip.Generation == "A3"
}

// instance is the name of the rank's network of a layer, "" without one.
func (r *Rank) instance(layer int) string {
	for _, l := range r.Levels {
		if l.Layer == layer {
			return l.Instance
		}
	}
	return ""
}
