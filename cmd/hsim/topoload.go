package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"hsim/host/topo"
	"hsim/host/topo/draw"
	"hsim/host/units"
)

// maxReport is the largest report that is read back.
const maxReport = 256 << 20

// loadFile is the part of a report that says what ports carried.
type loadFile struct {
	Variants []struct {
		Name    string  `json:"name"`
		EndUS   float64 `json:"end_us"`
		Network *struct {
			More  int `json:"more"`
			Ports []struct {
				Port        string  `json:"port"`
				Rate        int64   `json:"rate_bps"`
				Utilisation float64 `json:"utilisation"`
				Bytes       int64   `json:"bytes"`
				LongestUS   float64 `json:"longest_wait_us"`
				Drops       int64   `json:"drops"`
			} `json:"ports"`
		} `json:"network"`
	} `json:"variants"`
}

// readLoad reads what the ports of a graph carried from a report of `hsim run`: of the variant of a name, or of the only one.
func readLoad(path, variant string, g *topo.Graph) (*draw.Load, error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("--load %s: "+format, append([]any{path}, args...)...)
	}
	const try = "(try hsim run --json > run.json)"
	f, err := os.Open(path)
	if err != nil {
		return nil, bad("there is no such file %s", try)
	}
	defer func() { _ = f.Close() }()
	var report loadFile
	if err := json.NewDecoder(io.LimitReader(f, maxReport)).Decode(&report); err != nil {
		return nil, bad("is no report of hsim run: %v %s", err, try)
	}
	var names []string
	for i := range report.Variants {
		v := &report.Variants[i]
		names = append(names, v.Name)
		if v.Name != variant && (len(report.Variants) > 1 || variant != "" && v.Name != "") {
			continue
		}
		if v.Network == nil {
			return nil, bad("says nothing of ports %s", try)
		}
		l := &draw.Load{Title: fmt.Sprintf("load over %.2f us", v.EndUS), More: v.Network.More}
		if v.Name != "" {
			l.Title = v.Name + ": " + l.Title
		}
		byName := map[string]topo.PortID{}
		for id := range g.Ports {
			byName[g.PortName(topo.PortID(id))] = topo.PortID(id)
		}
		for _, p := range v.Network.Ports {
			id, ok := byName[p.Port]
			if !ok {
				return nil, bad("port %q: the topology has no such port (try the sim.toml and the variant that ran)", p.Port)
			}
			if !(p.Utilisation >= 0 && p.Utilisation <= 1) || p.Rate < 0 {
				return nil, bad("port %q: got utilisation %v at %d bits/s, want 0 to 1", p.Port, p.Utilisation, p.Rate)
			}
			l.Ports = append(l.Ports, draw.PortLoad{Port: id, Utilisation: p.Utilisation, Rate: units.Rate(p.Rate), Bytes: p.Bytes, WaitUS: p.LongestUS, Drops: p.Drops})
		}
		return l, nil
	}
	if len(names) == 0 {
		return nil, bad("is no report of hsim run: it has no variants %s", try)
	}
	return nil, bad("has no variant %q, it has %s", variant, strings.Join(names, ", "))
}
