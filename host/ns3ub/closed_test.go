package ns3ub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

const (
	wireLatency = 10 * sim.Nanosecond
	choice      = 5 * sim.Nanosecond
)

// One RTP write through a switch that stores and forwards: all bytes on the first
// link, the last packet once more, and its acknowledgement back.
func TestWriteThroughASwitch(t *testing.T) {
	const n = 25
	r := run1(t, star(2, "0,0,1,102400,URMA_WRITE,7,0ns,0,"))
	data := serial(4096 + 78)
	there := n*data + data + 2*(wireLatency+choice)
	back := 2 * (serial(70) + wireLatency + choice)
	require.Equal(t, there+back, r.Tasks[0].End)
	require.EqualValues(t, n, r.Packets)
}

// A compact write over one link: headers of 36 bytes, acknowledgements of 24.
func TestCompactWrite(t *testing.T) {
	r := run1(t, pair(1, "0,0,1,40960,URMA_WRITE,7,0ns,0,").attribute("UbApp::TransportMode", "CTP").attribute("UbSwitchAllocator::AllocationTime", "+5ns"))
	require.Equal(t, 10*serial(4096+36)+serial(24)+2*(wireLatency+choice), r.Tasks[0].End)
}

// A read is a request, its data, and nothing more: the reader has it when the last
// packet is there.
func TestRead(t *testing.T) {
	r := run1(t, pair(1, "0,0,1,40960,URMA_READ,7,0ns,0,"))
	request := serial(78) + wireLatency + choice
	require.InDelta(t, micros(request+10*serial(4096+78)+wireLatency+choice), micros(r.Tasks[0].End), 0.01)
}

// Four channels carry a task side by side, in slices of 64 KiB.
func TestSlicesUseAllChannels(t *testing.T) {
	f := pair(4, "0,0,1,4194304,URMA_WRITE,7,0ns,0,")
	one := run1(t, f)
	all := run1(t, f.attribute("UbApp::EnableMultiPath", "true"))
	require.InEpsilon(t, micros(one.Makespan)/4, micros(all.Makespan), 0.01)
	require.InEpsilon(t, micros(1024*serial(4096+78)), micros(one.Makespan), 0.001)
}

// Channels of the file are taken where they fit: by priority, by the lowest
// metric, by the ports that a task asks for.
func TestChannelsOfTheFile(t *testing.T) {
	for _, k := range []struct {
		name, channels, head, task string
		ports                      int // in use
	}{
		{"all of them", "0,0,0,1,0,0,7,1\n0,1,1,1,1,1,7,1\n", taskHead, "0,0,1,4194304,URMA_WRITE,7,0ns,0,", 2},
		{"usable both ways", "1,0,0,0,0,0,7,1\n1,1,1,0,1,1,7,1\n", taskHead, "0,0,1,4194304,URMA_WRITE,7,0ns,0,", 2},
		{"the shorter one", "0,0,0,1,0,0,7,1\n0,1,1,1,1,1,7,2\n", taskHead, "0,0,1,4194304,URMA_WRITE,7,0ns,0,", 1},
		{"of the priority", "0,0,0,1,0,0,7,1\n0,1,1,1,1,1,3,1\n", taskHead, "0,0,1,4194304,URMA_WRITE,3,0ns,0,", 1},
		{"none fits", "0,0,0,1,0,0,7,1\n0,1,1,1,1,1,7,1\n", taskHead, "0,0,1,4194304,URMA_WRITE,3,0ns,0,", 4},
		{"by hint", "0,0,0,1,0,0,7,1\n0,1,1,1,1,1,7,1\n", strings.TrimSpace(taskHead) + ",srcPortHint,dstPortHint\n", "0,0,1,4194304,URMA_WRITE,7,0ns,0,,1,1", 1},
	} {
		t.Run(k.name, func(t *testing.T) {
			f := pair(4, k.task).with("transport_channel.csv", channelHead+k.channels).attribute("UbApp::EnableMultiPath", "true")
			r := run1(t, f.with("traffic.csv", k.head+k.task+"\n"))
			require.InEpsilon(t, micros(1024*serial(4096+78))/float64(k.ports), micros(r.Makespan), 0.01)
		})
	}
}

// Tasks of one entity follow each other without a gap; others share the link.
func TestEntitiesAreQueues(t *testing.T) {
	f := pair(1).attribute("UbApp::TransportMode", "CTP").attribute("UbSwitchAllocator::AllocationTime", "+5ns")
	head := strings.TrimSpace(taskHead) + ",srcEntityId,dstEntityId\n"
	one := 100 * serial(4096+36)
	rest := serial(24) + 2*(wireLatency+choice)
	serialised := run1(t, f.with("traffic.csv", head+"0,0,1,409600,URMA_WRITE,7,0ns,0,,0,0\n1,0,1,409600,URMA_WRITE,7,0ns,1,,0,0\n"))
	require.Equal(t, one+rest, serialised.Tasks[0].End)
	require.Equal(t, 2*one+rest, serialised.Tasks[1].End)
	shared := run1(t, f.with("traffic.csv", head+"0,0,1,409600,URMA_WRITE,7,0ns,0,,0,0\n1,0,1,409600,URMA_WRITE,7,0ns,1,,1,0\n"))
	require.Greater(t, shared.Tasks[0].End, one*3/2)
	require.Equal(t, 2*one+rest, shared.Makespan)
}

