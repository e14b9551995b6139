package ns3ub

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// A lane with less credit than a packet takes never sends: the run ends with a
// stall that names the port, and the rows of tasks that are not complete are empty.
func TestCreditThatCoversNoPacket(t *testing.T) {
	for mode, cells := range map[string]string{"RTP": "27", "CTP": "26"} {
		f := pair(1, "0,0,1,4096,URMA_WRITE,7,0ns,0,", "1,0,1,64,URMA_WRITE,7,0ns,1,0").with("network_attribute.txt", "").
			attribute("UbPort::CbfcInitCreditCell", "20").attribute("UbApp::TransportMode", mode)
		r, err := load(t, f).Run(context.Background(), Options{Train: 1, Seed: 1})
		require.NoError(t, err)
		require.Equal(t, sim.Stalled, r.Reason, mode)
		require.Zero(t, r.Done)
		require.Regexp(t, `port node0:0/0 waits for credit of lane 7: 20 cells left of 20, the next packet takes `+cells+` since`, r.Stall.String())
		lines := strings.Split(written(t, r), "\n")
		require.Equal(t, "0,0,1,4096,URMA_WRITE,7,0ns,0,,,,,,", lines[1])
	}
}

// Transactions of a case have no time-out: an answer may take as long as its links do.
func TestLongLinks(t *testing.T) {
	f := pair(1, "0,0,1,4096,URMA_WRITE,7,0ns,0,").attribute("UbApp::TransportMode", "CTP")
	r := run1(t, f.with("topology.csv", strings.Replace(f["topology.csv"], "10ns", "20s", 1)))
	require.Equal(t, 1, r.Done)
	require.Equal(t, "40s", (r.Makespan - r.Makespan%sim.Second).String())
}

// A return of credit that is larger than what a case has is all of it.
func TestGrainBeyondCredit(t *testing.T) {
	f := pair(1, "0,0,1,300,URMA_WRITE,7,0ns,0,").with("network_attribute.txt", "").attribute("UbPort::CbfcInitCreditCell", "3")
	require.Equal(t, 1, run1(t, f).Done)
}

// Without flow control a full buffer drops packets: they are sent again where
// retransmission is on, else their tasks never end.
func TestDrops(t *testing.T) {
	f := star(5, "0,0,4,409600,URMA_WRITE,7,0ns,0,", "1,1,4,409600,URMA_WRITE,7,0ns,0,", "2,2,4,409600,URMA_WRITE,7,0ns,0,", "3,3,4,409600,URMA_WRITE,7,0ns,0,").
		attribute("UbQueueManager::ReservePerQueueBytes", "16384")
	r, err := load(t, f).Run(context.Background(), Options{Train: 1, Seed: 1})
	require.NoError(t, err)
	require.NotNil(t, r.Stall)
	require.Less(t, r.Done, 4)
	again := run1(t, f.attribute("UbTransportChannel::EnableRetrans", "true"))
	require.Greater(t, micros(again.Makespan), micros(400*serial(4096+78)))
}

// A run that is interrupted says how far it came.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := load(t, star(2, "0,0,1,102400,URMA_WRITE,7,0ns,0,")).Run(ctx, Options{Train: 1, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, sim.Interrupted, r.Reason)
}

// around is n switches in a ring with a device each; everything goes round clockwise.
// Every device writes to the one across, with credit for one packet a link.
func around(n int, cells string) files {
	nodes, links, routes := fmt.Sprintf("%s0..%d,DEVICE,1,5ns\n%d..%d,SWITCH,3,5ns\n", nodeHead, n-1, n, 2*n-1), linkHead, routeHead
	var tasks []string
	for i := range n {
		next := (i + 1) % n
		links += fmt.Sprintf("%d,0,%d,0,400Gbps,10ns\n%d,1,%d,2,400Gbps,10ns\n", i, n+i, n+i, n+next)
		for k := range n {
			if k != i {
				routes += fmt.Sprintf("%d,%d,0,0,%d\n%d,%d,0,1,%d\n", i, k, n, n+i, k, n)
			}
		}
		routes += fmt.Sprintf("%d,%d,0,0,1\n", n+i, i)
		tasks = append(tasks, fmt.Sprintf("%d,%d,%d,409600,URMA_WRITE,7,0ns,0,", i, i, (i+n/2)%n))
	}
	return files{"node.csv": nodes, "topology.csv": links, "routing_table.csv": routes, "traffic.csv": taskHead + strings.Join(tasks, "\n") + "\n",
		"network_attribute.txt": ""}.attribute("UbPort::CbfcInitCreditCell", cells)
}

// Links in a ring whose rooms are full of packets for each other are a stall with the
// cycle of ports; with room enough the same case ends.
func TestCreditDeadlockNamesTheCycle(t *testing.T) {
	r, err := load(t, around(4, "30")).Run(context.Background(), Options{Train: 1, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, sim.Stalled, r.Reason)
	require.Zero(t, r.Done)
	var cycle []string
	for i := range 4 {
		cycle = append(cycle, fmt.Sprintf("port node%d:0/1", 4+i))
	}
	for _, w := range r.Stall.Waiting {
		require.LessOrEqual(t, w.Since, r.Stall.At)
	}
	require.ElementsMatch(t, cycle, r.Stall.Cycle)
	run1(t, around(4, "6553"))
}
