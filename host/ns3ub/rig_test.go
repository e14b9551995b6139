package ns3ub

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// files is a case directory in memory.
type files map[string]string

func (f files) fs() fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range f {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// with is a copy in which one file is another text, or not there when text is "-".
func (f files) with(name, text string) files {
	g := files{}
	for k, v := range f {
		g[k] = v
	}
	if g[name] = text; text == "-" {
		delete(g, name)
	}
	return g
}

const (
	nodeHead    = "nodeId,nodeType,portNum,forwardDelay\n"
	linkHead    = "nodeId1,portId1,nodeId2,portId2,bandwidth,delay\n"
	routeHead   = "nodeId,dstNodeId,dstPortId,outPorts,metrics\n"
	channelHead = "nodeId1,portId1,tpn1,nodeId2,portId2,tpn2,priority,metric\n"
	taskHead    = "taskId,sourceNodeId,destNodeId,dataSize(Byte),opType,priority,delay,phaseId,dependOnPhases\n"
)

// star is n devices with a port each on one switch, links of 400 Gbps and 10 ns,
// and 5 ns to choose a packet everywhere. There is no flow control.
func star(n int, tasks ...string) files {
	var nodes, links, routes strings.Builder
	fmt.Fprintf(&nodes, "%s0..%d,DEVICE,1,5ns\n%d,SWITCH,%d,5ns\n", nodeHead, n-1, n, n)
	links.WriteString(linkHead)
	routes.WriteString(routeHead)
	for i := range n {
		fmt.Fprintf(&links, "%d,0,%d,%d,400Gbps,10ns\n", i, n, i)
		fmt.Fprintf(&routes, "%d,%d,0,%d,1\n", n, i, i)
		for k := range n {
			if i != k {
				fmt.Fprintf(&routes, "%d,%d,0,0,2\n", i, k)
			}
		}
	}
	return files{"node.csv": nodes.String(), "topology.csv": links.String(), "routing_table.csv": routes.String(),
		"traffic.csv": taskHead + strings.Join(tasks, "\n") + "\n", "network_attribute.txt": "default ns3::UbSwitch::FlowControl \"NONE\"\n"}
}

// pair is two devices with the given number of links of 400 Gbps and 10 ns between
// them, and 5 ns to choose a packet.
func pair(ports int, tasks ...string) files {
	f := files{"node.csv": fmt.Sprintf("%s0..1,DEVICE,%d,5ns\n", nodeHead, ports), "topology.csv": linkHead, "routing_table.csv": routeHead,
		"traffic.csv": taskHead + strings.Join(tasks, "\n") + "\n", "network_attribute.txt": "default ns3::UbSwitch::FlowControl \"NONE\"\n"}
	for p := range ports {
		f["topology.csv"] += fmt.Sprintf("0,%d,1,%d,400Gbps,10ns\n", p, p)
		f["routing_table.csv"] += fmt.Sprintf("0,1,%d,%d,1\n1,0,%d,%d,1\n", p, p, p, p)
	}
	return f
}

// attribute adds a line to the attributes.
func (f files) attribute(name, value string) files {
	return f.with("network_attribute.txt", f["network_attribute.txt"]+fmt.Sprintf("default ns3::%s %q\n", name, value))
}

func load(t testing.TB, f files) *Case {
	t.Helper()
	c, err := Load(f.fs(), "case")
	require.NoError(t, err)
	return c
}

// run runs a case at packet level; every task must be complete.
func run1(t testing.TB, f files) *Result { return runTrain(t, f, 1) }

func runTrain(t testing.TB, f files, train int) *Result {
	t.Helper()
	r, err := load(t, f).Run(context.Background(), Options{Train: train, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, sim.Done, r.Reason)
	require.Equal(t, len(r.Tasks), r.Done)
	require.NoError(t, r.audit)
	return r
}

func written(t testing.TB, r *Result) string {
	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	return b.String()
}

// serial is the time of bytes at 400 Gbps.
func serial(bytes int64) sim.Time { return sim.Time(bytes) * 20 * sim.Picosecond }
