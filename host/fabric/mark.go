package fabric

import "hsim/host/topo"

// mark marks packets that leave a long queue of port id.
func (q *queued) mark(id topo.PortID, it *item, s *Stat) {
	m := &q.c.Mark
	depth := q.lane(id, int(it.Lane)).bytes + int64(it.Wire/it.NPkts)
	if depth <= m.Kmin {
		return
	}
	bare := it.NPkts - it.Marked
	hit := bare
	if depth <= m.Kmax && m.Kmax > m.Kmin {
		hit = 0
		ppm := m.PmaxPPM * (depth - m.Kmin) / (m.Kmax - m.Kmin)
		for range bare {
			if q.f.rand.Chance(ppm) {
				hit++
			}
		}
	}
	it.Marked += hit
	s.Marked += int64(hit)
}
