package ns3ub

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// A lane with less credit than a packet takes never sends: the run ends with a
// stall that names the port, and the rows of tasks that are not complete are empty.
func TestCreditThatCoversNoPacket(t *testing.T) {
	f := pair(1, "0,0,1,4096,URMA_WRITE,7,0ns,0,", "1,0,1,64,URMA_WRITE,7,0ns,1,0").with("network_attribute.txt", "").attribute("UbPort::CbfcInitCreditCell", "20")
	r, err := load(t, f).Run(context.Background(), Options{Train: 1, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, sim.Stalled, r.Reason)
	require.Zero(t, r.Done)
	require.NotEmpty(t, r.Stall.Waiting)
	lines := strings.Split(written(t, r), "\n")
	require.Equal(t, "0,0,1,4096,URMA_WRITE,7,0ns,0,,,,,,", lines[1])
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
