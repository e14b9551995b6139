package gen

import (
	"bytes"
	"fmt"
	"strings"

	"hsim/abi"
)

// Golden returns every name, signature, size, offset and number of the ABI, one a line: the frozen part of the tables.
func Golden() []byte {
	var b bytes.Buffer
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	p("version %d", abi.Version)
	for _, f := range abi.CommonExports() {
		p("common export %s %s%s", f.Name, f.Signature(), optional(f))
	}
	for _, i := range interfaces() {
		if i.Kind != abi.Program {
			p("%s export %s () -> i32", i.Kind, i.Kind.VersionExport())
		}
		for _, f := range i.Exports {
			p("%s export %s %s%s", i.Kind, f.Name, f.Signature(), optional(f))
		}
		for _, f := range i.Imports {
			p("%s import %s.%s %s", i.Kind, i.ModuleOf(&f), f.Name, f.Signature())
		}
		for _, r := range i.Records {
			p("%s record %s size %d align %d", i.Kind, r.Name, r.Size, r.Align)
			for _, f := range r.Fields {
				count := ""
				if f.Count > 0 {
					count = fmt.Sprintf("[%d]", f.Count)
				}
				p("%s field %s.%s %s%s at %d", i.Kind, r.Name, f.Name, f.Type, count, f.Offset)
			}
		}
	}
	for _, e := range enums() {
		for _, c := range e.Consts {
			p("const %s.%s %d", e.Name, c.Name, c.Value)
		}
	}
	return b.Bytes()
}

func optional(f abi.Func) string {
	if f.Optional {
		return " optional"
	}
	return ""
}

// Docs returns the reference page of the ABI.
func Docs() []byte {
	var b bytes.Buffer
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	p("<!-- %s -->\n", notice)
	p("# The plugin interfaces, version %d\n", abi.Version)
	p("%s", strings.TrimSpace(docsIntro))
	p("\n## Every plugin\n\nExports besides `memory`:\n")
	table(p, abi.CommonExports())
	for _, i := range interfaces() {
		p("\n## %s\n\n%s\n", i.Kind, i.Doc)
		if i.Kind != abi.Program {
			p("Kind and version: `%s() -> i32` returns the feature bits.\n", i.Kind.VersionExport())
		} else {
			p("Import modules: `%s`.\n", strings.Join(append(abi.ProgramModules(), abi.WASIModule), "`, `"))
		}
		p("Exports:\n")
		table(p, i.Exports)
		switch {
		case i.Kind == abi.Program:
			programDocs(p, i)
		case len(i.Imports) > 0:
			p("\nImports from `%s`:\n", i.Module)
			table(p, i.Imports)
		}
		for _, r := range i.Records {
			p("\n### struct hsim_%s (%d bytes)\n\n%s\n", r.Name, r.Size, r.Doc)
			p("| at | field | type | meaning |\n|---|---|---|---|")
			for _, f := range r.Fields {
				if strings.HasPrefix(f.Name, "_") {
					continue
				}
				typ := f.Type
				if f.Count > 0 {
					typ += fmt.Sprintf("[%d]", f.Count)
				}
				p("| %d | %s | %s | %s |", f.Offset, f.Name, typ, f.Doc)
			}
		}
	}
	p("\n## Constants")
	for _, e := range enums() {
		p("\n%s\n\n| name | value | meaning |\n|---|---|---|", e.Doc)
		for _, c := range e.Consts {
			p("| HSIM_%s_%s | %d | %s |", upper(e.Name), upper(c.Name), c.Value, c.Doc)
		}
	}
	return b.Bytes()
}

const docsIntro = `
A plugin is a WebAssembly module (wasm32, one memory of its own; SIMD and bulk memory allowed, threads not). Records are
little-endian, naturally aligned, and start with their own size. Status 0 is fine, a negative value is one of the codes at
the end. Every function entry and loop iteration costs one step of fuel; a call that runs out of fuel is stopped with the
plugin's name. ` + "`wasi_snapshot_preview1`" + ` is there with the simulated clock, seeded random numbers and no files; what is printed goes to
the log. In C, define HSIM_KIND_KERNEL, HSIM_KIND_TRANSPORT, HSIM_KIND_CCU or HSIM_KIND_ALGORITHM before including hsim.h. In Go,
import one of hsim/abi/guest/kernel, transport, ccu and algorithm: ` + "`dma_out`" + ` is kernel.DMAOut, ` + "`struct hsim_packet`" + ` is transport.Packet, HSIM_STATUS_OK is
StatusOK of each, and a text with its length is a string.
`

func table(p func(string, ...any), funcs []abi.Func) {
	p("| function | WebAssembly | meaning |\n|---|---|---|")
	for _, f := range funcs {
		args := make([]string, len(f.Args))
		for i, a := range f.Args {
			args[i] = a.Name + " " + a.Type
		}
		result := ""
		if f.Result != "" {
			result = " " + f.Result
		}
		doc := f.Doc
		if f.Optional {
			doc = "Optional. " + doc
		}
		p("| `%s(%s)%s` | `%s` | %s |", strings.ReplaceAll(f.Name, "<name>", "NAME"), strings.Join(args, ", "), result, f.Signature(), doc)
	}
}
