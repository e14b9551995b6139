package guest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

func TestHello(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3", devices: 2})
	spec := r.job(r.program("hello"), 2)
	require.Equal(t, []string{
		"0 Ascend910_9391, 2 devices, rank 0 of 2, 0 arguments: copies agree",
		"1 Ascend910_9391, 2 devices, rank 1 of 2, 0 arguments: copies agree",
	}, r.ran(spec))
}

func TestSameRunSameOutput(t *testing.T) {
	run := func() ([]string, sim.Time) {
		r := newRig(t, rigConfig{chip: "a3", devices: 2})
		j, res := r.run(r.job(r.program("hello"), 4))
		_, end := j.Processes()[3].Times()
		require.Equal(t, end, res.End)
		return slices.Clone(r.out), end
	}
	out, end := run()
	again, at := run()
	require.Equal(t, out, again)
	require.Equal(t, end, at)
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		how  string
		code int
		err  string
	}{
		{"abort", 134, "guest: program ends: unreachable instruction (the guest gave up) in abort < main"},
		{"memory", 139, "guest: program ends: access outside its memory in main"},
		{"device", 139, "guest: program ends: access outside its memory in main"},
		{"divide", 136, "guest: program ends: integer division by zero in main"},
		{"stack", 139, "guest: program ends: access outside its memory in deep < deep"},
		{"pointer", 139, "guest: program ends: call through a wrong function pointer in main"},
		{"loop", 152, "guest: program ends: stopped after 1000000 steps without an end"},
		{"thread", 9, ""},
		{"killed", 4, ""},
		{"clock", 0, ""},
		{"running", 6, ""},
		{"callback", 7, ""},
		{"callback aborts", 134, "guest: program ends: unreachable instruction (the guest gave up) in abort"},
		{"overrun", 134, "ends / thread 2 has used up its stack (pthread_attr_setstacksize gives it more)"},
	} {
		t.Run(c.how, func(t *testing.T) {
			r := newRig(t, rigConfig{chip: "a3", guest: func(g *Config) { g.Fuel = 1_000_000 }})
			j, res := r.run(r.job(r.program("ends"), 1, c.how))
			require.Nil(t, res.Stall)
			p := j.Processes()[0]
			code, ok := p.Exit()
			require.True(t, ok)
			require.Equal(t, c.code, code)
			require.Equal(t, "0 "+c.how, r.out[0])
			if c.err == "" {
				require.NoError(t, p.Err())
			} else {
				require.ErrorContains(t, p.Err(), c.err)
			}
		})
	}
}

func TestExitStatus(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	j, _ := r.run(r.job(r.program("hello"), 1, "7"))
	code, ok := j.Processes()[0].Exit()
	require.True(t, ok)
	require.Equal(t, 7, code)
}

func TestDeadlockIsNamed(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	j, res := r.run(r.job(r.program("ends"), 1, "deadlock"))
	require.NotNil(t, res.Stall)
	text := res.Stall.String()
	require.Contains(t, text, "ends / main waits for the end of ends / thread 2 since 0s; ends / thread 2 should act")
	require.Contains(t, text, "ends / thread 2 waits for the mutex at 0x")
	_, ok := j.Processes()[0].Exit()
	require.False(t, ok)
}

func TestLeaks(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3"})
	spec := r.job(r.program("ends"), 1, "leak")
	spec.Leaks = true
	j, _ := r.run(spec)
	require.Equal(t, []string{"2 streams", "1 events", "1 notifies", "1 pieces of device memory, 1000 bytes", "1 pieces of page-locked memory, 24 bytes"},
		j.Processes()[0].Leaks())
	_, used, _ := r.mem.Usage(0)
	require.Zero(t, used, "what a process leaves behind is reclaimed")

	clean := newRig(t, rigConfig{chip: "a3"})
	spec = clean.job(clean.program("hello"), 1)
	spec.Leaks = true
	j, _ = clean.run(spec)
	require.Empty(t, j.Processes()[0].Leaks())
}

func TestProcessesMeet(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal", servers: 2, devices: 2})
	spec := r.job(r.program("mpi"), 4)
	spec.Places[2].Server, spec.Places[3].Server = 1, 1
	var want []string
	for rank := range 4 {
		want = append(want, fmt.Sprintf("%d from rank 2, squares 14, most 9, server%d at 30 us", rank, rank/2))
	}
	require.ElementsMatch(t, want, r.ran(spec))
}

func TestMissingProcessIsNamed(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	_, res := r.run(r.job(r.program("mpi"), 3, "leave"))
	require.NotNil(t, res.Stall)
	require.Contains(t, res.Stall.String(), "rank 0 / main waits for all processes of the run (missing: 1 (ended)) since 20us")
}

func TestPlaceWithoutDevices(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	spec := r.job(r.program("hello"), 2)
	spec.Places[1].Server = 7
	_, err := r.prog.Start(spec)
	require.EqualError(t, err, "guest: start process 1 of hello: acl: new process: got server 7, want one with devices")
	require.Equal(t, sim.Done, r.eng.Run(0).Reason)
	require.Empty(t, r.out)
}
