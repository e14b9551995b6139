package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoWays is a case of two devices that a short way over switch 2 and a long one over the switches 3 and 4 join.
func twoWays(t *testing.T, routes string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "case")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for name, text := range map[string]string{
		"node.csv":          "nodeId,nodeType,portNum,forwardDelay\n0..1,DEVICE,2,1ns\n2..4,SWITCH,2,50ns\n",
		"topology.csv":      "nodeId1,portId1,nodeId2,portId2,bandwidth,delay\n0,0,2,0,400Gbps,100ns\n1,0,2,1,400Gbps,100ns\n0,1,3,0,100Gbps,100ns\n3,1,4,0,100Gbps,100ns\n4,1,1,1,100Gbps,100ns\n",
		"routing_table.csv": routes,
	} {
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
	}
	return dir
}

const routesHead = "nodeId,dstNodeId,dstPortId,outPorts,metrics\n"

// The nodes, links and routes of a case carry collectives: by the table the slow way, without one the short way.
func TestCaseAsCluster(t *testing.T) {
	const op = "\"\n[sim]\ndata = \"phantom\"\n[[run]]\nop = \"all_gather\"\nalgorithm = \"mesh\"\nsizes = \"64MiB\"\n"
	run := func(routes string) (*VariantReport, float64) {
		v := execute(t, "[cluster]\nprofile = \"ideal\"\nns3ub = \""+twoWays(t, routes)+op, Options{}).Variants[0]
		require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
		return v, v.Rows[0].TimeUS.Float()
	}
	v, short := run("")
	assert.InEpsilon(t, (64<<20)*8/400e3, short, 0.01)
	assert.Equal(t, "ns-3-UB case", v.Topology)
	assert.Equal(t, 2, v.Ranks)
	slow := routesHead + "0,1,1,1,1\n3,1,1,1,1\n4,1,1,1,1\n1,0,1,1,1\n4,0,1,0,1\n3,0,1,0,1\n"
	v, long := run(slow)
	assert.InEpsilon(t, (64<<20)*8/100e3, long, 0.01)
	for _, p := range v.Network.Ports {
		assert.NotContains(t, p.Port, "node2", "nothing takes the short way")
	}
}

func TestBadCaseAsCluster(t *testing.T) {
	bad := func(routes, keys string) string {
		dir := twoWays(t, routes)
		return strings.ReplaceAll(refused(t, t.TempDir(), "[cluster]\nns3ub = \""+dir+"\"\n"+keys+"[[run]]\nop = \"all_reduce\"\n", Options{}), filepath.Dir(dir)+"/", "")
	}
	assert.Equal(t, "case/routing_table.csv: node 1 cannot reach node 0: there is no row for it at node 1", bad(routesHead+"0,1,0,0,1\n2,1,0,1,1\n", ""))
	assert.Equal(t, "case/routing_table.csv:3: routes to port 1 of node 1 go in a circle: 0 to 3 to 0", bad(routesHead+"0,1,1,1,1\n3,1,1,0,1\n", ""))
	assert.Equal(t, `case/routing_table.csv:2: column "outPorts": got port 9 of node 0, which has 2 ports (node.csv:2)`, bad(routesHead+"0,1,0,9,1\n", ""))
	assert.Contains(t, bad("", "profile = \"a3\"\n"), `the links of a case speak UB, and devices of the chip a3 speak HCCS to each other (try cluster.profile = "950dt")`)
	assert.Contains(t, bad("", "devices = 2\n"), "sim.toml:3: cluster.devices = 2: the cluster comes from cluster.ns3ub: leave this key out")
	assert.Contains(t, bad("", "rank_table = \"x\"\n"), "stands beside cluster.rank_table, want one of them")
	assert.Contains(t, refused(t, t.TempDir(), "[cluster]\nns3ub = \"none\"\n[[run]]\nop = \"all_reduce\"\n", Options{}), `cluster.ns3ub = "none": there is no directory `)
}

// A ring of switches with one way round and little credit locks up: that is a stall with the ports of the circle, and not
// only a task that fails when its retries end.
func TestCreditDeadlock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ring")
	require.NoError(t, os.Mkdir(dir, 0o755))
	links, routes := "nodeId1,portId1,nodeId2,portId2,bandwidth,delay\n", routesHead
	for i := range 4 {
		links += fmt.Sprintf("%d,0,%d,0,400Gbps,100ns\n%d,1,%d,2,400Gbps,100ns\n", i, 4+i, 4+i, 4+(i+1)%4)
		for j := range 4 {
			if i == j {
				routes += fmt.Sprintf("%d,%d,0,0,1\n", 4+i, i)
			} else {
				routes += fmt.Sprintf("%d,%d,0,0,1\n%d,%d,0,1,1\n", i, j, 4+i, j)
			}
		}
	}
	for name, text := range map[string]string{"node.csv": "nodeId,nodeType,portNum,forwardDelay\n0..3,DEVICE,1,1ns\n4..7,SWITCH,3,1ns\n",
		"topology.csv": links, "routing_table.csv": routes} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	text := "[cluster]\nns3ub = \"" + dir + "\"\n[sim]\ndata = \"phantom\"\n[[run]]\nop = \"all_to_all\"\nsizes = \"16MiB\"\n[fabric]\nflow_control = \"credits\"\ncredits = { cells = 104, grain = 1 }\n"
	r := execute(t, text, Options{})
	v := r.Variants[0]
	require.Equal(t, OutcomeStalled, v.Outcome)
	require.True(t, r.Stalled())
	assert.ElementsMatch(t, []string{"port node4:0/1", "port node5:0/1", "port node6:0/1", "port node7:0/1"}, v.Stall.Cycle)
	assert.Regexp(t, `^stall at .*\n  port node\d:0/\d waits for credit of lane 0: \d+ cells left of 104, the next packet takes 26`, v.Stall.String())
	r = execute(t, text, Options{Sets: []string{"fabric.credits.cells=6553"}})
	assert.Equal(t, OutcomeStalled, r.Outcome, "more credit only takes longer")
	r = execute(t, text, Options{Sets: []string{"fabric.flow_control=none"}})
	assert.Equal(t, OutcomeOK, r.Outcome, "with queues without end nothing waits")
}

// A lane with less credit than a packet takes never sends: a stall that begins with the ports, whatever gave up first and
// whether the transport has a time-out running.
func TestCreditForNoPacket(t *testing.T) {
	text := "[cluster]\ndevices = 2\n[[run]]\nop = \"all_gather\"\nsizes = \"64KiB\"\n[fabric]\nflow_control = \"credits\"\ncredits.cells = 20\n"
	for profile, port := range map[string]string{"a2": "npu0:0/7", "a3": "npu0:0/0"} {
		r := execute(t, text, Options{Sets: []string{"cluster.profile=" + profile}})
		v := r.Variants[0]
		require.Equal(t, OutcomeStalled, v.Outcome, profile)
		require.Len(t, v.Errors, 1)
		assert.Regexp(t, `^stall at .*\n  port `+port+` waits for credit of lane 0: \d+ cells left of 20, the next packet takes \d+ `, v.Stall.String())
	}
	r := execute(t, text, Options{Sets: []string{"cluster.profile=a2", "run.sizes=1KiB"}})
	assert.Equal(t, OutcomeOK, r.Outcome, "a packet of 1 KiB fits")
}
