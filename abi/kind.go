package abi

import (
	"fmt"
	"strings"
)

// Version is the version of every interface in this package; it is part of the names of exports and import modules.
const Version = 1

// Kind says what a module is for.
type Kind uint8

// The kinds of modules.
const (
	Kernel    Kind = iota + 1 // functions of AI cores and AI CPUs
	CCU                       // microprograms of collective communication units
	Transport                 // the protocol engine of a network port
	Algorithm                 // collective schedules
	Program                   // a host program (WASI command)
)

// String returns the kind's name as it stands in export and import names.
func (k Kind) String() string {
	switch k {
	case Kernel:
		return "kernel"
	case CCU:
		return "ccu"
	case Transport:
		return "transport"
	case Algorithm:
		return "algorithm"
	case Program:
		return "program"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Kinds returns all kinds in declaration order.
func Kinds() []Kind { return []Kind{Kernel, CCU, Transport, Algorithm, Program} }

// VersionExport returns the name of the export that marks a module of kind k and returns its feature bits, such as
// hsim_abi_transport_v1. A program has none: it is known by its _start export.
func (k Kind) VersionExport() string { return fmt.Sprintf("hsim_abi_%s_v%d", k, Version) }

// ParseVersionExport splits a name of the form hsim_abi_<kind>_v<version>.
func ParseVersionExport(name string) (kind string, version string, ok bool) {
	rest, ok := strings.CutPrefix(name, "hsim_abi_")
	if !ok {
		return "", "", false
	}
	i := strings.LastIndex(rest, "_v")
	if i <= 0 || i+2 == len(rest) {
		return "", "", false
	}
	return rest[:i], rest[i+2:], true
}

// ValType is a WebAssembly value type as encoded in a module.
type ValType byte

// The value types that signatures of the ABI use.
const (
	I32 ValType = 0x7f
	I64 ValType = 0x7e
	F32 ValType = 0x7d
	F64 ValType = 0x7c
)

// String returns the text-format name.
func (v ValType) String() string {
	switch v {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	}
	return fmt.Sprintf("type(%#x)", byte(v))
}

// Arg is a named argument. Type is a word of the ABI's small type language: i32, u32, i64, u64; ptr and cptr are addresses
// in guest memory; dev is a 64-bit device address; time is int64 picoseconds; rate is int64 bit/s; a record's name
// followed by * is the address of that record. The functions of programs have C types instead: 64-bit integers and
// floating-point numbers by name, everything else is 32 bits wide.
type Arg struct {
	Name string
	Type string
}

// Wasm returns the value type that carries a.
func (a Arg) Wasm() ValType { return wasmType(a.Type) }

func wasmType(t string) ValType {
	switch t {
	case "i64", "u64", "dev", "time", "rate", "int64_t", "uint64_t":
		return I64
	case "f32", "float":
		return F32
	case "f64", "double":
		return F64
	}
	return I32
}

// Func is an export that the host calls or an import that a guest may call.
//
// A Name with the word <name> in it stands for any number of exports.
type Func struct {
	Name     string
	Args     []Arg
	Result   string // empty: none
	Optional bool   // exports only
	Doc      string

	// Of the functions of programs, which come from several modules:
	Module string // import module
	Group  string // of the data model: device, stream, event and so on
	Real   string // the public name, empty where there is none
	Model  bool   // the data model names the function
}

// Pattern tells whether Name stands for many exports, and splits it around <name>.
func (f *Func) Pattern() (prefix, suffix string, ok bool) { return strings.Cut(f.Name, "<name>") }

// Params returns the value types of the arguments.
func (f *Func) Params() []ValType {
	p := make([]ValType, len(f.Args))
	for i, a := range f.Args {
		p[i] = a.Wasm()
	}
	return p
}

// Results returns no or one value type.
func (f *Func) Results() []ValType {
	if f.Result == "" {
		return nil
	}
	return []ValType{wasmType(f.Result)}
}

// Signature returns the WebAssembly signature, such as (i32, i64) -> i32.
func (f *Func) Signature() string { return Signature(f.Params(), f.Results()) }

// Signature writes parameter and result types as (i32, i64) -> i32.
func Signature(params, results []ValType) string {
	list := func(types []ValType) string {
		var b strings.Builder
		for i, t := range types {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(t.String())
		}
		return b.String()
	}
	s := "(" + list(params) + ")"
	switch len(results) {
	case 0:
	case 1:
		s += " -> " + list(results)
	default:
		s += " -> (" + list(results) + ")"
	}
	return s
}

// Const is a named number of the ABI.
type Const struct {
	Name  string // lower case with underscores, without the hsim prefix
	Value int64
	Doc   string
}

// Enum is a group of constants that belong together.
type Enum struct {
	Name   string
	Doc    string
	Consts []Const
}

// Interface is everything that version 1 says about one kind of module.
type Interface struct {
	Kind    Kind
	Doc     string
	Module  string // the import module of the kind; empty for a program, whose functions name theirs
	Exports []Func
	Imports []Func
	Records []Record
	Enums   []Enum
}

// Lookup returns the interface of kind k, or nil when there is no such kind. The caller owns the result; the imports of
// programs are shared and only for reading.
func Lookup(k Kind) *Interface {
	switch k {
	case Kernel:
		return kernelInterface()
	case CCU:
		return ccuInterface()
	case Transport:
		return transportInterface()
	case Algorithm:
		return algorithmInterface()
	case Program:
		return programInterface()
	}
	return nil
}

// Import returns the declaration of an import by its name in the kind's module, or nil.
func (i *Interface) Import(name string) *Func {
	for j := range i.Imports {
		if i.Imports[j].Name == name {
			return &i.Imports[j]
		}
	}
	return nil
}

// ModuleOf returns the import module of one of the interface's imports.
func (i *Interface) ModuleOf(f *Func) string {
	if f.Module != "" {
		return f.Module
	}
	return i.Module
}

// Modules returns the import modules of the interface, without WASI.
func (i *Interface) Modules() []string {
	if i.Kind == Program {
		return ProgramModules()
	}
	return []string{i.Module}
}

func importModule(k Kind) string { return fmt.Sprintf("hsim_%s_v%d", k, Version) }

// declare parses one declaration of the tables: "name(arg type, arg type) result" with an optional trailing question mark
// for an optional export.
func declare(decl, doc string) Func {
	f := Func{Doc: doc}
	if rest, ok := strings.CutSuffix(decl, " ?"); ok {
		f.Optional, decl = true, rest
	}
	open, close := strings.IndexByte(decl, '('), strings.LastIndexByte(decl, ')')
	f.Name = decl[:open]
	f.Result = strings.TrimSpace(decl[close+1:])
	if list := decl[open+1 : close]; list != "" {
		for _, a := range strings.Split(list, ",") {
			name, typ, _ := strings.Cut(strings.TrimSpace(a), " ")
			f.Args = append(f.Args, Arg{Name: name, Type: typ})
		}
	}
	return f
}
