package ccu

import (
	"fmt"

	"hsim/abi"
	"hsim/host/wasm"
)

// Spec is what a program is registered for. The numbers of operations, types and
// operators are those of the interface, which are HCCL's.
type Spec struct {
	Binary    *Binary
	Name      string
	Die       int
	Rank      uint32
	World     uint32
	Operation uint32
	Reduce    uint32
	Dtype     uint32
	OutDtype  uint32
	Root      uint32
	Channels  []*Channel // of any die of the device, by the number that the program uses
	User      []byte
	// With is a program whose mission this one shares: the two never run at the
	// same time. nil: a mission of its own.
	With *Program
}

// Program is a microprogram in the instruction memory of a die, with its
// registers.
type Program struct {
	u      *Unit
	name   string
	module string
	lane   *lane
	blocks [numClasses]Block
	code   Block
	loops  Block
	chans  []*Channel
	args   int // of the program itself
	derive []Derived
	key    uint32

	in     *wasm.Instance
	launch *wasm.Func
	room   uint32 // guest memory for records
	binary *Binary
	user   int
	closed bool
}

// lane is a mission number and the loop engines that the programs on it share.
type lane struct {
	e        *Engine
	missions Block
	engines  []laneEngines
	users    int
}

type laneEngines struct {
	die   int
	block Block
}

// maxGuestArgs is the room for launch arguments in guest memory, in bytes.
const maxGuestArgs = 8 * abi.MaxCCUArgs

// Register records a program for a die, translates it, gives it registers and
// loads it. The error names module, program, device and die, and the operation
// that was refused with what it needs and what there is; it wraps a *LimitError
// or a *wasm.Trap where one is the cause. Nothing is taken then.
func (e *Engine) Register(s Spec) (*Program, error) {
	u, err := e.Unit(s.Die)
	if err != nil {
		return nil, err
	}
	p := &Program{u: u, name: s.Name, module: s.Binary.Name(), binary: s.Binary}
	err = p.open(&s)
	if err == nil {
		err = p.build(s.Channels, s.With, func(r *Recorder) error { return p.record(r, &s) })
	}
	if err != nil {
		p.release()
		return nil, p.failed("register", err)
	}
	e.programs = append(e.programs, p)
	return p, nil
}

func (p *Program) failed(verb string, err error) error {
	return fmt.Errorf("ccu: %s program %s of %s on %s: %w", verb, p.name, p.module, p.u.Name(), err)
}

// release gives back what the program has taken.
func (p *Program) release() {
	for c := range numClasses {
		p.u.pools[classResource[c]].give(p.blocks[c])
	}
	p.u.pools[Instructions].give(Block{p.code.First, p.code.N})
	if l := p.lane; l != nil {
		if l.users--; l.users == 0 {
			l.e.missions.give(l.missions)
			for _, x := range l.engines {
				l.e.units[x.die].pools[Loops].give(x.block)
			}
		}
		p.lane = nil
	}
	for _, c := range p.chans {
		if c.user == p {
			c.user = nil
		}
	}
	if p.in != nil {
		_ = p.in.Close() // nothing of it is used any more
		p.in = nil
	}
}

// Close gives the program's registers, instructions and, when no other program
// shares it, its mission back. Error: it runs.
func (p *Program) Close() error {
	if p.closed {
		return p.failed("close", fmt.Errorf("got it a second time"))
	}
	if m := p.u.missions[p.Mission()]; m != nil && m.launch != nil && m.launch.p == p {
		return p.failed("close", fmt.Errorf("got a running mission (wait for it)"))
	}
	p.closed = true
	list := p.u.e.programs
	for i := range list {
		if list[i] == p {
			p.u.e.programs = append(list[:i], list[i+1:]...)
			break
		}
	}
	p.release()
	return nil
}

// Name is the program's name, Mission the number of the mission it runs as.
func (p *Program) Name() string { return p.name }

// Mission is the number of the mission that the program runs as.
func (p *Program) Mission() int { return p.lane.missions.First }

// Arguments is how many arguments a launch computes, and how many queue entries
// carry them and what is derived from them.
func (p *Program) Arguments() (args, entries int) {
	return p.args, max(1, (p.args+len(p.derive)+argsPerSQE-1)/argsPerSQE)
}

// Unit is where the program runs.
func (p *Program) Unit() *Unit { return p.u }

// Size is the number of the program's instructions, First where they begin.
func (p *Program) Size() int { return p.code.N }

// Taken is what the program holds of a resource, its loop engines as shared.
func (p *Program) Taken(r Resource) Block {
	switch r {
	case Instructions:
		return p.code
	case Loops:
		return p.loops
	case Missions:
		return p.lane.missions
	}
	for c := range numClasses {
		if classResource[c] == r {
			return p.blocks[c]
		}
	}
	return Block{}
}

// Image is the program's instructions as the die has them, 32 bytes each.
func (p *Program) Image() []byte {
	return p.u.image[p.code.First*InstructionSize:][:p.code.N*InstructionSize]
}

// First is the number of the program's first instruction on the die.
func (p *Program) First() int64 { return int64(p.code.First) }