// A task waits for all tasks of the phases it names and then for its delay.
func TestPhases(t *testing.T) {
	r := run1(t, star(4,
		"0,0,1,4096,URMA_WRITE,7,0ns,10,",
		"1,0,2,40960,URMA_WRITE,7,0ns,10,",
		"2,1,3,4096,URMA_WRITE,7,2us,11,10",
		"3,2,3,4096,URMA_WRITE,7,0ns,12,10 11",
		"4,3,2,4096,URMA_WRITE,7,1us,13,"))
	require.Equal(t, max(r.Tasks[0].End, r.Tasks[1].End)+2*sim.Microsecond, r.Tasks[2].Start)
	require.Equal(t, r.Tasks[2].End, r.Tasks[3].Start)
	require.Equal(t, sim.Microsecond, r.Tasks[4].Start)
}

// A thread of a device has a bounded number of stores under way: two threads move
// two times the limit in every round trip.
func TestStoresAreBounded(t *testing.T) {
	f := star(2, "0,0,1,1024000,MEM_STORE,7,0ns,0,").attribute("UbLdstThread::StoreOutstanding", "2")
	r := run1(t, f)
	// Four stores in a row, each once more at the switch, and the answer.
	round := 2*serial(512+28) + 2*(wireLatency+choice) + 2*(serial(16)+wireLatency+choice)
	require.InEpsilon(t, micros(round)*2000/4, micros(r.Makespan), 0.10)
	free := run1(t, star(2, "0,0,1,1024000,MEM_STORE,7,0ns,0,"))
	require.InEpsilon(t, micros(2000*serial(512+28)), micros(free.Makespan), 0.02)
}

// Loads bring their data in the other direction.
func TestLoads(t *testing.T) {
	r := run1(t, star(2, "0,0,1,1024000,MEM_LOAD,7,0ns,0,"))
	require.InEpsilon(t, micros(2000*serial(512+28)), micros(r.Makespan), 0.05)
}

// A task of higher priority, a lower number, has the link to itself.
func TestPriorityIsALane(t *testing.T) {
	r := run1(t, pair(1, "0,0,1,4096000,URMA_WRITE,7,0ns,0,", "1,0,1,409600,URMA_WRITE,3,20us,1,"))
	require.InEpsilon(t, micros(100*serial(4096+78)), micros(r.Tasks[1].End-r.Tasks[1].Start), 0.03)
	require.InEpsilon(t, micros(1100*serial(4096+78)), micros(r.Makespan), 0.01)
}

// Credits bound what is under way on a long link.
func TestCreditsBoundALink(t *testing.T) {
	f := pair(1, "0,0,1,4096000,URMA_WRITE,7,0ns,0,")
	f = f.with("topology.csv", strings.ReplaceAll(f["topology.csv"], "10ns", "1us")).with("network_attribute.txt", "").
		attribute("UbPort::CbfcInitCreditCell", "270").attribute("UbPort::CbfcCtrlCrdRtrThldCell", "27")
	// Ten packets of 27 cells in every loop of a packet and the frame that returns it.
	loop := serial(4096+78) + 2*sim.Microsecond + serial(40) + 2*choice
	require.InEpsilon(t, micros(loop)*1000/10, micros(run1(t, f).Makespan), 0.02)
}

// Four devices write to one: each gets a quarter, and nothing is lost.
func TestIncast(t *testing.T) {
	f := star(5, "0,0,4,409600,URMA_WRITE,7,0ns,0,", "1,1,4,409600,URMA_WRITE,7,0ns,0,", "2,2,4,409600,URMA_WRITE,7,0ns,0,", "3,3,4,409600,URMA_WRITE,7,0ns,0,")
	for _, control := range []string{"NONE", "CBFC", "CBFC_SHARED", "PFC_FIXED"} {
		r := run1(t, f.with("network_attribute.txt", "").attribute("UbSwitch::FlowControl", control))
		require.InEpsilon(t, micros(400*serial(4096+78)), micros(r.Makespan), 0.01, control)
		for _, x := range r.Tasks {
			require.InEpsilon(t, micros(r.Makespan), micros(x.End), 0.02, control)
		}
	}
}

// Without a routing table packets take shortest paths.
func TestShortestPaths(t *testing.T) {
	f := star(3, "0,0,2,102400,URMA_WRITE,7,0ns,0,")
	require.Equal(t, written(t, run1(t, f)), written(t, run1(t, f.with("routing_table.csv", "-"))))
}

// Two runs are equal to the byte, and trains come close.
func TestRunsAreRepeatable(t *testing.T) {
	f := star(4, "0,0,1,1000000,URMA_WRITE,7,0ns,0,", "1,1,0,1000000,URMA_WRITE,7,0ns,0,", "2,2,1,300000,MEM_STORE,7,0ns,0,", "3,3,1,500000,URMA_READ,5,0ns,0,")
	first := written(t, run1(t, f))
	require.Equal(t, first, written(t, run1(t, f)))
	f = star(4, "0,0,1,1000000,URMA_WRITE,7,0ns,0,", "1,1,0,1000000,URMA_WRITE,7,0ns,0,", "2,2,1,300000,URMA_WRITE,7,0ns,0,", "3,3,1,500000,URMA_READ,5,0ns,0,")
	f = f.with("node.csv", strings.ReplaceAll(f["node.csv"], "5ns", "1ns"))
	require.InEpsilon(t, micros(run1(t, f).Makespan), micros(runTrain(t, f, 16).Makespan), 0.02)
}
