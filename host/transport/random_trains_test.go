package transport

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// blend is random writes and reads of up to 8 MiB on a random cluster; it gives the
// time of the last.
func blend(t *testing.T, seed uint64, train int) (last float64, name string) {
	d := sim.New(seed).Rand("blend")
	kinds := []setting{{"rdma", topo.ROCE, nil, true}, {"ub", topo.UB_TP, nil, true}, {"ub", topo.UB_TP, map[string]any{"spray": true}, true}, {"ub", topo.UB_CTP, nil, false},
		{"ub", topo.UB_CTP, map[string]any{"spray": true, "window": 2048}, false}, {"ub", topo.HCCS, nil, false}}
	s, shape := kinds[d.Intn(len(kinds))], shapes[d.Intn(len(shapes))]
	shape.Params.Rate, shape.Params.Latency = 400*units.Gbps, ns(int64(100+d.Intn(900)))
	names := []string{"plain", "credits", "grains", "pause"}
	control := names[d.Intn(len(names))]
	r := newRig(t, carrier(s.plugin, s.proto), ports(disciplines[control]), params(s.params), trains(train), func(c *rigConfig) { c.spec, c.data = shape, mem.Phantom },
		attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 20, 7 }))
	for range 2 + d.Intn(8) {
		from := topo.NodeID(d.Intn(r.g.Devices))
		to := topo.NodeID((int(from) + 1 + d.Intn(r.g.Devices-1)) % r.g.Devices)
		x, _ := r.connect(from, to)
		for range 1 + d.Intn(3) {
			n := int64(1+d.Intn(2000)) * 4096
			wr := WR{Op: []Op{OpWrite, OpWrite, OpRead}[d.Intn(3)], Local: r.buffer(int(from), n), Remote: r.buffer(int(to), n), Len: n}
			at, id := sim.Time(d.Intn(50))*sim.Microsecond, uint64(r.writes)
			r.writes++
			r.posted += n
			r.e.Go("sender", func(p *sim.Proc) { p.Sleep(at); r.post(x, id, wr) })
		}
	}
	for _, at := range r.ended(t) {
		last = max(last, micros(at))
	}
	return last, fmt.Sprintf("seed %d, %s, %v over %s %v, %s", seed, shape.Kind, s.proto, s.plugin, s.params, control)
}

// Trains trade detail for speed: in mixes of anything most makespans are those of
// packets within 1 %, and the worst are not far off.
func TestRandomTrains(t *testing.T) {
	seeds := uint64(10)
	if os.Getenv("HSIM_NIGHTLY") != "" {
		seeds = 400
	}
	var off []float64
	for seed := range seeds {
		packets, name := blend(t, seed, 1)
		trains, _ := blend(t, seed, 0)
		off = append(off, math.Abs(trains/packets-1))
		require.InEpsilon(t, packets, trains, 0.2, name)
	}
	slices.Sort(off)
	t.Logf("%d mixes: half within %.2f %%, nine of ten within %.1f %%, all within %.1f %%", seeds, 100*off[seeds/2], 100*off[seeds*9/10], 100*off[seeds-1])
	require.Less(t, off[seeds/2], 0.01)
}
