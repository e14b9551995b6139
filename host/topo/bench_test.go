package topo

import "testing"

func benchRoutes(b *testing.B, profile string, spec Spec, ps ...Protocol) {
	g := build(b, profile, spec)
	b.ReportAllocs()
	var r *Routes
	for b.Loop() {
		r = routes(b, g, ps...)
	}
	b.ReportMetric(float64(r.Bytes())/1e6, "MB/table")
}

func BenchmarkRoutesFatTree16(b *testing.B) {
	benchRoutes(b, "ideal", Spec{Kind: "fattree", Servers: 128, Devices: 8, Params: Params{K: 16}})
}

func BenchmarkRoutesClos8192(b *testing.B) {
	benchRoutes(b, "a3", Spec{Kind: "clos", Servers: 512, Devices: 16}, HCCS)
}

func BenchmarkRoutesMeshClos8192(b *testing.B) {
	benchRoutes(b, "950dt", Spec{Kind: "mesh-clos", Servers: 1024, Devices: 8}, UB_CTP)
}

func BenchmarkRoutesMesh1024(b *testing.B) {
	benchRoutes(b, "ideal", Spec{Kind: "mesh", Servers: 128, Devices: 8, Params: Params{Dims: []int{8, 8, 4, 4}}})
}

func BenchmarkBuildClos8192(b *testing.B) {
	c := chip(b, "a3")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(Spec{Kind: "clos", Servers: 512, Devices: 16, Hosts: 1}, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPorts(b *testing.B) {
	g := build(b, "ideal", Spec{Kind: "fattree", Servers: 128, Devices: 8, Params: Params{K: 16}})
	r := routes(b, g)
	n, sum := len(g.Nodes), 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		sum += len(r.Ports(NodeID(i*7919%n), NodeID(i*31%1024)))
	}
	if sum == 0 {
		b.Fatal("no ports")
	}
}

// A superpod of 8192 devices with the routes of its scale-up network and the
// check of all its pairs.
func BenchmarkSuperpod8192(b *testing.B) {
	for _, c := range []struct {
		profile          string
		servers, devices int
		p                Protocol
	}{{"a3", 512, 16, HCCS}, {"950dt", 1024, 8, UB_CTP}} {
		b.Run(c.profile, func(b *testing.B) {
			ch := chip(b, c.profile)
			b.ReportAllocs()
			for b.Loop() {
				g, err := Build(Spec{Kind: "superpod", Servers: c.servers, Devices: c.devices, Hosts: 1}, ch)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(routes(b, g, c.p).Bytes())/1e6, "MB/table")
			}
		})
	}
}

func BenchmarkInspect8192(b *testing.B) {
	g := build(b, "950dt", Spec{Kind: "superpod", Servers: 1024, Devices: 8, Hosts: 1})
	c := chip(b, "950dt")
	for b.Loop() {
		if _, err := g.Inspect(c); err != nil {
			b.Fatal(err)
		}
	}
}
