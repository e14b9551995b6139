package gen

import (
	"bytes"
	"fmt"
	"strings"

	"hsim/abi"
)

// programHeader declares the functions of one import module in C. The types are in headers written by hand, which it
// includes.
type programHeader struct {
	path    string // under abi/include
	module  string
	include []string
	prefix  string // of the C names
	about   string
}

var programHeaders = []programHeader{
	{"acl/acl_calls.h", abi.ModuleACL, []string{"acl/acl_base.h"}, "", "The runtime under its public names; include acl/acl.h."},
	{"hsim_rt.h", abi.ModuleRT, []string{"acl/acl_base.h"}, "", "The runtime under the data model's names."},
	{"hccl/hccl_calls.h", abi.ModuleHCCL, []string{"hccl/hccl_types.h"}, "", "Communicators and collectives; include hccl/hccl.h."},
	{"hsim_sys.h", abi.ModuleSys, nil, "hsim_", "What the simulator adds: threads, virtual time, the processes of a run."},
}

func (h *programHeader) text() []byte {
	var b bytes.Buffer
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	guard := "HSIM_" + upper(strings.NewReplacer("/", "_", ".", "_").Replace(strings.TrimPrefix(h.path, "hsim_")))
	p("/* %s */\n/* %s */\n#ifndef %s\n#define %s\n", notice, h.about, guard, guard)
	p("#include <stddef.h>\n#include <stdint.h>\n")
	for _, i := range h.include {
		p("#include \"%s\"", i)
	}
	p("\n#ifdef __cplusplus\nextern \"C\" {\n#endif")
	for _, f := range abi.Lookup(abi.Program).Imports {
		if f.Module != h.module {
			continue
		}
		attr := fmt.Sprintf("__attribute__((import_module(%q), import_name(%q)", f.Module, f.Name)
		if noReturn(f) {
			attr += ", noreturn"
		}
		p("\n/* %s */\n%s))\n%s;", f.Doc, attr, prototype(&f, h.prefix))
	}
	p("\n#ifdef __cplusplus\n}\n#endif\n\n#endif")
	return b.Bytes()
}

// prototype writes the C declaration of a program's function.
func prototype(f *abi.Func, prefix string) string {
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = declarator(a.Type, a.Name)
	}
	list := strings.Join(args, ", ")
	if list == "" {
		list = "void"
	}
	result := f.Result
	if result == "" {
		result = "void"
	}
	return declarator(result, prefix+f.Name) + "(" + list + ")"
}

func declarator(typ, name string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + name
	}
	return typ + " " + name
}

// Extra lists the functions of programs that are not names of the data model.
func Extra() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "name\tgroup\tmodule\tbehaviour\n")
	for _, f := range abi.Lookup(abi.Program).Imports {
		if !f.Model {
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", f.Name, f.Group, f.Module, f.Doc)
		}
	}
	return b.Bytes()
}

// programDocs writes one table per group; a name of the data model stands beside the public one.
func programDocs(p func(string, ...any), i *abi.Interface) {
	aliases := map[string][]string{}
	var groups []string
	byGroup := map[string][]*abi.Func{}
	for k := range i.Imports {
		f := &i.Imports[k]
		if f.Real != "" && f.Real != f.Name {
			aliases[f.Real] = append(aliases[f.Real], f.Name)
			continue
		}
		if byGroup[f.Group] == nil {
			groups = append(groups, f.Group)
		}
		byGroup[f.Group] = append(byGroup[f.Group], f)
	}
	for _, g := range groups {
		p("\n### Functions of programs: %s\n\n| function | module | other names | meaning |\n|---|---|---|---|", g)
		for _, f := range byGroup[g] {
			p("| `%s` | `%s` | %s | %s |", prototype(f, ""), f.Module, strings.Join(aliases[f.Name], ", "), f.Doc)
		}
	}
}
