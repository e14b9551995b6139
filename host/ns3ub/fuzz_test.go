package ns3ub

import (
	"errors"
	"strings"
	"testing"
)

// Any text is a case or an error with a file, never a panic and never an endless
// walk. A case that loads has a group of channels for every task that needs one.
func FuzzLoad(f *testing.F) {
	names := []string{"node.csv", "topology.csv", "routing_table.csv", "transport_channel.csv", "traffic.csv", "network_attribute.txt"}
	seed := func(c files) {
		f.Add(c[names[0]], c[names[1]], c[names[2]], c[names[3]], c[names[4]], c[names[5]])
	}
	seed(star(3, "0,0,1,4096,URMA_WRITE,7,0ns,0,", "1,1,2,100,MEM_LOAD,1,1us,1,0").with("transport_channel.csv", channelHead+"0,0,1,1,0,1,7,1\n"))
	seed(pair(2, "0,0,1,4096,URMA_READ,7,0ns,0,").attribute("UbApp::EnableMultiPath", "true"))
	seed(star(2, "0,0,1,4096,URMA_WRITE,7,0ns,1,2", "1,0,1,4096,URMA_WRITE,7,0ns,2,1"))
	seed(star(2, "0,0,1,4096,URMA_WRITE,7,0ns,0,").with("routing_table.csv", routeHead+"0..2,0..1,0,0,1\n"))
	f.Fuzz(func(t *testing.T, nodes, links, routes, channels, traffic, attributes string) {
		c := files{names[0]: nodes, names[1]: links, names[4]: traffic}
		for i, text := range map[int]string{2: routes, 3: channels, 5: attributes} {
			if text != "" {
				c[names[i]] = text
			}
		}
		got, err := Load(c.fs(), "case")
		if err != nil {
			var in *InputError
			if !errors.As(err, &in) || len(in.Problems) == 0 || !strings.HasPrefix(in.Problems[0].File, "case/") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		for i := range got.Tasks {
			if g := got.Tasks[i].group; g >= 0 && len(got.groups[g].channels) == 0 {
				t.Fatalf("task %d has no channel", got.Tasks[i].ID)
			}
		}
	})
}
