package kernel

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
	"hsim/host/wasm"
)

// rig is one device with its kernels.
type rig struct {
	t    testing.TB
	sim  *sim.Engine
	mem  *mem.Space
	chip soc.Chip
	cfg  Config
	k    *Engine
	rt   *wasm.Runtime
	logs []string
}

func newRig(t testing.TB, chip string, change ...func(*Config)) *rig {
	t.Helper()
	p, err := soc.Load(chip)
	require.NoError(t, err)
	r := &rig{t: t, sim: sim.New(1), mem: mem.NewSpace(mem.Real), chip: *p.Chip()}
	r.rt, err = wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.rt.Close()) })
	r.cfg = Config{Sim: r.sim, Chip: &r.chip, Mem: r.mem, Name: "device 0", Fuel: 20_000_000,
		Log: func(line string) { r.logs = append(r.logs, line) }}
	for _, f := range change {
		f(&r.cfg)
	}
	r.k = New(r.cfg)
	t.Cleanup(r.k.Close)
	return r
}

func (r *rig) load(path string) *Binary {
	r.t.Helper()
	bin, err := os.ReadFile(path)
	require.NoError(r.t, err)
	m, err := r.rt.Load(path, bin, abi.Kernel)
	require.NoError(r.t, err)
	b, err := NewBinary(m, len(bin))
	require.NoError(r.t, err)
	return b
}

func (r *rig) probe(name string) *Function { return r.function("testdata/probe.wasm", name) }

func (r *rig) function(path, name string) *Function {
	r.t.Helper()
	f, err := r.load(path).Function(name)
	require.NoError(r.t, err)
	return f
}

func (r *rig) alloc(n int64) mem.Addr {
	r.t.Helper()
	a, err := r.mem.Alloc(mem.AllocSpec{Size: n})
	require.NoError(r.t, err)
	return a
}

// outcome is how a launch ended.
type outcome struct {
	done bool
	err  error
	at   sim.Time
}

func (r *rig) launch(f *Function, spec Spec) *outcome {
	r.t.Helper()
	o := &outcome{}
	_, err := r.k.Launch(f, spec, func(err error) {
		require.False(r.t, o.done, "done is called once")
		*o = outcome{true, err, r.sim.Now()}
	})
	require.NoError(r.t, err)
	return o
}

func (r *rig) run() sim.Result { return r.sim.Run(0) }

// one launches f alone and runs the simulation to its end.
func (r *rig) one(f *Function, spec Spec) *outcome {
	r.t.Helper()
	o := r.launch(f, spec)
	r.run()
	require.True(r.t, o.done)
	return o
}

// pack writes values as the C struct with their natural alignment.
func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		for b.Len()%binary.Size(v) != 0 {
			b.WriteByte(0)
		}
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	for b.Len()%8 != 0 {
		b.WriteByte(0)
	}
	return b.Bytes()
}

// probeArgs are the arguments of the kernels in probe.c.
func probeArgs(dev mem.Addr, n, times, value uint64) []byte {
	return pack(uint64(dev), n, times, value)
}

// moveTime is one DMA move of n bytes at a rate.
func (r *rig) moveTime(n int64, rate units.Rate) sim.Time {
	return r.chip.Core.DMAAlpha + rate.Time(n)
}
