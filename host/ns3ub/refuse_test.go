package ns3ub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Everything wrong with a case is refused when it is read, at its file and line.
func TestRefused(t *testing.T) {
	good := star(3, "0,0,1,4096,URMA_WRITE,7,0ns,0,").with("transport_channel.csv", channelHead+"0,0,1,1,0,1,7,1\n")
	load(t, good)
	add := func(name, line string) files { return good.with(name, good[name]+line+"\n") }
	swap := func(name, old, text string) files {
		require.Contains(t, good[name], old)
		return good.with(name, strings.Replace(good[name], old, text, 1))
	}
	task := func(line string) files { return good.with("traffic.csv", taskHead+line+"\n") }
	tasks := func(lines ...string) files { return good.with("traffic.csv", taskHead+strings.Join(lines, "\n")+"\n") }
	for _, k := range []struct {
		name string
		f    files
		want string
	}{
		{"no nodes", good.with("node.csv", "-"), `case/node.csv: there is no such file`},
		{"no links", good.with("topology.csv", "-"), `case/topology.csv: there is no such file`},
		{"no tasks", good.with("traffic.csv", "-"), `case/traffic.csv: there is no such file`},
		{"empty file", good.with("node.csv", ""), `case/node.csv: got no head line`},
		{"head alone", good.with("traffic.csv", taskHead), `case/traffic.csv: got no task`},
		{"a missing column", swap("topology.csv", "bandwidth", "rate"), `case/topology.csv:1: column "bandwidth": is missing`},
		{"a column twice", swap("topology.csv", "bandwidth", "delay"), `case/topology.csv:1: column "delay": got it twice`},
		{"too many cells", add("topology.csv", "0,0,1,1,400Gbps,1ns,5"), `case/topology.csv:5: got 7 cells, want at most 6`},
		{"a node type", swap("node.csv", "SWITCH", "SWICH"), `case/node.csv:3: column "nodeType": got "SWICH", want DEVICE or SWITCH (try SWITCH)`},
		{"a node range", swap("node.csv", "0..2", "2..0"), `case/node.csv:2: column "nodeId": got "2..0"`},
		{"a node twice", add("node.csv", "1,DEVICE,1,1ns"), `case/node.csv:4: column "nodeId": node 1 is in line 2 already`},
		{"a number of ports", swap("node.csv", "DEVICE,1", "DEVICE,x"), `case/node.csv:2: column "portNum": got "x", want a whole number`},
		{"a forward delay", swap("node.csv", "DEVICE,1,5ns", "DEVICE,1,5 parsecs"), `case/node.csv:2: column "forwardDelay": got "5 parsecs", want a time`},
		{"too many nodes", add("node.csv", "10..9999999,DEVICE,1,1ns"), `case/node.csv:4: column "nodeId": got more than 131072 nodes`},

		{"too many ports", add("node.csv", "10..100000,DEVICE,4000,1ns"), `case/node.csv:4: column "portNum": got more than 4194304 ports on all nodes`},

		{"an unknown node", add("topology.csv", "9,0,3,0,400Gbps,1ns"), `case/topology.csv:5: column "nodeId1": got node 9, want one of node.csv`},
		{"a port out of range", add("topology.csv", "0,1,3,0,400Gbps,1ns"), `case/topology.csv:5: column "portId1": got port 1 of node 0, which has 1 ports (node.csv:2)`},
		{"a port used twice", add("topology.csv", "0,0,3,0,400Gbps,1ns"), `case/topology.csv:5: column "portId1": port 0 of node 0 is used in line 2 already`},
		{"a rate of 0", swap("topology.csv", "400Gbps", "0Gbps"), `case/topology.csv:2: column "bandwidth": got "0Gbps", want a rate above 0`},
		{"a delay of 0", swap("topology.csv", "10ns", "0ns"), `case/topology.csv:2: column "delay": got "0ns", want a delay above 0`},
		{"a bad rate", swap("topology.csv", "400Gbps", "fast"), `case/topology.csv:2: column "bandwidth": got "fast", want a rate such as 400Gbps`},
		{"a negative delay", swap("topology.csv", "10ns", "-1ns"), `case/topology.csv:2: column "delay": got "-1ns", want a time`},
		{"a link to itself", swap("topology.csv", "0,0,3,0", "0,0,0,0"), `case/topology.csv:2: column "nodeId2": got node 0 at both ends`},

		{"a route from nowhere", add("routing_table.csv", "7,0,0,0,1"), `case/routing_table.csv:11: column "nodeId": got node 7`},
		{"a route to nowhere", add("routing_table.csv", "3,7,0,0,1"), `case/routing_table.csv:11: column "dstNodeId": got node 7`},
		{"a route by no port", add("routing_table.csv", "3,0,0,,"), `case/routing_table.csv:11: column "outPorts": got no port`},
		{"a route by an unknown port", add("routing_table.csv", "3,0,0,9,1"), `case/routing_table.csv:11: column "outPorts": got port 9 of node 3`},
		{"a route to an unknown port", add("routing_table.csv", "3,0,4,0,1"), `case/routing_table.csv:11: column "dstPortId": got port 4 of node 0`},
		{"metrics and ports", add("routing_table.csv", "3,0,0,0 1,1"), `case/routing_table.csv:11: column "metrics": got 1 metrics for 2 ports`},
		{"no route", swap("routing_table.csv", "3,1,0,1,1\n", ""), `case/traffic.csv:2: task 0: node 0 cannot reach node 1: case/routing_table.csv has no row for it at node 3`},
		{"no way back", swap("routing_table.csv", "3,0,0,0,1\n", ""), `case/traffic.csv:2: task 0: node 1 cannot reach node 0: case/routing_table.csv has no row for it at node 3`},
		{"a circle", swap("routing_table.csv", "3,1,0,1,1\n", "3,1,0,2,1\n"), `case/routing_table.csv:10: routes to port 0 of node 1 go in a circle: 3 to 2 to 3`},

		{"a channel of a switch", add("transport_channel.csv", "3,0,2,1,0,2,7,1"), `case/transport_channel.csv:3: column "nodeId1": got node 3, which is a switch, want a device`},
		{"a channel number twice", add("transport_channel.csv", "0,0,1,2,0,2,7,1"), `case/transport_channel.csv:3: column "tpn1": channel number 1 of node 0 is used in line 2 already`},
		{"a channel priority", add("transport_channel.csv", "0,0,2,2,0,2,16,1"), `case/transport_channel.csv:3: column "priority": got "16", want a whole number from 0 to 15`},
		{"a channel port", add("transport_channel.csv", "0,5,2,2,0,2,7,1"), `case/transport_channel.csv:3: column "portId1": got port 5 of node 0`},
		{"a channel to itself", add("transport_channel.csv", "0,0,2,0,0,3,7,1"), `case/transport_channel.csv:3: column "nodeId2": got node 0 at both ends`},

		{"a task from a switch", task("0,3,1,4096,URMA_WRITE,7,0ns,0,"), `case/traffic.csv:2: column "sourceNodeId": got node 3, which is a switch`},
		{"a task to nowhere", task("0,0,9,4096,URMA_WRITE,7,0ns,0,"), `case/traffic.csv:2: column "destNodeId": got node 9`},
		{"a task to itself", task("0,0,0,4096,URMA_WRITE,7,0ns,0,"), `case/traffic.csv:2: column "destNodeId": got node 0 at both ends`},
		{"no bytes", task("0,0,1,0,URMA_WRITE,7,0ns,0,"), `case/traffic.csv:2: column "dataSize(Byte)": got "0", want a whole number from 1`},
		{"too many bytes", task("0,0,1,99999999999999999999,URMA_WRITE,7,0ns,0,"), `column "dataSize(Byte)": got "99999999999999999999"`},
		{"an operation", task("0,0,1,4096,URMA_WRIT,7,0ns,0,"), `case/traffic.csv:2: column "opType": got "URMA_WRIT", want one of URMA_WRITE, URMA_READ, MEM_STORE, MEM_LOAD (try URMA_WRITE)`},
		{"a bad delay", task("0,0,1,4096,URMA_WRITE,7,soon,0,"), `case/traffic.csv:2: column "delay": got "soon"`},
		{"a task twice", tasks("0,0,1,4096,URMA_WRITE,7,0ns,0,", "0,1,0,4096,URMA_WRITE,7,0ns,0,"), `case/traffic.csv:3: column "taskId": task 0 is in line 2 already`},
		{"an unknown phase", task("0,0,1,4096,URMA_WRITE,7,0ns,0,5"), `case/traffic.csv:2: phase 0 depends on phase 5, which no task is in`},
		{"a phase that waits for itself", task("0,0,1,4096,URMA_WRITE,7,0ns,3,3"), `case/traffic.csv:2: phase 3 depends on itself, so it can never start`},
		{"phases that wait for each other", tasks("0,0,1,4096,URMA_WRITE,7,0ns,1,3", "1,0,1,4096,URMA_WRITE,7,0ns,2,1", "2,0,1,4096,URMA_WRITE,7,0ns,3,2"),
			`case/traffic.csv:2: phase 1 depends on itself (1 waits for 3 waits for 2 waits for 1), so it can never start`},
		{"a dependency that is no number", task("0,0,1,4096,URMA_WRITE,7,0ns,0,a b"), `case/traffic.csv:2: column "dependOnPhases": got "a b"`},

		{"an attribute line", good.with("network_attribute.txt", "\nUbApp::EnableMultiPath true\n"), `case/network_attribute.txt:2: got "UbApp::EnableMultiPath true", want default ns3::CLASS::ATTRIBUTE "VALUE"`},
		{"an attribute's value", good.attribute("UbApp::EnableMultiPath", "maybe"), `case/network_attribute.txt:2: attribute UbApp::EnableMultiPath: got "maybe", want true or false`},
		{"an attribute's range", good.attribute("UbPort::CbfcFlitLenByte", "0"), `case/network_attribute.txt:2: attribute UbPort::CbfcFlitLenByte: got "0", want a whole number from 1 to 255`},
		{"a time without a unit", good.attribute("UbSwitchAllocator::AllocationTime", "10"), `case/network_attribute.txt:2: attribute UbSwitchAllocator::AllocationTime: got "10", want at most 1s`},
		{"an attribute twice", good.attribute("UbApp::EnableMultiPath", "true").attribute("UbApp::EnableMultiPath", "true"), `case/network_attribute.txt:3: attribute UbApp::EnableMultiPath is in line 2 already`},
		{"a mode", good.attribute("UbSwitch::FlowControl", "CBFX"), `attribute UbSwitch::FlowControl is in line 1 already`},
		{"thresholds", good.attribute("UbPort::PfcUpThld", "10"), `attribute UbPort::PfcLowThld: got 655360, want at most PfcUpThld, 10`},
	} {
		t.Run(k.name, func(t *testing.T) {
			_, err := Load(k.f.fs(), "case")
			require.ErrorContains(t, err, k.want)
			var in *InputError
			require.ErrorAs(t, err, &in)
		})
	}
}

// All that is wrong is said at once, up to a number of lines.
func TestProblemsAreListed(t *testing.T) {
	var lines []string
	for range 30 {
		lines = append(lines, "x,0,1,4096,URMA_WRITE,7,0ns,0,")
	}
	_, err := Load(star(2, lines...).fs(), "case")
	var in *InputError
	require.ErrorAs(t, err, &in)
	require.Len(t, in.Problems, maxProblems)
	require.Equal(t, 10, in.More)
	require.ErrorContains(t, err, "\nand 10 more")
}

// A cell of megabytes costs a line, and the line says what is wanted.
func TestProblemsAreShort(t *testing.T) {
	_, err := Load(star(2, strings.Repeat("x", 1<<22)+",0,1,4096,URMA_WRITE,7,0ns,0,").fs(), "case")
	require.ErrorContains(t, err, `case/traffic.csv:2: column "taskId": got "xxx`)
	require.ErrorContains(t, err, `xxx", want a whole number from 0 to 2147483647`)
	require.Less(t, len(err.Error()), 1000)
}
