package wasm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
)

// fn is an import or export of a made-up module.
type fn struct {
	module, name    string
	params, results string // of i (i32) and I (i64)
}

// made builds a module whose functions do nothing but trap.
func made(memory bool, imports, exports []fn) []byte {
	var types, imp, defs, exp []byte
	var bodies [][]byte
	typ := func(f fn) byte {
		types = append(types, 0x60)
		for _, list := range []string{f.params, f.results} {
			types = append(types, byte(len(list)))
			for _, c := range list {
				types = append(types, map[rune]byte{'i': 0x7f, 'I': 0x7e}[c])
			}
		}
		return byte(len(imports)+len(exports)) - 1
	}
	n := byte(0)
	for _, f := range imports {
		typ(f)
		imp = append(appendName(appendName(imp, f.module), f.name), 0, n)
		n++
	}
	for _, f := range exports {
		typ(f)
		defs = append(defs, n)
		exp = append(appendName(exp, f.name), 0, n)
		bodies = append(bodies, []byte{0, opUnreachable, opEnd})
		n++
	}
	count := byte(len(exports))
	if memory {
		exp = append(appendName(exp, "memory"), 2, 0)
		count++
	}
	return join(
		section(secType, append([]byte{n}, types...)...),
		section(secImport, append([]byte{byte(len(imports))}, imp...)...),
		section(secFunction, append([]byte{byte(len(exports))}, defs...)...),
		section(secMemory, 1, 0, 1),
		section(secExport, append([]byte{count}, exp...)...),
		functions(bodies...),
	)
}

func export(name, params, results string) fn { return fn{name: name, params: params, results: results} }

func TestLoadSaysEverythingThatIsWrong(t *testing.T) {
	rt := newRuntime(t)
	mark := export("hsim_abi_kernel_v1", "", "i")
	buffer := export("hsim_buffer", "i", "i")
	add := export("hsim_kernel_add", "iiii", "i")
	for _, c := range []struct {
		name string
		bin  []byte
		kind abi.Kind
		want string
	}{
		{"text", []byte("hello"), abi.Kernel, "wasm: load plugin p: got a file that is not a WebAssembly module"},
		{"half a module", guestBinary(t)[:1000], abi.Kernel, "wasm: load plugin p: got a module that is corrupt or not supported at byte 0x"},
		{"invalid code", made(true, nil, []fn{mark, buffer, add})[:0:0], abi.Kernel, "not a WebAssembly module"},
		{"another kind", guestBinary(t), abi.Transport,
			"wasm: load plugin p as transport: got another kind of plugin (exports hsim_abi_kernel_v1), want export hsim_abi_transport_v1"},
		{"another version", made(true, nil, []fn{export("hsim_abi_kernel_v2", "", "i"), buffer, add}), abi.Kernel,
			"wasm: load plugin p as kernel: got version 2 of the kernel interface, want version 1 (build it with this hsim.h)"},
		{"no mark", made(true, nil, []fn{add}), abi.Kernel,
			"wasm: load plugin p as kernel: got no export hsim_abi_kernel_v1, want it with signature () -> i32 (HSIM_MODULE in hsim.h writes it)"},
		{"a program", made(true, nil, []fn{export("_start", "", "")}), abi.Kernel,
			"wasm: load plugin p as kernel: got a program (exports _start), want a plugin that exports hsim_abi_kernel_v1 (for Go: build with -buildmode=c-shared)"},
		{"a plugin as program", guestBinary(t), abi.Program,
			"wasm: load plugin p as program: got a plugin (exports hsim_abi_kernel_v1), want a program with _start (name it under [plugins] instead)"},
		{"many faults", made(false,
			[]fn{{"hsim_kernel_v1", "dma_inn", "iIi", "i"}, {"hsim_kernel_v1", "dma_out", "iii", "i"}, {"hsim_kernel_v2", "log", "ii", ""},
				{"env", "memcpy", "iii", "i"}, {abi.WASIModule, "fd_wriet", "iiii", "i"}, {abi.WASIModule, "proc_exit", "I", ""}},
			[]fn{mark, export("hsim_kernel_add", "ii", "i"), export("hsim_bufer", "i", "i"), export("hsim_set_param", "iI", "i")}), abi.Kernel,
			"wasm: load plugin p as kernel: 11 faults: got no exported memory, want one named memory; " +
				"missing export hsim_buffer, want signature (i32) -> i32; " +
				"unknown export hsim_bufer (did you mean hsim_buffer?); " +
				"export hsim_kernel_add: got signature (i32, i32) -> i32, want (i32, i32, i32, i32) -> i32; " +
				"it exports hsim_set_param but no hsim_describe to name the parameters; " +
				"unknown import hsim_kernel_v1.dma_inn (did you mean dma_in?); " +
				"import hsim_kernel_v1.dma_out: got signature (i32, i32, i32) -> i32, want (i64, i32, i32) -> i32; " +
				"import hsim_kernel_v2.log: unknown module (did you mean hsim_kernel_v1?); " +
				"import env.memcpy: unknown module; " +
				"unknown import wasi_snapshot_preview1.fd_wriet (did you mean fd_write?); " +
				"import wasi_snapshot_preview1.proc_exit: got signature (i64), want (i32)"},
		{"nothing to call", made(true, nil, []fn{mark, buffer}), abi.Kernel,
			"wasm: load plugin p as kernel: got nothing to call, want at least one export of the form hsim_kernel_<name> or hsim_cpu_<name>"},
		{"a transport without most of it", made(true, nil, []fn{export("hsim_abi_transport_v1", "", "i"), buffer, export("hsim_transport_next", "iIIi", "I"),
			export("hsim_transport_start", "", "i"), export("hsim_transport_open", "i", "i"), export("hsim_transport_modify", "i", "i"), export("hsim_transport_close", "i", ""),
			export("hsim_transport_timer", "ii", "")}), abi.Transport,
			"2 faults: missing export hsim_transport_receive, want signature (i32, i32); missing export hsim_transport_link, want signature (i32, i32, i64)"},
		{"a microprogram without launch", made(true, nil, []fn{export("hsim_abi_ccu_v1", "", "i"), buffer, export("hsim_ccu_a", "i", "i"), export("hsim_ccu_b", "i", "i"), export("hsim_ccu_b_launch", "iii", "i")}), abi.CCU,
			"wasm: load plugin p as ccu: missing export hsim_ccu_a_launch beside hsim_ccu_a"},
		{"imports that are no functions", join(
			section(secType, 1, 0x60, 0, 1, 0x7f),
			section(secImport, append(appendName(appendName([]byte{1}, "env"), "stack"), 3, 0x7f, 1)...),
			section(secFunction, 1, 0), section(secMemory, 1, 0, 1),
			section(secExport, append(append(appendName([]byte{2}, "hsim_abi_kernel_v1"), 0, 0), append(appendName(nil, "memory"), 2, 0)...)...),
			functions([]byte{0, opUnreachable, opEnd})), abi.Kernel,
			"it imports the global env.stack, want a module with a memory of its own that imports functions only"},
		{"no such kind", guestBinary(t), abi.Kind(77), "wasm: load plugin p: got kind 77, want one of [kernel ccu transport algorithm program]"},
	} {
		_, err := rt.Load("p", c.bin, c.kind)
		require.ErrorContains(t, err, c.want, c.name)
		require.NotContains(t, err.Error(), "\n", c.name)
	}
}

