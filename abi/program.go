package abi

import (
	"strings"
	"sync"
)

// The import modules of host programs besides WASI.
const (
	ModuleACL  = "hsim_acl_v1"  // the public names of the runtime
	ModuleRT   = "hsim_rt_v1"   // the data model's names of the runtime
	ModuleRA   = "hsim_ra_v1"   // network agent
	ModuleHCCL = "hsim_hccl_v1" // communicators and collectives
	ModuleSys  = "hsim_sys_v1"  // threads, virtual time, the processes of a run
)

// ProgramModules returns the import modules of host programs besides WASI.
func ProgramModules() []string {
	return []string{ModuleACL, ModuleRT, ModuleRA, ModuleHCCL, ModuleSys}
}

func programInterface() *Interface {
	return &Interface{
		Kind: Program,
		Doc:  "A host program: a WASI command that imports the runtime's interfaces by their own names.",
		Exports: []Func{
			declare("_start()", "Run main."),
		},
		Imports: programImports(),
	}
}

// programImports is computed once: the tables never change, and every load of a program asks for them. The functions are
// the callers' to read, not to write.
var programImports = sync.OnceValue(func() []Func {
	var out []Func
	for _, rows := range [][]call{deviceCalls, contextCalls, streamCalls, captureCalls, memoryCalls, vmmCalls, ipcCalls, notifyCalls,
		eventCalls, callbackCalls, kernelCalls, ccuCalls, commCalls, collectiveCalls, sysCalls} {
		for _, r := range rows {
			out = append(out, r.funcs()...)
		}
	}
	return out
})

// call is one row of the program tables: a C prototype with the public name, and the names that the data model has for the
// same function.
type call struct {
	group string
	proto string // "aclError aclrtCreateStream(aclrtStream *stream)"
	model string // names of the data model, space-separated; one that equals the public name marks that as the model's
	doc   string
}

// funcs returns the imports of a row: the public name in the module of its kind, and the data model's other names in
// hsim_rt_v1. A prototype whose name starts with rt has no public name.
func (r call) funcs() []Func {
	f := parsePrototype(r.proto)
	f.Group, f.Doc, f.Module = r.group, r.doc, moduleOf(f.Name)
	if f.Module == ModuleRT {
		f.Model = true
		return []Func{f}
	}
	if f.Module == ModuleSys {
		return []Func{f}
	}
	f.Real = f.Name
	out := []Func{f}
	for _, name := range strings.Fields(r.model) {
		if name == f.Name {
			out[0].Model = true
			continue
		}
		alias := f
		alias.Name, alias.Module, alias.Model = name, ModuleRT, true
		if strings.HasPrefix(name, "Hccl") {
			alias.Module = ModuleHCCL
		}
		out = append(out, alias)
	}
	return out
}

func moduleOf(name string) string {
	switch {
	case strings.HasPrefix(name, "acl"):
		return ModuleACL
	case strings.HasPrefix(name, "Hccl"):
		return ModuleHCCL
	case strings.HasPrefix(name, "Ra"):
		return ModuleRA
	case strings.HasPrefix(name, "rt"):
		return ModuleRT
	}
	return ModuleSys
}

// parsePrototype splits a C prototype without function types.
func parsePrototype(proto string) Func {
	open := strings.IndexByte(proto, '(')
	result, name := splitDeclarator(proto[:open])
	f := Func{Name: name, Result: result}
	if result == "void" {
		f.Result = ""
	}
	for _, a := range strings.Split(strings.TrimSuffix(proto[open+1:], ")"), ",") {
		if typ, name := splitDeclarator(a); name != "" {
			f.Args = append(f.Args, Arg{Name: name, Type: typ})
		}
	}
	return f
}

// splitDeclarator splits "const void *src" into its type, "const void *", and its name.
func splitDeclarator(s string) (typ, name string) {
	s = strings.TrimSpace(s)
	i := strings.LastIndexAny(s, " *") + 1
	return strings.TrimSpace(s[:i]), s[i:]
}
