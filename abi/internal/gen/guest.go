package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"hsim/abi"
)

// GuestImports returns the imports of kernels for Go guests.
func GuestImports() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build wasip1\n\n// %s\n\npackage guest\n\nimport \"unsafe\"\n", notice)
	i := abi.Lookup(abi.Kernel)
	for _, f := range i.Imports {
		if isText(f) {
			continue // hand-written on strings in guest.go, from the raw form below
		}
		fmt.Fprintf(&b, "\n// %s: %s\n//\n//go:wasmimport %s %s\nfunc %s(%s) %s\n", goName(f.Name), f.Doc, i.Module, f.Name, goName(f.Name), goParams(f.Args), goResult(f.Result))
	}
	for _, f := range i.Imports {
		if isText(f) {
			fmt.Fprintf(&b, "\n//go:wasmimport %s %s\nfunc raw%s(%s) %s\n", i.Module, f.Name, goName(f.Name), goParams(f.Args), goResult(f.Result))
		}
	}
	return gofmt(b.Bytes())
}

// isText tells whether the arguments of f are a text and its length.
func isText(f abi.Func) bool {
	return len(f.Args) == 2 && f.Args[0].Name == "text"
}

// GuestConsts returns the constants that kernels use.
func GuestConsts() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage guest\n", notice)
	for _, e := range append(abi.CommonEnums(), abi.Lookup(abi.Kernel).Enums...) {
		typ := "uint32"
		if e.Name == "status" {
			typ = "int32"
		}
		fmt.Fprintf(&b, "\n// %s\nconst (\n", e.Doc)
		for _, c := range e.Consts {
			fmt.Fprintf(&b, "\t%s%s %s = %d%s\n", goName(e.Name), goName(c.Name), typ, c.Value, goComment(c.Doc))
		}
		fmt.Fprintf(&b, ")\n")
	}
	return gofmt(b.Bytes())
}

func goComment(doc string) string {
	if doc == "" {
		return ""
	}
	return " // " + doc
}

// goName turns dma_out_2d into DMAOut2D.
func goName(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		switch word {
		case "dma", "2d", "ok", "eq", "ne", "ge", "gt", "le", "lt":
			b.WriteString(strings.ToUpper(word))
		case "":
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// goParam avoids Go's keywords.
func goParam(s string) string {
	parts := strings.Split(s, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

func goParams(args []abi.Arg) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = goParam(a.Name) + " " + goType(a.Type)
	}
	return strings.Join(list, ", ")
}

func goResult(t string) string {
	if t == "" {
		return ""
	}
	return goType(t)
}

func goType(t string) string {
	switch t {
	case "ptr", "cptr":
		return "unsafe.Pointer"
	case "dev", "u64":
		return "uint64"
	case "i64", "time", "rate":
		return "int64"
	case "u32":
		return "uint32"
	}
	return "int32"
}

func gofmt(src []byte) []byte {
	out, err := format.Source(src)
	if err != nil {
		return append([]byte("// generator: "+err.Error()+"\n"), src...)
	}
	return out
}