func TestInvalidCodeIsRefused(t *testing.T) {
	// An addition without operands: well formed, but not valid.
	bin := join(section(secType, 1, 0x60, 0, 0), section(secFunction, 1, 0), section(secMemory, 1, 0, 1), functions([]byte{0, 0x6a, opDrop, opEnd}))
	_, err := newRuntime(t).Load("p", bin, abi.Kernel)
	require.ErrorContains(t, err, "wasm: load plugin p: got a module that does not validate")
}

func TestEntries(t *testing.T) {
	m := loadGuest(t)
	require.Contains(t, m.Entries("hsim_kernel_<name>"), "add")
	require.Equal(t, []string{"answer"}, m.Entries("hsim_cpu_<name>"))
	require.Empty(t, m.Entries("hsim_ccu_<name>"))
	require.True(t, m.Has("hsim_cpu_answer"))
	require.False(t, m.Has("hsim_cpu_question"))

	rt := newRuntime(t)
	m, err := rt.Load("p", made(true, nil, []fn{export("hsim_abi_ccu_v1", "", "i"), export("hsim_buffer", "i", "i"), export("hsim_ccu_b", "i", "i"), export("hsim_ccu_b_launch", "iii", "i")}), abi.CCU)
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, m.Entries("hsim_ccu_<name>"))
	require.Equal(t, []string{"b"}, m.Entries("hsim_ccu_<name>_launch"))
}

func TestInspect(t *testing.T) {
	rt := newRuntime(t)
	info, err := rt.Inspect("guest", guestBinary(t))
	require.NoError(t, err)
	require.Equal(t, abi.Kernel, info.Kind)
	require.Equal(t, []string{"0x5"}, info.Names)
	require.Equal(t, "for tests", info.Description.About)
	require.Len(t, info.Hash, 64)
	require.Equal(t, len(guestBinary(t)), info.Size)
	var imports []string
	for _, e := range info.Imports {
		imports = append(imports, e.Module+"."+e.Name+" "+e.Signature())
	}
	require.Contains(t, imports, "hsim_kernel_v1.notify_wait (i32) -> i32")

	kind, err := KindOf(made(true, nil, []fn{export("_start", "", "")}))
	require.NoError(t, err)
	require.Equal(t, abi.Program, kind)
	_, err = rt.Inspect("p", made(true, nil, []fn{export("main", "", "")}))
	require.ErrorContains(t, err, "wasm: inspect p: wasm: module: got no mark of its kind among its exports, want one of hsim_abi_kernel_v1, hsim_abi_ccu_v1")
	require.Equal(t, []string{"reliable", "read"}, featureNames(abi.Lookup(abi.Transport), abi.FeatureReliable|abi.FeatureRead))
}

func TestNearest(t *testing.T) {
	require.Equal(t, " (did you mean dma_in?)", nearest("dma_inn", []string{"log", "dma_in", "dma_out"}))
	require.Empty(t, nearest("zzz", []string{"log", "", "dma_in"}))
	require.Equal(t, 3, editDistance("kitten", "sitting"))
	require.Equal(t, 4, editDistance("", "four"))
}
