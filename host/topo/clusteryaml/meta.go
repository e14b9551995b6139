package clusteryaml

import (
	"fmt"
	"slices"

	"hsim/host/topo/form"
)

// maxMeta bounds the three counts of a topo_meta file, as its own comment does.
const maxMeta = 1023

// parseMeta reads a topo_meta file: superpods, servers and the local ids of
// their ranks. Servers may have different numbers of ranks.
func parseMeta(r *form.Reader, v *form.Value) []Rack {
	o := r.Root(v, "meta", "topology")
	var counts [3]int
	var have [3]bool
	m, ok := o.Object("meta", "podNum", "serNum", "rankNum")
	keys := [3]string{"podNum", "serNum", "rankNum"}
	if ok {
		for i, k := range keys {
			counts[i], have[i] = m.Int(k, 1, maxMeta)
		}
	}
	pods, good := o.Objects("topology", 1, maxMeta, "podId", "servers")
	var out []Rack
	podSeen, ranks := map[int]bool{}, 0
	for _, p := range pods {
		pod, ok := p.Int("podId", 0, maxMeta)
		if ok && podSeen[pod] {
			p.Bad("podId", "every pod once", "")
		}
		podSeen[pod] = true
		servers, ok2 := p.Objects("servers", 1, maxMeta, "serId", "ranks")
		good = good && ok && ok2
		seen := map[int]bool{}
		for _, s := range servers {
			id, ok := s.Int("serId", 0, maxMeta)
			if ok && seen[id] {
				s.Bad("serId", "every server of a pod once", "")
			}
			seen[id] = true
			local, ok2 := s.Ints("ranks", maxDevices, 0, maxDevices-1)
			if good = good && ok && ok2; !ok2 {
				continue
			}
			local = slices.Clone(local)
			slices.Sort(local)
			if len(local) == 0 || len(slices.Compact(slices.Clone(local))) != len(local) {
				s.Bad("ranks", "the local ids of the server's ranks, each once", "")
				good = false
			}
			ranks += len(local)
			out = append(out, Rack{Pod: pod, ID: id, Ranks: local})
		}
	}
	if !good || m == nil {
		return out
	}
	for i, n := range [3]int{len(podSeen), len(out), ranks} {
		if have[i] && counts[i] != n {
			m.Bad(keys[i], fmt.Sprintf("%d, what topology has", n), "")
		}
	}
	return out
}
