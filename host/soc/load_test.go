package soc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/units"
)

func mustLoad(t testing.TB, name string) *Profile {
	t.Helper()
	p, err := Load(name)
	require.NoError(t, err)
	return p
}

func TestEmbeddedProfilesAreComplete(t *testing.T) {
	for _, n := range Names() {
		p := mustLoad(t, n)
		require.NotEmpty(t, p.Title(), n)
		require.Empty(t, p.File())
		require.Equal(t, n, p.Chip().Name)
		for _, c := range p.Constants() {
			require.NotEmpty(t, c.Source, "%s %s", n, c.Key)
			require.NotContains(t, c.Source, ".toml", "%s %s: no source of its own", n, c.Key)
			require.NotEmpty(t, c.Doc, "%s %s", n, c.Key)
			require.Contains(t, classNames(), string(c.Class), "%s %s", n, c.Key)
			require.NotEqual(t, "?", c.Unit, "%s %s", n, c.Key)
		}
	}
	have := map[string]bool{}
	for _, c := range mustLoad(t, "950dt").Constants() {
		have[c.Key] = true
	}
	for _, f := range fields() {
		require.True(t, have[f.key], "the error of an unknown key sends to 950dt, which lacks %s", f.key)
	}
}

func TestAliasIsTheSameChip(t *testing.T) {
	require.Equal(t, mustLoad(t, "950dt").Chip(), mustLoad(t, "910d").Chip())
}

// The limits, taken from the documentation and the decisions of the design.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name                      string
		streams, notifies, events int
		align                     int64
		table, gen                string
		ccu                       []int
	}{
		{"910", 2048, 1024, 65535, 4096, "1.0", "910", nil},
		{"a2", 2048, 8192, 65536, 65536, "1.0", "A2", nil},
		{"a3", 1984, 8192, 65536, 65536, "1.2", "A3", nil},
		{"950dt", 1984, 65535, 65536, 4096, "2.0", "950", []int{1}},
		{"950pr", 1984, 65535, 65536, 4096, "2.0", "950", []int{1}},
		{"960", 1984, 65535, 65536, 4096, "2.0", "960", []int{2}},
	} {
		p := mustLoad(t, c.name).Chip()
		require.Equal(t, []int{c.streams, c.notifies, c.events}, []int{p.MaxStreams, p.MaxNotifies, p.MaxEvents}, c.name)
		require.Equal(t, c.align, p.HostRegisterAlign, c.name)
		require.Equal(t, []string{c.table, c.gen}, []string{p.RankTable, p.Generation}, c.name)
		require.Equal(t, c.ccu, p.CCU.Versions, c.name)
		for kind, want := range map[string]sim.Time{"aicpu": 2 * sim.Microsecond, "ccu_ms": 2 * sim.Microsecond, "ccu_sched": 2 * sim.Microsecond, "aiv": sim.Microsecond} {
			require.Equal(t, want, p.Sync(kind), "%s %s", c.name, kind)
		}
		require.True(t, p.Headers, c.name)
		require.False(t, p.FreeSync, c.name)
	}
}

func TestPortsOfTheGenerations(t *testing.T) {
	a3 := mustLoad(t, "a3").Chip()
	require.Equal(t, 7, a3.Group(Switch).Count)
	require.Equal(t, 224*units.Gbps, a3.Group(Switch).Rate)
	require.Equal(t, 200*units.Gbps, a3.Group(NIC).Rate)
	require.Equal(t, []int{830, 690}, []int{a3.RemoteReadEff, a3.RemoteWriteEff})
	dt := mustLoad(t, "950dt").Chip()
	require.Equal(t, 2, dt.Dies)
	direct, up := dt.Group(Direct), dt.Group(Switch)
	require.Equal(t, []int{1, 0, 7, 0, 0, 8}, []int{direct.Die, direct.First, direct.Count, up.Die, up.First, up.Count})
	require.Equal(t, 56*units.GBps, up.Rate)
	require.Equal(t, 8, dt.Group(HostPort).First)
	require.Nil(t, dt.Group(Package))
}

