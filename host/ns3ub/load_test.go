package ns3ub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/units"
)

// The spellings of all versions come to the same case.
func TestSpellings(t *testing.T) {
	f := star(2, "0,0,1,102400,URMA_WRITE,7,0ns,0,")
	want := run1(t, f).Tasks
	other := files{
		"node.csv":              "\ufeffNodeId, nodeType ,portNum,forwardDelay,systemId\r\n# two devices\r\n0,DEVICE,1,+5ns,0\r\n\r\n1,device,1,0.005us,0\r\n2,SWITCH,2,5ns,0\r\n",
		"topology.csv":          "node1,port1,node2,port2,bandwidth,delay\n0,0,2,0,400Gb/s,10ns\n1,0,2,1,50GBps,10ns\n",
		"routing_table.csv":     "nodeId,dstNodeId,dstPortId,outPorts,metrics\n0,1,0,0,2\n1,0,0,0,2\n2,0,0,0,1\n2,1,0,\"1\",1\n",
		"traffic.csv":           "taskId,sourceNode,destNode,dataSize,opType,priority,delay,phaseId,dependOnPhases,srcEntityId,dstEntityId,srcPortHint,dstPortHint,colour\n0,0,1,102400,URMA_WRITE,7,0ns,0,,,,,,red\n",
		"network_attribute.txt": "# none\ndefault ns3::UbSwitch::FlowControl \"NONE\"\nglobal UB_CC_ALGO \"CAQM\"\n",
	}
	r := run1(t, other)
	require.Equal(t, want, r.Tasks)
	c := load(t, other)
	require.Equal(t, []string{
		"case/node.csv: columns without meaning here: systemId",
		"case/traffic.csv: columns without meaning here: colour",
		"case/network_attribute.txt: attributes that are not modelled: UB_CC_ALGO",
	}, c.Notes)
}

// A row of the routing table may stand for ranges of nodes.
func TestRouteRanges(t *testing.T) {
	f := star(3, "0,0,1,102400,URMA_WRITE,7,0ns,0,")
	ranges := f.with("routing_table.csv", routeHead+"0..2,0..2,0,0,2\n3,0,0,0,1\n3,1,0,1,1\n3,2,0,2,1\n")
	require.Equal(t, written(t, run1(t, f)), written(t, run1(t, ranges)))
}

// Of several metrics the lowest counts.
func TestLowestMetric(t *testing.T) {
	f := pair(3, "0,0,1,4194304,URMA_WRITE,7,0ns,0,").attribute("UbApp::EnableMultiPath", "true")
	f = f.with("routing_table.csv", routeHead+"0,1,0,0 1,1 2\n0,1,1,1,3\n0,1,2,2,1\n1,0,0,0,1\n1,0,1,1,1\n1,0,2,2,1\n")
	r := run1(t, f)
	require.InEpsilon(t, micros(512*serial(4096+78)), micros(r.Makespan), 0.01, "channels over ports 0 and 2")
}

func TestValues(t *testing.T) {
	for text, want := range map[string]sim.Time{"10ns": 10 * sim.Nanosecond, "+1.5us": 1500 * sim.Nanosecond, "0": 0, "2": 2 * sim.Second, "3ms": 3 * sim.Millisecond} {
		got, err := parseTime(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]units.Rate{"400Gbps": 400 * units.Gbps, "400Gb/s": 400 * units.Gbps, "50GBps": 400 * units.Gbps, "50GB/s": 400 * units.Gbps,
		"10Mbps": 10_000_000, "5kbps": 5000, "100bps": 100} {
		got, err := parseRate(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "-1ns", "1 fortnight"} {
		_, err := parseTime(text)
		require.Error(t, err, text)
	}
	for _, text := range []string{"", "x", "-1Gbps", "400"} {
		_, err := parseRate(text)
		require.Error(t, err, text)
	}
}

func TestDecimal(t *testing.T) {
	require.Equal(t, "180.55266", decimal(180552660, 1e6, 5))
	require.Equal(t, "0.0", decimal(0, 1e6, 5))
	require.Equal(t, "0.001", decimal(1000, 1e6, 5))
	require.Equal(t, "1.00001", decimal(1000005, 1e6, 5))
	require.Equal(t, "396.4649", decimal(3964649, 10000, 4))
}

// The result has the columns of the traffic file and five more, and is written
// whole or not at all.
func TestResultFile(t *testing.T) {
	f := star(2, "0,0,1,102400,URMA_WRITE,7,0ns,0,", "1,0,1,4096,URMA_WRITE,7,1us,1,0")
	f = f.with("network_attribute.txt", f["network_attribute.txt"]+"global UB_PACKET_TRACE_ENABLE \"true\"\n")
	r := run1(t, f)
	lines := strings.Split(written(t, r), "\n")
	require.Equal(t, "taskId,sourceNodeId,destNodeId,dataSize(Byte),opType,priority,delay,phaseId,dependOnPhases,taskStartTime(us),taskCompletesTime(us),firstPacketSends(us),lastPacketACKs(us),taskThroughput(Gbps)", lines[0])
	require.Equal(t, "0,0,1,102400,URMA_WRITE,7,0ns,0,,0.0,2.23328,0.005,2.23328,366.8147", lines[1])
	require.True(t, strings.HasPrefix(lines[2], "1,0,1,4096,URMA_WRITE,7,1us,1,0,3.23328,"), lines[2])

	dir := t.TempDir()
	require.NoError(t, r.WriteFile(filepath.Join(dir, "new", "out", FileName)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, FileName), 0o755))
	require.Error(t, r.WriteFile(filepath.Join(dir, FileName)))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "no temporary file stays")
}
