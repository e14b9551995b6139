package topo

import "fmt"

// check refuses parameters out of range, or of another kind of topology.
func (p *Params) check(kind string) error {
	for _, k := range paramKeys() {
		n, isCount := k.at(p).(*int)
		if isCount && *n != 0 && (*n < k.min || *n > k.max) {
			return fmt.Errorf("topo: build %s: %s: got %d, want %d to %d", kind, k.Name, *n, k.min, k.max)
		}
	}
	for _, d := range p.Dims {
		if d < 1 || d > maxDevices {
			return fmt.Errorf("topo: build %s: dims: got %d, want 1 to %d along each dimension", kind, d, maxDevices)
		}
	}
	if len(p.Dims) > 8 {
		return fmt.Errorf("topo: build %s: dims: got %d dimensions, want at most 8", kind, len(p.Dims))
	}
	if len(p.Replaced) > 0 && p.Backup == 0 {
		return fmt.Errorf("topo: build %s: replaced: got devices to replace and no backup devices, want backup = 1", kind)
	}
	if p.K%2 != 0 {
		return fmt.Errorf("topo: build %s: k: got %d, want an even number", kind, p.K)
	}
	if p.NIC != "" && p.NIC != "star" && p.NIC != "none" {
		return fmt.Errorf("topo: build %s: nic: got %q, want star or none", kind, p.NIC)
	}
	return nil
}