// Nothing of the ideal chip costs anything but its 400 Gb/s, 500 ns links.
func TestIdealCostsNothing(t *testing.T) {
	p := mustLoad(t, "ideal")
	for _, c := range p.Constants() {
		switch c.Unit {
		case "time":
			if c.Key != "ports.switch.latency" && c.Key != "ports.direct.latency" {
				require.Equal(t, "0", c.Value, c.Key)
			}
		case "rate", "flops":
			if len(c.Key) < 6 || c.Key[:6] != "ports." {
				require.Equal(t, "infinite", c.Value, c.Key)
			}
		}
	}
	c := p.Chip()
	require.Equal(t, 500*sim.Nanosecond, c.Group(Switch).Latency)
	require.Equal(t, 50*units.GBps, c.Group(Switch).Rate)
	require.Zero(t, c.SDMA.ReduceRate.Time(1<<30))
	require.True(t, c.FreeSync)
	require.False(t, c.Headers)
	require.Equal(t, []int{1, 2}, c.CCU.Versions)
}

func TestInheritance(t *testing.T) {
	dt, pr, next := mustLoad(t, "950dt"), mustLoad(t, "950pr"), mustLoad(t, "960")
	require.NotContains(t, pr.Chip().Expansions, "ccu_ms")
	require.Contains(t, dt.Chip().Expansions, "ccu_ms")
	require.Equal(t, dt.Chip().Ports, pr.Chip().Ports)
	var keys []string
	for _, c := range next.Changed(dt) {
		keys = append(keys, c.Key)
	}
	require.Equal(t, []string{"chip.soc_name", "chip.generation", "ccu.version", "ccu.versions", "ccu.loops", "ccu.xn", "ccu.gsa", "ccu.channels"}, keys)
	for _, c := range next.Constants() {
		if !slices.Contains(keys, c.Key) {
			require.Equal(t, Assumed, c.Class, c.Key)
		}
	}
}

func TestUserProfileOverridesItsBase(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.toml")
	require.NoError(t, os.WriteFile(file, []byte("base = \"950dt\"\n\n[sdma]\nalpha = \"3us\"\n\n[ports.switch]\nrate = { value = \"100Gbps\", class = \"measured\", source = \"our lab\" }\n\n[ports.extra]\nrole = \"nic\"\ndie = 1\nfirst = 20\ncount = 2\nrate = \"10Gbps\"\nlatency = \"1us\"\nprotocols = [\"ROCE\", \"TCP\"]\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "next.toml"), []byte("base = \"mine.toml\"\ntitle = \"next\"\nsdma.channels = 3\n"), 0o600))
	p := mustLoad(t, file)
	require.Equal(t, "mine", p.Name())
	require.Equal(t, "based on 950dt", p.Title())
	require.Equal(t, 3*sim.Microsecond, p.Chip().SDMA.Alpha)
	require.Equal(t, 100*units.Gbps, p.Chip().Group(Switch).Rate)
	require.Equal(t, PortGroup{Name: "extra", Role: NIC, Die: 1, First: 20, Count: 2, Rate: 10 * units.Gbps, Latency: sim.Microsecond,
		Uplink: sim.Microsecond, Hop: 150 * sim.Nanosecond, Protocols: Protocols(ROCE, TCP)}, p.Chip().Ports[4])
	base := mustLoad(t, "950dt").Constants()
	for i, c := range p.Constants()[:len(base)] {
		require.Equal(t, base[i].Key, c.Key, "an override stays in its place")
		switch c.Key {
		case "sdma.alpha":
			require.Equal(t, Constant{Key: c.Key, Value: "3us", Unit: "time", Source: file + ":4", Class: Assumed, Doc: "start of one copy"}, c)
		case "ports.switch.rate":
			require.Equal(t, []any{"our lab", Measured}, []any{c.Source, c.Class})
		}
	}
	next := mustLoad(t, filepath.Join(dir, "next.toml"))
	require.Equal(t, []any{3, 3 * sim.Microsecond, "next"}, []any{next.Chip().SDMA.Channels, next.Chip().SDMA.Alpha, next.Title()})
}

func TestTwoLoadsShareNothing(t *testing.T) {
	a, b := mustLoad(t, "a3"), mustLoad(t, "a3")
	a.Chip().Ports[0].Count = 1
	require.Equal(t, 7, b.Chip().Ports[0].Count)
}

func TestSummaries(t *testing.T) {
	list, err := Summaries()
	require.NoError(t, err)
	require.Len(t, list, len(Names()))
	require.Equal(t, "910d", list[3].Alias)
	require.Equal(t, []string{"none", "V1", "V2", "V1+V2"}, []string{list[2].CCU, list[3].CCU, list[5].CCU, list[6].CCU})
	require.Equal(t, 0, list[5].Classes[0], "nothing of 960 is measured")
}
