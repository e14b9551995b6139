package scenario

import (
	"fmt"
	"strings"

	"hsim/host/ccu"
	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

// ProgramRequest asks what a CCU microprogram becomes on a die; every field is as a user writes it.
type ProgramRequest struct {
	Module  string // "builtin" or a .wasm file
	Program string // "" = all of the module
	Profile string
	Ranks   int
	Rank    int
	Dtype   string
	Reduce  string
	Root    int
}

// maxListed is the most ranks that a program can have channels to, with its own.
const maxListed = 65

// ListProgram registers programs for one rank of a full mesh and lists what they take and their instructions.
func ListProgram(q ProgramRequest) (string, error) {
	lib, err := newLibrary()
	if err != nil {
		return "", err
	}
	defer func() { _ = lib.close() }()
	m := lib.programModule(q.Module)
	if m.err != nil {
		return "", fmt.Errorf("scenario: list %s: %w", q.Module, m.err)
	}
	names := m.programs.Programs()
	if q.Program != "" {
		if !m.programs.Has(q.Program) {
			return "", tryName(fmt.Errorf("scenario: list %s: got program %q, want %s", q.Module, q.Program, list(names)), q.Program, names)
		}
		names = []string{q.Program}
	}
	var b strings.Builder
	for _, name := range names {
		q.Program = name
		if err := q.list(&b, m.programs); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// spec fills the registration; the channels come later.
func (q *ProgramRequest) spec() (ccu.Spec, error) {
	s := ccu.Spec{Name: q.Program, Rank: uint32(q.Rank), World: uint32(q.Ranks), Root: uint32(q.Root)}
	dt, err := mem.ParseDtype(q.Dtype)
	if err != nil {
		return s, err
	}
	red, err := mem.ParseOp(q.Reduce)
	if err != nil {
		return s, err
	}
	if q.Ranks < 1 || q.Ranks > maxListed || q.Rank < 0 || q.Rank >= q.Ranks || q.Root < 0 || q.Root >= q.Ranks {
		return s, fmt.Errorf("scenario: list %s: got rank %d and root %d of %d ranks, want 1 to %d ranks and both among them", q.Program, q.Rank, q.Root, q.Ranks, maxListed)
	}
	s.Dtype, s.OutDtype, s.Reduce = uint32(dt), uint32(dt), uint32(red)
	for i, op := range hccl.OpNames() {
		if strings.HasPrefix(q.Program, op+"_") {
			s.Operation = hccl.OperationCode(hccl.OpKind(i))
		}
	}
	return s, nil
}

func (q *ProgramRequest) list(b *strings.Builder, bin *ccu.Binary) error {
	s, err := q.spec()
	if err != nil {
		return err
	}
	profile, err := soc.Load(q.Profile)
	if err != nil {
		return err
	}
	chip, clock, space := profile.Chip(), sim.New(1), mem.NewSpace(mem.Phantom)
	if g := chip.Group(soc.Direct); g != nil {
		s.Die = g.Die
	}
	ends := make([]ccu.End, q.Ranks)
	var own *ccu.Engine
	for r := range ends {
		e, err := ccu.New(ccu.Config{Sim: clock, Chip: chip, Mem: space, Device: r, Name: func() string { return fmt.Sprintf("device %d", r) }})
		if err != nil {
			return err
		}
		if ends[r].Unit, err = e.Unit(s.Die); err != nil {
			return err
		}
		ends[r].Conn, ends[r].Rank = int32(r)+1, uint32(r)
		if r == q.Rank {
			own = e
		}
	}
	for r := range ends {
		if r == q.Rank {
			continue
		}
		c, _, err := ccu.Join(ends[q.Rank], ends[r], uint8(chip.ScaleUp))
		if err != nil {
			return err
		}
		s.Channels = append(s.Channels, c)
	}
	s.Binary = bin
	p, err := own.Register(s)
	if err != nil {
		return err
	}
	args, entries := p.Arguments()
	fmt.Fprintf(b, "%s: rank %d of %d, die %d of %s, %d arguments in %d queue entries\n", q.Program, q.Rank, q.Ranks, s.Die, chip.Name, args, entries)
	for r := ccu.Instructions; r < ccu.Channels; r++ {
		if k := p.Taken(r); k.N > 0 {
			fmt.Fprintf(b, "  %-16v %5d from %d on, of %d\n", r, k.N, k.First, p.Unit().Capacity(r))
		}
	}
	b.WriteString(ccu.Disassemble(p.Image(), int(p.First())))
	own.Close()
	return nil
}
