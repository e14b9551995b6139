package ccu

import (
	"encoding/binary"
	"fmt"

	"hsim/abi"
	"hsim/host/wasm"
)

// open makes the instance and asks it for room.
func (p *Program) open(s *Spec) error {
	b := s.Binary
	if !b.Has(s.Name) {
		return fmt.Errorf("got no such program, want one of %v", b.Programs())
	}
	if len(s.Channels) > abi.MaxCCUChannels {
		return fmt.Errorf("got %d channels, want at most %d", len(s.Channels), abi.MaxCCUChannels)
	}
	cfg := &p.u.e.cfg
	var err error
	p.in, err = b.mod.Instantiate(wasm.InstanceConfig{Imports: imports(), Fuel: cfg.Fuel, Seed: uint64(s.Rank) + 1, Now: cfg.Sim.Now, Log: p.u.e.log})
	if err != nil {
		return err
	}
	p.user = b.room("register") + len(s.User)
	ask, err := p.in.Func("hsim_buffer")
	if err != nil {
		return err
	}
	need := p.user + b.room("invocation") + maxGuestArgs
	at, err := ask.Call(uint64(need))
	if err != nil {
		return err
	}
	if p.room = uint32(at); p.room == 0 || p.room%8 != 0 {
		return fmt.Errorf("hsim_buffer: got address %#x for %d bytes, want a multiple of 8 that is not 0 (try HSIM_BUFFER(4096))", p.room, need)
	}
	p.launch, err = p.in.Func(export(launchPattern, s.Name))
	return err
}

// room is a record's size, rounded up so that what follows it is aligned.
func (b *Binary) room(name string) int { return (b.records[name].Size + 15) &^ 15 }

// record runs the recording function.
func (p *Program) record(r *Recorder, s *Spec) error {
	size := p.binary.room("register")
	bytes, err := p.in.Bytes(p.room, uint32(size+len(s.User)))
	if err != nil {
		return err
	}
	copy(bytes[size:], s.User)
	x := p.binary.record("register", bytes)
	x.u32("rank", s.Rank).u32("world", s.World).u32("die", uint32(s.Die)).u32("version", uint32(p.u.Version())).u32("operation", s.Operation).
		u32("reduce", s.Reduce).u32("dtype", s.Dtype).u32("out_dtype", s.OutDtype).u32("root", s.Root).u32("nchannels", uint32(len(s.Channels))).
		u32("user_ptr", p.room+uint32(size)).u32("user_len", uint32(len(s.User)))
	one := p.binary.records["ccu_channel"]
	for i, c := range s.Channels {
		y := filler{one, x.at("channels")[i*one.Size:][:one.Size]}
		y.u32("peer", c.rank).u8("die", uint8(c.unit.die)).u8("peer_die", uint8(c.peer.unit.die)).u8("protocol", c.protocol)
	}
	f, err := p.in.Func(export(recordPattern, s.Name))
	if err != nil {
		return err
	}
	f.Ctx().Data = r
	return f.Status(uint64(p.room))
}

// Invocation is what one launch works on. Addresses are device addresses,
// tokens those of Token.
type Invocation struct {
	Rank, World, Root       uint32
	Operation, Reduce       uint32
	Dtype, OutDtype         uint32
	Count                   uint64
	Input, InputBytes       uint64
	Output, OutputBytes     uint64
	Scratch, ScratchBytes   uint64
	InputToken, OutputToken uint64
	ScratchToken            uint64
}

// Args asks the module for the arguments of one launch.
func (p *Program) Args(v Invocation) ([]uint64, error) {
	args, err := p.ask(v)
	if err != nil {
		return nil, p.failed("launch", err)
	}
	return args, nil
}

func (p *Program) ask(v Invocation) ([]uint64, error) {
	size := p.binary.room("invocation")
	bytes, err := p.in.Bytes(p.room+uint32(p.user), uint32(size+maxGuestArgs))
	if err != nil {
		return nil, err
	}
	x := p.binary.record("invocation", bytes)
	x.u32("rank", v.Rank).u32("world", v.World).u32("root", v.Root).u32("operation", v.Operation).u32("reduce", v.Reduce).
		u32("dtype", v.Dtype).u32("out_dtype", v.OutDtype).u64("count", v.Count).u64("input", v.Input).u64("input_bytes", v.InputBytes).
		u64("output", v.Output).u64("output_bytes", v.OutputBytes).u64("scratch", v.Scratch).u64("scratch_bytes", v.ScratchBytes).
		u64("input_token", v.InputToken).u64("output_token", v.OutputToken).u64("scratch_token", v.ScratchToken).
		u32("user_ptr", p.room+uint32(p.binary.room("register"))).u32("user_len", uint32(p.user-p.binary.room("register")))
	at := p.room + uint32(p.user)
	n, err := p.launch.Call(uint64(at), uint64(at)+uint64(size), abi.MaxCCUArgs)
	if err != nil {
		return nil, err
	}
	if s := abi.Status(int32(n)); s < 0 {
		return nil, fmt.Errorf("launch function: got status %d (%v)", int32(s), s)
	}
	if int(int32(n)) != p.args {
		return nil, fmt.Errorf("launch function: got %d arguments, want the %d that the program loads", int32(n), p.args)
	}
	if bytes, err = p.in.Bytes(at+uint32(size), uint32(n)*8); err != nil {
		return nil, err
	}
	out := make([]uint64, n)
	for k := range out {
		out[k] = binary.LittleEndian.Uint64(bytes[8*k:])
	}
	return out, nil
}
