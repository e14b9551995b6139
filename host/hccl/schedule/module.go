package schedule

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"hsim/abi"
	"hsim/host/hccl"
	"hsim/host/wasm"
)

// Config says how a module is used. The zero value is ready.
type Config struct {
	Settings []wasm.Setting    // parameters, from Description.Resolve
	Seed     uint64            // of the plugin's random numbers
	Log      func(line string) // nil = dropped
	Fuel     uint64            // steps for one rank, 0 = DefaultFuel
}

// DefaultFuel is how many steps a plugin may take for one rank of an operation.
const DefaultFuel = 500_000_000

// pattern is the export that emits a schedule.
const pattern = "hsim_algo_<name>"

// module is a plugin with one instance for one simulation. Ranks are called in
// ascending order; a plugin that lets one call depend on another is on its own.
type module struct {
	mod *wasm.Module
	cfg Config
	in  *wasm.Instance
	at  uint32 // of the op record in the instance's memory
}

// author is one algorithm of a module.
type author struct {
	*module
	name string
}

// Schedules returns the algorithms of a module of kind algorithm, by name.
func Schedules(m *wasm.Module, c Config) ([]*hccl.Schedule, error) {
	if c.Fuel == 0 {
		c.Fuel = DefaultFuel
	}
	p := &module{mod: m, cfg: c}
	var out []*hccl.Schedule
	for _, name := range m.Entries(pattern) {
		if _, err := hccl.ParseAlgorithm(name); err == nil {
			return nil, fmt.Errorf("schedule: plugin %s: algorithm %s: got the name of a built-in algorithm, want another one", m.Name(), name)
		}
		out = append(out, hccl.NewSchedule(name, m.Name(), &author{p, name}))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("schedule: plugin %s: got no export %s, want at least one", m.Name(), pattern)
	}
	return out, nil
}

// start makes the instance and asks for room for the record.
func (p *module) start() error {
	if p.in != nil {
		return nil
	}
	in, err := p.mod.Instantiate(wasm.InstanceConfig{Imports: imports, Fuel: p.cfg.Fuel, Seed: p.cfg.Seed, Log: p.cfg.Log, Settings: p.cfg.Settings})
	if err != nil {
		return err
	}
	size := uint32(binary.Size(abi.Op{}))
	buf, err := in.Entry("hsim_buffer")
	if err != nil {
		_ = in.Close()
		return err
	}
	at, err := buf.Call(uint64(size))
	if err != nil {
		_ = in.Close()
		return err
	}
	if uint32(at) == 0 || at%16 != 0 {
		_ = in.Close()
		return fmt.Errorf("schedule: plugin %s: hsim_buffer(%d): got address %d, want one that is a multiple of 16", p.mod.Name(), size, uint32(at))
	}
	p.in, p.at = in, uint32(at)
	return nil
}

// Emit implements hccl.Author.
func (a *author) Emit(p *hccl.Params, t *hccl.Tape) error {
	if err := a.start(); err != nil {
		return err
	}
	f, err := a.in.Entry("hsim_algo_" + a.name)
	if err != nil {
		return err
	}
	if err := a.describe(p); err != nil {
		return err
	}
	f.Ctx().Data = t
	err = f.Status(uint64(a.at))
	f.Ctx().Data = nil
	if err != nil {
		// Whatever the plugin was in the middle of: the next call starts anew.
		_ = a.in.Close()
		a.in = nil
	}
	return err
}

// describe writes the op record.
func (a *author) describe(p *hccl.Params) error {
	op := abi.Op{Operation: p.Op.Code(), Dtype: uint32(p.Dtype), Reduce: uint32(p.Red), Rank: uint32(p.Rank), Ranks: uint32(p.Ranks),
		Root: uint32(p.Root), Elem: uint32(p.Elem), Count: uint64(p.Count), Input: uint64(p.InBytes()), Output: uint64(p.OutBytes()),
		Scratch: uint64(p.Scratch), Group: uint32(p.Group), Streams: hccl.MaxScheduleStreams}
	op.Size = uint32(binary.Size(op))
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, &op) // cannot fail: fixed sizes
	mem, err := a.in.Bytes(a.at, op.Size)
	if err != nil {
		return fmt.Errorf("schedule: plugin %s: hsim_buffer: %w", a.mod.Name(), err)
	}
	copy(mem, b.Bytes())
	return nil
}
