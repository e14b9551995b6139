package ccu

import (
	"encoding/binary"
	"slices"
	"testing"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

// FuzzRecorder lets a program call imports with any arguments, as a module may:
// what is recorded is refused, or translates, loads and runs to some end.
func FuzzRecorder(f *testing.F) {
	table := importTable()
	names := make([]string, 0, len(table))
	for name := range table {
		if name != "tag_record" && name != "tag_wait" { // want a text in guest memory
			names = append(names, name)
		}
	}
	slices.Sort(names)
	// A seed in the form of the input: a call is its number and twelve bytes for each argument's choice.
	call := func(name string, args ...byte) []byte {
		b := make([]byte, 1+12)
		b[0] = byte(slices.Index(names, name))
		copy(b[1:], args)
		return b
	}
	f.Add(slices.Concat(call("variables", 9), call("events", 9), call("set", 1, 5), call("event_record", 41, 1), call("event_wait", 41, 1)))
	f.Add(slices.Concat(call("variables", 9), call("events", 9), call("set", 1, 1), call("loop_begin", 1, 1), call("event_wait", 41, 1),
		call("loop_end"), call("loop_group", 61, 1, 0, 1, 1, 1, 1)))
	f.Add(slices.Concat(call("variables", 9), call("addresses", 4), call("events", 9), call("buffers", 8), call("if_begin", 1, 0, 0),
		call("local_copy", 21, 1, 22, 2, 3, 41, 1), call("if_else"), call("buffer_reduce", 51, 3, 4, 4, 0, 1, 41, 2), call("if_end")))
	p, err := soc.Load("950dt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &rig{t: t, sim: sim.New(1), mem: mem.NewSpace(mem.Phantom), chip: *p.Chip()}
		r.wire = &wire{r: r, latency: wireLatency, fail: map[RequestKind]error{}}
		r.wire.id = r.sim.Register(r.wire)
		r.chip.CCU.MS = 128 // less to clear
		for d := range 2 {
			e, err := New(Config{Sim: r.sim, Chip: &r.chip, Mem: r.mem, Device: d, Name: func() string { return "device" }, Port: port{r.wire, d}})
			if err != nil {
				t.Fatal(err)
			}
			r.dev = append(r.dev, e)
		}
		a, _ := r.join(0, 1)
		x, err := r.program(a.unit, "fuzz", []*Channel{a}, nil, func(x *Recorder) {
			for ; len(data) >= 13 && x.err == nil; data = data[13:] {
				args := make([]uint64, 16)
				for i := range 12 {
					args[i] = argument(data[1+i])
				}
				table[names[int(data[0])%len(names)]](x, nil, args)
			}
		})
		if err != nil {
			return
		}
		args := make([]uint64, x.args)
		for i := range args {
			args[i] = uint64(i)
		}
		l, err := x.Launch(args)
		if err != nil {
			return
		}
		l.Run(0, func(error) {})
		r.sim.Run(sim.Millisecond)
		_ = Disassemble(x.Image(), 0)
	})
}

// argument makes small numbers, identifiers of every kind, and extremes of a byte.
func argument(b byte) uint64 {
	switch {
	case b < 20:
		return uint64(b)
	case b < 120: // address, event, buffer, loop, function, and no kind at all, ten each and more
		class := []uint64{1, 2, 2, 3, 5, 6, 7, 8, 9, 4}[(b-20)/10]
		return class<<classShift | uint64((b-20)%10)
	case b < 180:
		return 1 << (b - 120)
	}
	return binary.LittleEndian.Uint64([]byte{b, b, 0, b, 0, 0, 0, b})
}
