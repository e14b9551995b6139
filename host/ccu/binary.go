package ccu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"hsim/abi"
	"hsim/host/wasm"
)

// Binary is a loaded module of microprograms.
type Binary struct {
	mod     *wasm.Module
	names   []string
	records map[string]*abi.Record
}

const (
	recordPattern = "hsim_ccu_<name>"
	launchPattern = "hsim_ccu_<name>_launch"
)

// NewBinary lists the programs of a module of kind abi.CCU. Errors: another
// kind, a program without its launch function or the reverse.
func NewBinary(mod *wasm.Module) (*Binary, error) {
	if mod.Kind() != abi.CCU {
		return nil, fmt.Errorf("ccu: load module %s: got a module of kind %v, want %v", mod.Name(), mod.Kind(), abi.CCU)
	}
	b := &Binary{mod: mod, names: mod.Entries(recordPattern), records: map[string]*abi.Record{}}
	launches := mod.Entries(launchPattern)
	for _, pair := range []struct {
		have, want []string
		missing    string
	}{{b.names, launches, launchPattern}, {launches, b.names, recordPattern}} {
		for _, n := range pair.have {
			if !slices.Contains(pair.want, n) {
				return nil, fmt.Errorf("ccu: load module %s: got program %s without export %s", mod.Name(), n, export(pair.missing, n))
			}
		}
	}
	iface := abi.Lookup(abi.CCU)
	for i := range iface.Records {
		b.records[iface.Records[i].Name] = &iface.Records[i]
	}
	slices.Sort(b.names)
	return b, nil
}

func export(pattern, name string) string { return strings.Replace(pattern, "<name>", name, 1) }

// Name is the module's name.
func (b *Binary) Name() string { return b.mod.Name() }

// Programs lists the programs by name.
func (b *Binary) Programs() []string { return b.names }

// Has tells whether the module has a program.
func (b *Binary) Has(name string) bool { return slices.Contains(b.names, name) }

// filler fills a record of the interface in guest memory by the names of its
// fields.
type filler struct {
	layout *abi.Record
	bytes  []byte
}

func (b *Binary) record(name string, room []byte) filler {
	r := filler{b.records[name], room[:b.records[name].Size]}
	clear(r.bytes)
	return r.u32("size", uint32(r.layout.Size))
}

func (r filler) at(name string) []byte {
	for _, f := range r.layout.Fields {
		if f.Name == name {
			return r.bytes[f.Offset:]
		}
	}
	panic("ccu: record " + r.layout.Name + " has no field " + name) // the table and this package belong to one program
}

func (r filler) u32(name string, v uint32) filler {
	binary.LittleEndian.PutUint32(r.at(name), v)
	return r
}

func (r filler) u64(name string, v uint64) filler {
	binary.LittleEndian.PutUint64(r.at(name), v)
	return r
}

func (r filler) u8(name string, v uint8) filler {
	r.at(name)[0] = v
	return r
}
