package gen

import (
	"bytes"
	"fmt"
	"strings"

	"hsim/abi"
)

const notice = "Code generated from the tables of package abi by go generate; DO NOT EDIT."

// Header returns the C header: no library but stdint.h and stddef.h.
func Header() []byte {
	var b bytes.Buffer
	p := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	p("/* %s */", notice)
	p("#ifndef HSIM_H\n#define HSIM_H\n")
	p("#include <stddef.h>\n#include <stdint.h>\n")
	p("#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
	p("#define HSIM_ABI_VERSION %d\n", abi.Version)
	p("%s", strings.TrimSpace(headerMacros))
	for _, e := range enums() {
		p("\n/* %s */\nenum {", e.Doc)
		for _, c := range e.Consts {
			p("\tHSIM_%s_%s = %d,%s", upper(e.Name), upper(c.Name), c.Value, comment(c.Doc))
		}
		p("};")
	}
	for _, r := range records() {
		p("\n/* %s */\nstruct hsim_%s {", r.Doc, r.Name)
		for _, f := range r.Fields {
			p("\t%s;%s", cField(f), comment(f.Doc))
		}
		p("};")
		p("_Static_assert(sizeof(struct hsim_%s) == %d, \"struct hsim_%s\");", r.Name, r.Size, r.Name)
	}
	for _, i := range interfaces() {
		if len(i.Imports) > 0 && i.Kind != abi.Program {
			headerKind(&b, i)
		}
	}
	p("\n#ifdef __cplusplus\n}\n#endif\n\n#endif")
	return b.Bytes()
}

// headerKind writes the functions of one kind, which a module selects by a macro before the include: names such as
// hsim_log belong to several kinds.
func headerKind(b *bytes.Buffer, i *abi.Interface) {
	p := func(format string, a ...any) { fmt.Fprintf(b, format+"\n", a...) }
	p("\n/* Modules of kind %s: %s */\n#ifdef HSIM_KIND_%s", i.Kind, i.Doc, upper(i.Kind.String()))
	for _, f := range i.Imports {
		p("\n/* %s */", f.Doc)
		attr := ""
		if noReturn(f) {
			attr = " __attribute__((noreturn))"
		}
		p("HSIM_IMPORT(%q, %q)%s %s;", i.Module, f.Name, attr, cDecl(f.Result, fmt.Sprintf("hsim_%s(%s)", f.Name, cParams(f.Args))))
	}
	for _, f := range i.Exports {
		params := cParams(f.Args)
		if prefix, suffix, ok := f.Pattern(); ok {
			name, quoted := prefix+"##name", fmt.Sprintf("%q #name", prefix)
			if suffix != "" {
				name, quoted = name+"##"+suffix, quoted+fmt.Sprintf(" %q", suffix)
			}
			p("\n/* %s */", f.Doc)
			p("#define %s(name) HSIM_EXPORT(%s) %s", upper(strings.TrimSuffix(prefix, "_")+suffix), quoted, cDecl(f.Result, name+"("+params+")"))
			continue
		}
		p("\n/* %s */\nHSIM_EXPORT(%q) %s;", f.Doc, f.Name, cDecl(f.Result, f.Name+"("+params+")"))
	}
	p("#endif")
}

func noReturn(f abi.Func) bool { return strings.HasSuffix(f.Doc, "does not return.") }

// headerMacros are the helpers that C guests use instead of spelling attributes and common exports.
const headerMacros = `
#define HSIM_EXPORT(name) __attribute__((export_name(name), used))
#define HSIM_IMPORT(module, name) __attribute__((import_module(module), import_name(name)))

/* Put one of these, with the feature bits, into a module; it marks kind and version. */
#define HSIM_MODULE(kind, features) \
	HSIM_EXPORT("hsim_abi_" #kind "_v1") int32_t hsim_abi_##kind##_v1(void) { return (int32_t)(features); }

/* Room of n bytes that the host may write: arguments and records. */
#define HSIM_BUFFER(n) \
	static unsigned char hsim_buffer_space_[n] __attribute__((aligned(16))); \
	HSIM_EXPORT("hsim_buffer") void *hsim_buffer(uint32_t size) { return size <= sizeof hsim_buffer_space_ ? hsim_buffer_space_ : (void *)0; }

/* A JSON text that describes the module and its parameters; hsim_set_param is yours to write if there are any. */
#define HSIM_DESCRIBE(text) \
	static const char hsim_describe_text_[] = text; \
	HSIM_EXPORT("hsim_describe") uint64_t hsim_describe(void) \
	{ return (uint64_t)(uintptr_t)hsim_describe_text_ << 32 | (sizeof hsim_describe_text_ - 1); } \
	HSIM_EXPORT("hsim_set_param") int32_t hsim_set_param(uint32_t index, int64_t value);

/* A message from a literal. */
#define HSIM_LOG(text) hsim_log(text, sizeof text - 1)
#define HSIM_FAIL(text) hsim_fail(text, sizeof text - 1)
`

func cParams(args []abi.Arg) string {
	if len(args) == 0 {
		return "void"
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = cDecl(a.Type, a.Name)
	}
	return strings.Join(list, ", ")
}

// cDecl declares something of a type of the tables.
func cDecl(typ, name string) string {
	t := cType(typ)
	if strings.HasSuffix(t, "*") {
		return t + name
	}
	return t + " " + name
}

func cType(t string) string {
	switch t {
	case "":
		return "void"
	case "ptr":
		return "void *"
	case "cptr":
		return "const void *"
	case "dev":
		return "uint64_t"
	case "time", "rate":
		return "int64_t"
	case "u8", "u16", "u32", "u64":
		return "uint" + t[1:] + "_t"
	case "i8", "i16", "i32", "i64":
		return "int" + t[1:] + "_t"
	}
	return "struct hsim_" + strings.TrimSuffix(t, "*") + " *"
}

func cField(f abi.Field) string {
	t := strings.TrimSuffix(cType(f.Type), " *")
	if f.Count > 0 {
		return fmt.Sprintf("%s %s[%d]", t, f.Name, f.Count)
	}
	return t + " " + f.Name
}

func comment(doc string) string {
	if doc == "" {
		return ""
	}
	return " /* " + doc + " */"
}

func upper(s string) string { return strings.ToUpper(s) }

// LayoutAsserts returns a C file whose compilation proves that C places every field where the tables do.
func LayoutAsserts() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "/* %s */\n#include \"hsim.h\"\n\n", notice)
	for _, r := range records() {
		for _, f := range r.Fields {
			fmt.Fprintf(&b, "_Static_assert(offsetof(struct hsim_%s, %s) == %d, \"%s.%s\");\n", r.Name, f.Name, f.Offset, r.Name, f.Name)
		}
		fmt.Fprintf(&b, "_Static_assert(sizeof(struct hsim_%s) == %d && _Alignof(struct hsim_%s) == %d, \"%s\");\n\n", r.Name, r.Size, r.Name, r.Align, r.Name)
	}
	return b.Bytes()
}
