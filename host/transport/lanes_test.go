package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

func ports(f fabric.Features) option { return func(c *rigConfig) { c.ports = f } }

// queues are features under which nothing is lost.
var queues = []fabric.Features{
	{Lanes: 16},
	{Lanes: 2, Turns: true},
	{Lanes: 4, Credits: fabric.Credits{Cells: 6553}},
	{Credits: fabric.Credits{Cells: 1000, Grain: 32}},
	{Pause: fabric.Pause{Lanes: 1, Off: 200_000, On: 150_000}, Buffer: fabric.Buffer{Reserve: 1 << 20}},
	{Lanes: 16, Turns: true, Credits: fabric.Credits{Cells: 6553, Grain: 32}, Allocation: 10 * sim.Nanosecond},
}

// Both plugins over a congested tree whose ports queue: all arrives, nothing is
// lost, and, but for what credits hold back, as fast as over ports that do not.
func TestPluginsOverQueues(t *testing.T) {
	for _, plugin := range []string{"rdma", "ub"} {
		plain := tree(t, 1<<20, 1, carrier(plugin, topo.ROCE))
		end := plain.run().End
		for i, f := range queues {
			r := tree(t, 1<<20, 1, carrier(plugin, topo.ROCE), ports(f))
			res := r.run()
			require.Equal(t, sim.Done, res.Reason, "%s %d: %v", plugin, i, res.Stall)
			require.Len(t, r.done, 128)
			for _, d := range r.done {
				require.Equal(t, StatusOK, d.Status)
			}
			for p := range r.g.Ports {
				require.Zero(t, r.f.Stat(topo.PortID(p)).Drops)
			}
			require.InEpsilon(t, micros(end), micros(res.End), 0.5, "%s %d", plugin, i)
		}
	}
}

// incast has n devices of a star write the given bytes to one more.
func incast(t *testing.T, sizes []int64, opts ...option) *rig {
	n := len(sizes)
	r := newRig(t, append([]option{func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "star", Servers: 1, Devices: n + 1, Params: topo.Params{Planes: 1, Rate: 400 * units.Gbps, Latency: ns(500), Hop: ns(0)}}
		c.data, c.headers = mem.Phantom, false
	}}, opts...)...)
	for i, s := range sizes {
		x, _ := r.connect(topo.NodeID(i), topo.NodeID(n))
		r.post(x, uint64(i), WR{Op: OpWrite, Local: r.buffer(i, s), Remote: r.buffer(n, s), Len: s})
	}
	return r
}

// Water filling through plugins, with packets and with trains, over plain ports,
// credits and pauses.
func TestIncastWaterFilling(t *testing.T) {
	sizes := []int64{4 << 20, 8 << 20, 16 << 20, 32 << 20}
	for _, plugin := range []string{"rdma", "ub"} {
		for _, f := range append([]fabric.Features{{}}, queues...) {
			for _, train := range []int{1, 0} {
				r := incast(t, sizes, carrier(plugin, topo.UB_TP), ports(f), func(c *rigConfig) { c.train = train })
				require.Equal(t, sim.Done, r.run().Reason)
				var at, before int64
				for i, s := range sizes {
					at += (s - before) * int64(len(sizes)-i)
					before = s
					require.EqualValues(t, i, r.done[i].ID, "the smaller ends first")
					slack := 0.01
					switch {
					case f.Pause.Lanes != 0:
						slack = 0.1 // the first to be stopped is a little behind
					case i < len(sizes)-1 && train != 1:
						slack = 0.1 // a train of each more or less
					}
					require.InEpsilon(t, micros((400*units.Gbps).Time(at))+2, micros(r.done[i].At), slack, "%s %+v train %d flow %d", plugin, f, train, i)
				}
			}
		}
	}
}

// A cycle of credits under a transport that waits for its acknowledgements is a
// stall that names the ports.
func TestCreditDeadlockThroughTransport(t *testing.T) {
	r := newRig(t, carrier("ub", topo.UB_CTP), ports(fabric.Features{Credits: fabric.Credits{Cells: 20}}))
	a, _ := r.connect(0, 1)
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 4096), Remote: r.buffer(1, 4096), Len: 4096})
	res := r.e.Run(0)
	require.Equal(t, sim.Stalled, res.Reason)
	require.Contains(t, res.Stall.String(), "port npu0:")
	require.Contains(t, res.Stall.String(), "20 cells left of 20")
}

