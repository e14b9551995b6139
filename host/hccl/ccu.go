package hccl

import (
	"fmt"
	"strings"

	"hsim/host/ccu"
	"hsim/host/mem"
	"hsim/host/soc"
)

// ProgramName is the microprogram that carries out an operation in the expansion
// ccu_sched: the names of both, as in all_gather_mesh and all_reduce_mesh_oneshot.
func ProgramName(op OpKind, alg Algorithm) string {
	return op.String() + "_" + strings.ReplaceAll(alg.String(), "-", "_")
}

// SetPrograms gives the modules of microprograms; of programs of one name the
// last module's is taken. It holds for communicators made from now on.
func (h *Host) SetPrograms(bins []*ccu.Binary) { h.programs = bins }

// programNames lists the microprograms there are.
func programNames(bins []*ccu.Binary) []string {
	var out []string
	for _, b := range bins {
		for _, n := range b.Programs() {
			if !has(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// SetPrograms tells predictions and choices which microprograms there are.
func (m *Model) SetPrograms(bins []*ccu.Binary) { m.shape.Programs = programNames(bins) }

// selectProgram says why an operation cannot run as a microprogram.
func selectProgram(q *Request, s *Shape, alg Algorithm) error {
	bad := func(format string, args ...any) error {
		return &Error{Code: ErrNotSupport, Call: q.Op.Call(), Rank: -1, Text: "expansion ccu_sched: " + fmt.Sprintf(format, args...)}
	}
	name := ProgramName(q.Op, alg)
	switch {
	case !s.Mesh || s.Servers > 1:
		return bad("got %d ranks on %d servers that are not linked pair by pair, want a full mesh in one server", s.Ranks, s.Servers)
	case !has(s.Programs, name) && len(s.Programs) == 0:
		return bad("got no modules of microprograms, want one with %s (plugins.ccu)", name)
	case !has(s.Programs, name):
		return bad("got no microprogram %s, want one of %s, or a module of plugins.ccu with it", name, join(s.Programs))
	}
	return nil
}

// dies is what a communicator has on the units of its devices.
type dies struct {
	chans    [][]*ccu.Channel // by rank, then by peer without the rank itself
	programs map[programKey][]*ccu.Program
	made     []programKey // in the order of their registration
}

// programKey is what a program is registered for, once.
type programKey struct {
	name  string
	dtype mem.Dtype
	red   mem.Op
	root  int32
}

// meet makes the channels between all pairs of ranks.
func (m *Comm) meet() error {
	n := len(m.ranks)
	m.dies.chans = make([][]*ccu.Channel, n)
	for r := range n {
		m.dies.chans[r] = make([]*ccu.Channel, n-1)
	}
	for r := range n {
		for q := r + 1; q < n; q++ {
			a, b, err := m.host.sys.JoinCCUs(m.ranks[r].dev, m.ranks[q].dev, uint32(r), uint32(q), m.index)
			if err != nil {
				return err
			}
			m.dies.chans[r][q-1], m.dies.chans[q][r] = a, b
		}
	}
	return nil
}

// register makes the programs of an operation on all ranks, the first time.
func (m *Comm) register(a *opArgs) ([]*ccu.Program, error) {
	key := programKey{ProgramName(a.op, a.alg), a.dtype, a.red, a.root}
	if p := m.dies.programs[key]; p != nil {
		return p, nil
	}
	if m.dies.chans == nil {
		if err := m.meet(); err != nil {
			m.part()
			return nil, err
		}
	}
	var bin *ccu.Binary
	for _, b := range m.host.programs {
		if b.Has(key.name) {
			bin = b
		}
	}
	list := make([]*ccu.Program, 0, len(m.ranks))
	for r := range m.ranks {
		p, err := m.registerAt(r, bin, key, a.op)
		if err != nil {
			closeAll(list)
			return nil, err
		}
		list = append(list, p)
	}
	if m.dies.programs == nil {
		m.dies.programs = map[programKey][]*ccu.Program{}
	}
	m.dies.programs[key] = list
	m.dies.made = append(m.dies.made, key)
	return list, nil
}

func (m *Comm) registerAt(r int, bin *ccu.Binary, key programKey, op OpKind) (*ccu.Program, error) {
	d := m.ranks[r].dev
	e, err := d.CCUs()
	if err != nil {
		return nil, err
	}
	s := ccu.Spec{Binary: bin, Name: key.name, Rank: uint32(r), World: uint32(len(m.ranks)), Operation: operationCodes[op], Reduce: uint32(key.red),
		Dtype: uint32(key.dtype), OutDtype: uint32(key.dtype), Root: uint32(key.root), Channels: m.dies.chans[r]}
	if len(s.Channels) > 0 {
		s.Die = s.Channels[0].Unit().Die()
	} else if g := d.Chip().Group(soc.Direct); g != nil && g.Die < len(e.Units()) {
		s.Die = g.Die
	}
	if len(m.dies.made) > 0 { // operations of a communicator follow one another: they share a mission
		s.With = m.dies.programs[m.dies.made[0]][r]
	}
	return e.Register(s)
}

// operationCodes are the numbers of operations in the plugin interface.
var operationCodes = [numOps]uint32{AllReduce: 0, AllGather: 1, ReduceScatter: 2, Broadcast: 3, AllToAll: 7}

// OperationCode is the number of an operation in the plugin interface.
func OperationCode(op OpKind) uint32 { return operationCodes[op] }

func closeAll(list []*ccu.Program) {
	for _, p := range list {
		_ = p.Close() // never launched
	}
}

func (m *Comm) part() {
	for r, list := range m.dies.chans {
		for i, c := range list {
			if c != nil && i >= r { // the end of the lower rank closes both
				c.Close()
			}
		}
	}
	m.dies.chans = nil
}

// leave gives back what the communicator has on the units.
func (m *Comm) leave() error {
	for i := len(m.dies.made) - 1; i >= 0; i-- {
		for _, p := range m.dies.programs[m.dies.made[i]] {
			if err := p.Close(); err != nil {
				return err
			}
		}
	}
	m.part()
	m.dies = dies{}
	return nil
}
