package abi

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func record(t *testing.T, k Kind, name string) Record {
	t.Helper()
	for _, r := range Lookup(k).Records {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no record %s", name)
	return Record{}
}

// TestGoStructsLieAsTheTablesSay compares name, place and size of every field.
func TestGoStructsLieAsTheTablesSay(t *testing.T) {
	for name, v := range map[string]any{"path": Path{}, "conn": Conn{}, "packet": Packet{}, "verdict": Verdict{}, "op": Op{}} {
		kind := Transport
		if name == "op" {
			kind = Algorithm
		}
		r := record(t, kind, name)
		s := reflect.TypeOf(v)
		require.EqualValues(t, s.Size(), r.Size, name)
		require.EqualValues(t, s.Align(), r.Align, name)
		require.Equal(t, s.NumField(), len(r.Fields), name)
		for i, f := range r.Fields {
			g := s.Field(i)
			require.EqualValues(t, g.Offset, f.Offset, "%s.%s", name, f.Name)
			size, _ := sizeOf(f.Type, Lookup(kind).Records)
			require.EqualValues(t, g.Type.Size(), size*max(f.Count, 1), "%s.%s", name, f.Name)
			if g.Name == "_" {
				require.True(t, strings.HasPrefix(f.Name, "_"), "%s.%s", name, f.Name)
				continue
			}
			require.Equal(t, strings.ToLower(g.Name), strings.ReplaceAll(f.Name, "_", ""), name)
			signed := strings.HasPrefix(f.Type, "i")
			kind := g.Type.Kind()
			if f.Count > 0 {
				kind = g.Type.Elem().Kind()
			}
			require.Equal(t, signed, kind == reflect.Int32 || kind == reflect.Int64, "%s.%s", name, f.Name)
		}
	}
}

func TestRecordsHaveNoHoles(t *testing.T) {
	for _, k := range Kinds() {
		records := Lookup(k).Records
		for _, r := range records {
			at := 0
			for _, f := range r.Fields {
				size, _ := sizeOf(f.Type, records)
				require.NotZero(t, size, "%s.%s has the unknown type %s", r.Name, f.Name, f.Type)
				require.Equal(t, at, f.Offset, "%s.%s leaves a hole before it: name it", r.Name, f.Name)
				at += size * max(f.Count, 1)
			}
			require.Equal(t, at, r.Size, "%s ends in a hole: name it", r.Name)
			if r.Name != "path" && r.Name != "ccu_channel" { // parts of others
				require.Equal(t, "size", r.Fields[0].Name, r.Name)
			}
		}
	}
}

func TestRecordArgumentsExist(t *testing.T) {
	known := map[string]bool{"i32": true, "u32": true, "i64": true, "u64": true, "ptr": true, "cptr": true, "dev": true, "time": true, "rate": true}
	for _, k := range Kinds() {
		i := Lookup(k)
		if k == Program {
			continue // TestProgramTypesAreDeclared
		}
		here := map[string]bool{}
		for _, r := range i.Records {
			here[r.Name+"*"] = true
		}
		for _, f := range append(append(CommonExports(), i.Exports...), i.Imports...) {
			for _, a := range f.Args {
				require.True(t, known[a.Type] || here[a.Type], "%s %s: argument %s has the type %q", k, f.Name, a.Name, a.Type)
				require.NotEmpty(t, a.Name)
			}
			require.True(t, f.Result == "" || known[f.Result], "%s %s: result %q", k, f.Name, f.Result)
			require.NotEmpty(t, f.Doc, f.Name)
			require.True(t, strings.HasSuffix(f.Doc, "."), "%s: %s", f.Name, f.Doc)
		}
	}
}

func TestSignatures(t *testing.T) {
	k := Lookup(Kernel)
	require.Equal(t, "(i32, i64, i32) -> i32", k.Import("dma_in").Signature())
	require.Equal(t, "(i64, i32, i32, i32, i32) -> i32", k.Import("dma_out_reduce").Signature())
	require.Equal(t, "(i32, i32)", k.Import("log").Signature())
	require.Equal(t, "(i32, i32, i32, i32) -> i32", k.Exports[0].Signature())
	require.Nil(t, k.Import("dma"))
	tr := Lookup(Transport)
	for _, f := range tr.Exports {
		if f.Name == "hsim_transport_next" {
			require.Equal(t, "(i32, i64, i64, i32) -> i64", f.Signature())
		}
	}
	require.Equal(t, "() -> (i32, f64)", Signature(nil, []ValType{I32, F64}))
	require.Nil(t, Lookup(Kind(9)))
	require.Equal(t, "kind(9)", Kind(9).String())
	require.Equal(t, "not_found", NotFound.String())
	require.Equal(t, "status 5", Status(5).String())
}

func TestVersionExports(t *testing.T) {
	require.Equal(t, "hsim_abi_transport_v1", Transport.VersionExport())
	for name, want := range map[string][]string{
		"hsim_abi_transport_v1": {"transport", "1"}, "hsim_abi_a_b_v12": {"a_b", "12"},
		"hsim_abi_": nil, "hsim_abi_v1": nil, "hsim_abi_x_v": nil, "hsim_buffer": nil,
	} {
		kind, version, ok := ParseVersionExport(name)
		require.Equal(t, want != nil, ok, name)
		if ok {
			require.Equal(t, want, []string{kind, version})
		}
	}
}

// TestConstantsAgreeWithTables reads the constants of this package from its source: each one that belongs to an enum of
// the tables has to be in it with its value, and the other way round.
func TestConstantsAgreeWithTables(t *testing.T) {
	prefixes := map[string]string{"packet": "Packet", "flag": "Packet", "deliver": "Deliver", "service": "Service", "conn": "Conn", "feature": "Feature",
		"compare": "Compare", "ccu": "CCU", "buffer": "Buffer"}
	values := packageConstants(t)
	seen := map[string]bool{}
	for _, k := range Kinds() {
		for _, e := range Lookup(k).Enums {
			prefix, ok := prefixes[e.Name]
			if !ok {
				continue
			}
			for _, c := range e.Consts {
				name := prefix + strings.ReplaceAll(c.Name, "_", "")
				found := ""
				for n := range values {
					if strings.EqualFold(n, name) {
						found = n
					}
				}
				require.NotEmpty(t, found, "no constant for %s.%s", e.Name, c.Name)
				require.Equal(t, c.Value, values[found], "%s.%s", e.Name, c.Name)
				seen[found] = true
			}
		}
	}
	for n := range values {
		for _, prefix := range prefixes {
			if strings.HasPrefix(n, prefix) {
				require.True(t, seen[n], "constant %s is in no enum of the tables", n)
			}
		}
	}
}

func packageConstants(t *testing.T) map[string]int64 {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"transport.go", "common.go", "ccu.go", "algorithm.go"} {
		f, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	// Only constants are needed: references to the rest of the package may fail.
	pkg, _ := (&types.Config{Error: func(error) {}}).Check("abi", fset, files, nil)
	out := map[string]int64{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() == constant.Int {
			v, exact := constant.Int64Val(c.Val())
			require.True(t, exact)
			out[name] = v
		}
	}
	require.Contains(t, out, "PacketData")
	return out
}

func TestEmbeddedSources(t *testing.T) {
	require.Contains(t, Header(), "struct hsim_packet {")
	require.Contains(t, GuestSources()["kernel/imports.go"], "//go:wasmimport hsim_kernel_v1 dma_in")
}