// Faults by schedule end in completions: down for good in retry exceeded and
// flushes, down for a while in a late success, loss in success.
func TestScheduledFaults(t *testing.T) {
	for _, f := range append([]fabric.Features{{}}, queues...) {
		for _, x := range []struct {
			name  string
			fault fabric.Fault
			want  []Status
			after sim.Time
		}{
			{"down", fabric.Fault{At: 30 * sim.Microsecond, Kind: fabric.FaultDown}, []Status{StatusRetry, StatusFlush}, 5 * 262 * sim.Microsecond},
			{"outage", fabric.Fault{At: 30 * sim.Microsecond, For: 300 * sim.Microsecond, Kind: fabric.FaultDown}, []Status{StatusOK, StatusOK}, 330 * sim.Microsecond},
			{"loss", fabric.Fault{Kind: fabric.FaultLoss, PPM: 1000, Both: true}, []Status{StatusOK, StatusOK}, 0},
			{"slow", fabric.Fault{At: 10 * sim.Microsecond, Kind: fabric.FaultRate, Rate: 100 * units.Gbps}, []Status{StatusOK, StatusOK}, 300 * sim.Microsecond},
			{"far", fabric.Fault{Kind: fabric.FaultLatency, Latency: 20 * sim.Microsecond}, []Status{StatusOK, StatusOK}, 60 * sim.Microsecond},
		} {
			r := newRig(t, carrier("rdma", topo.ROCE), wire(400*units.Gbps, ns(500)), ports(f), func(c *rigConfig) {
				c.data, c.faults = mem.Phantom, []fabric.Fault{x.fault}
			}, attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 6, 5 }))
			a, _ := r.connect(0, 1)
			for i := range uint64(2) {
				r.post(a, i, WR{Op: OpWrite, Local: r.buffer(0, 2<<20), Remote: r.buffer(1, 2<<20), Len: 2 << 20})
			}
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, x.want, r.statuses(), "%s %+v", x.name, f)
			require.Greater(t, r.done[1].At, x.after, "%s %+v", x.name, f)
		}
	}
}

// Percentiles are of the nearest rank; failures are counted apart.
func TestFlowTimes(t *testing.T) {
	var f Flows
	require.Equal(t, FlowTimes{}, f.Times())
	got := 0
	s := f.Tap(sinkFunc(func(*Completion) { got++ }))
	for i := range 200 {
		s.Complete(&Completion{First: 7, At: 7 + sim.Time((i*77)%200+1)*sim.Microsecond, Bytes: 10})
	}
	s.Complete(&Completion{Status: StatusRetry, At: sim.Second})
	s.Complete(&Completion{Recv: true, At: sim.Second})
	require.Equal(t, 202, got)
	require.Equal(t, FlowTimes{Transfers: 200, Failed: 1, Bytes: 2000, P50: 100 * sim.Microsecond, P99: 198 * sim.Microsecond, Max: 200 * sim.Microsecond}, f.Times())
	var one Flows
	one.Tap(nil).Complete(&Completion{At: 5})
	require.Equal(t, FlowTimes{Transfers: 1, P50: 5, P99: 5, Max: 5}, one.Times())
}

type sinkFunc func(c *Completion)

func (f sinkFunc) Complete(c *Completion) { f(c) }

// A way with a group keeps to its ports, there and back; one with detours uses more
// than the shortest.
func TestGroupsAndDetours(t *testing.T) {
	spec := func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "fattree", Servers: 4, Devices: 1, Params: topo.Params{K: 4, Tiers: 2, Planes: 1, Rate: 400 * units.Gbps}}
		c.params, c.data = map[string]any{"spray": true}, mem.Phantom
	}
	for group := range uint8(3) {
		r := newRig(t, spec, carrier("ub", topo.UB_CTP))
		var up []topo.PortID
		for i := range r.g.Ports {
			if p := topo.PortID(i); r.g.Nodes[r.g.Ports[i].Node].Kind == topo.Switch && r.g.Nodes[r.g.PeerNode(p)].Kind == topo.Switch {
				up = append(up, p)
				spine := max(r.g.Ports[i].Node, r.g.PeerNode(p))
				r.f.SetGroup(p, uint8(1+int(spine)%2))
			}
		}
		route := r.n.Routes(topo.UB_CTP)
		a, _, err := r.n.Connect(Spec{A: 0, B: 3, Protocol: topo.UB_CTP, Via: &Via{PortA: route.Ports(0, 3)[0], PortB: route.Ports(3, 0)[0], Group: group}})
		require.NoError(t, err)
		r.n.SetSink(a, r)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 1<<20), Remote: r.buffer(3, 1<<20), Len: 1 << 20})
		require.Equal(t, sim.Done, r.run().Reason)
		var by [3]int64
		for _, p := range up {
			by[1+int(max(r.g.Ports[p].Node, r.g.PeerNode(p)))%2] += r.f.Stat(p).Bytes
		}
		if group == 0 {
			require.InEpsilon(t, by[1], by[2], 0.02)
			continue
		}
		require.Positive(t, by[group])
		require.Zero(t, by[3-group])
	}
}
