package guest

import (
	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/hccl"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// Defaults of Config.
const (
	// DefaultFuel is how many steps the threads of a process may take without virtual time advancing.
	DefaultFuel = 2_000_000_000
	// DefaultPages is how much memory a program may have, in pages of 64 KiB: all that lies below device addresses.
	DefaultPages = windowBase / wasm.PageSize
)

// Config is what the programs of one simulation share.
type Config struct {
	ACL  *acl.Runtime
	HCCL *hccl.Host // nil: no collectives
	Comm hccl.CommConfig

	ConnectTimeout sim.Time // of communicators, 0 = DefaultConnectTimeout
	Fuel           uint64   // steps at one instant, 0 = DefaultFuel
	Pages          uint32   // most memory of a program, 0 = DefaultPages
	Seed           uint64
}

// System is the program side of one simulation.
type System struct {
	cfg   Config
	eng   *sim.Engine
	bound *wasm.Bound
	roots roots
}

// New prepares a simulation for programs.
func New(c Config) *System {
	if c.Fuel == 0 {
		c.Fuel = DefaultFuel
	}
	if c.Pages == 0 {
		c.Pages = DefaultPages
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = DefaultConnectTimeout
	}
	s := &System{cfg: c, eng: c.ACL.System().Engine()}
	s.bound = wasm.Bind(abi.Program, imports())
	return s
}

// Missing lists the functions of the ABI that are declared and cannot be called yet.
func Missing() []string {
	have := imports()
	var out []string
	for _, f := range abi.Lookup(abi.Program).Imports {
		if have[f.Name] == nil {
			out = append(out, f.Name)
		}
	}
	return out
}
