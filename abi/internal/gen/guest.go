package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"strings"

	"hsim/abi"
)

// guestKinds are the kinds of plugins that have a package under abi/guest.
func guestKinds() []abi.Kind { return []abi.Kind{abi.Kernel, abi.CCU, abi.Transport, abi.Algorithm} }

// Guest returns the files of the Go guest SDK by their path from the root of the repository: for each kind of plugin its
// imports, constants and records.
func Guest() map[string][]byte {
	out := map[string][]byte{}
	for _, k := range guestKinds() {
		dir := "abi/guest/" + k.String() + "/"
		out[dir+"imports.go"] = guestImports(k)
		out[dir+"consts.go"] = guestConsts(k)
		if len(abi.Lookup(k).Records) > 0 {
			out[dir+"records.go"] = guestRecords(k)
		}
	}
	return out
}

// guestImports returns the imports of a kind of plugin.
func guestImports(k abi.Kind) []byte {
	var b bytes.Buffer
	i := abi.Lookup(k)
	for _, f := range i.Imports {
		fmt.Fprintf(&b, "\n// %s: %s\n//\n//go:wasmimport %s %s\nfunc %s(%s) %s\n", goName(f.Name), f.Doc, i.Module, f.Name, goName(f.Name), goParams(f.Args), goResult(f.Result))
	}
	head := fmt.Sprintf("//go:build wasip1\n\n// %s\n\npackage %s\n\n", notice, k)
	if strings.Contains(b.String(), "unsafe.") {
		return gofmt([]byte(head + "import \"unsafe\"\n" + b.String()))
	}
	return gofmt([]byte(head + "import _ \"unsafe\" // go:wasmimport\n" + b.String()))
}

// guestConsts returns the constants that a kind of plugin uses.
func guestConsts(k abi.Kind) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage %s\n", notice, k)
	for _, e := range append(abi.CommonEnums(), abi.Lookup(k).Enums...) {
		typ := ""
		switch e.Name {
		case "status":
			typ = "int32"
		case "max": // lengths
		default:
			typ = "uint32"
		}
		if k == abi.Transport && typ == "uint32" {
			typ = transportTypes[e.Name]
		}
		fmt.Fprintf(&b, "\n// %s\nconst (\n", e.Doc)
		for _, c := range e.Consts {
			fmt.Fprintf(&b, "\t%s%s %s = %d%s\n", goName(e.Name), goName(c.Name), typ, c.Value, goComment(c.Doc))
		}
		fmt.Fprintf(&b, ")\n")
	}
	return gofmt(b.Bytes())
}

// transportTypes are the types of the record fields that the constants are for.
var transportTypes = map[string]string{"packet": "uint8", "flag": "uint16", "deliver": "uint8", "service": "uint8", "conn": "uint32", "feature": "uint32",
	"dtype": "uint32", "reduce": "uint32"}

// guestRecords returns the records of a kind of plugin, with checks by the compiler that they lie as the tables say.
func guestRecords(k abi.Kind) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage %s\n\nimport (\n\t\"structs\"\n\t\"unsafe\"\n)\n", notice, k)
	i := abi.Lookup(k)
	for _, r := range i.Records {
		fmt.Fprintf(&b, "\n// %s: %s\ntype %s struct {\n\t_ structs.HostLayout\n", goName(r.Name), r.Doc, goName(r.Name))
		for _, f := range r.Fields {
			name, typ := goName(f.Name), goField(f.Type)
			if strings.HasPrefix(f.Name, "_") {
				name = "_"
			}
			if f.Count > 0 {
				typ = fmt.Sprintf("[%d]%s", f.Count, typ)
			}
			fmt.Fprintf(&b, "\t%s %s%s\n", name, typ, goComment(f.Doc))
		}
		fmt.Fprintf(&b, "}\n")
	}
	fmt.Fprintf(&b, "\n// A record that does not lie as the interface says does not compile.\nconst (\n")
	for _, r := range i.Records {
		fmt.Fprintf(&b, "\t_ = -(uint(unsafe.Sizeof(%s{})) ^ %d)\n", goName(r.Name), r.Size)
		for _, f := range r.Fields {
			if !strings.HasPrefix(f.Name, "_") && f.Offset > 0 {
				fmt.Fprintf(&b, "\t_ = -(uint(unsafe.Offsetof(%s{}.%s)) ^ %d)\n", goName(r.Name), goName(f.Name), f.Offset)
			}
		}
	}
	fmt.Fprintf(&b, ")\n")
	return gofmt(b.Bytes())
}

// goField is a field's type; what is no number is another record.
func goField(t string) string {
	switch t {
	case "u8", "u16", "u32", "u64":
		return "uint" + t[1:]
	case "i8", "i16", "i32", "i64":
		return "int" + t[1:]
	}
	return goName(t)
}

func goComment(doc string) string {
	if doc == "" {
		return ""
	}
	return " // " + constants.ReplaceAllStringFunc(doc, func(s string) string { return goName(strings.TrimSuffix(s[len("hsim_"):], "_*")) + "*" })
}

// constants are how the tables name a group of constants: hsim_flag_*.
var constants = regexp.MustCompile(`hsim_\w+_\*`)

// goName turns dma_out_2d into DMAOut2D.
func goName(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		switch word {
		case "dma", "2d", "ok", "eq", "ne", "ge", "gt", "le", "lt", "id", "mtu", "psn", "msn", "tpn", "udp", "rtt", "cc", "ccu", "cnp":
			b.WriteString(strings.ToUpper(word))
		case "npkts":
			b.WriteString("NPkts")
		case "npaths":
			b.WriteString("NPaths")
		case "nchannels":
			b.WriteString("NChannels")
		case "":
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// goParam avoids underscores.
func goParam(s string) string {
	parts := strings.Split(s, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	if s == "var" || s == "func" {
		return s + "iable"
	}
	return strings.Join(parts, "")
}

// goParams lists the parameters of an import. A text and its length are one string.
func goParams(args []abi.Arg) string {
	var list []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if isText(args[i:]) {
			list = append(list, goParam(a.Name)+" string")
			i++
			continue
		}
		list = append(list, goParam(a.Name)+" "+goType(a.Type))
	}
	return strings.Join(list, ", ")
}

// isText tells whether the next two arguments are a text and its length.
func isText(args []abi.Arg) bool {
	if len(args) < 2 || args[0].Type != "cptr" || args[1].Name != "n" {
		return false
	}
	return args[0].Name == "text" || args[0].Name == "name" || args[0].Name == "tag"
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
