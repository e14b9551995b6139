package wasm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"hsim/abi"
)

const magic = "\x00asm\x01\x00\x00\x00"

// section writes a section of a module.
func section(id byte, contents ...byte) []byte {
	return append(appendU32([]byte{id}, uint32(len(contents))), contents...)
}

// functions writes the code section for bodies without their lengths.
func functions(bodies ...[]byte) []byte {
	c := []byte{byte(len(bodies))}
	for _, b := range bodies {
		c = append(appendU32(c, uint32(len(b))), b...)
	}
	return section(secCode, c...)
}

func join(parts ...[]byte) []byte {
	out := []byte(magic)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// small is a module with one function (i32) -> () exported as f, one page of memory and one mutable global.
func small(body ...byte) []byte {
	return join(
		section(secType, 1, 0x60, 1, 0x7f, 0),
		section(secFunction, 1, 0),
		section(secTable, 1, 0x70, 0, 4),
		section(secMemory, 1, 0, 1),
		section(secGlobal, 1, 0x7f, 1, opI32Const, 9, opEnd),
		section(secExport, 1, 1, 'f', 0, 0),
		section(secElement, 1, 3, 0, 1, 0), // declares function 0 for ref.func
		section(secDataCount, 1),
		functions(body),
		section(secData, 1, 1, 1, 'x'),
	)
}

// compiles tells what the engine says of a module.
func compiles(t testing.TB, rt wazero.Runtime, bin []byte) error {
	t.Helper()
	c, err := rt.CompileModule(context.Background(), bin)
	if err == nil {
		require.NoError(t, c.Close(context.Background()))
	}
	return err
}

func TestStepsAreExact(t *testing.T) {
	rt := newRuntime(t)
	loop := []byte{0, // no locals
		opLoop, void,
		opLocalGet, 0, opI32Const, 1, 0x6b, opLocalTee, 0, // --n
		opBrIf, 0,
		opEnd, opEnd}
	for _, c := range []struct {
		name string
		body []byte
		arg  uint64
		want uint64
	}{
		{"a function's entry is one step", []byte{0, opEnd}, 0, 1},
		{"each round of a loop is one more", loop, 1, 2},
		{"a thousand rounds", loop, 1000, 1001},
		{"several slices", loop, 3 << sliceBits, 1 + 3<<sliceBits},
		{"a call of itself", []byte{0, opLocalGet, 0, opIf, void, opLocalGet, 0, opI32Const, 1, 0x6b, opCall, 0, opEnd, opEnd}, 10, 11},
		{"bulk memory by length", []byte{0, opI32Const, 0, opI32Const, 1, opLocalGet, 0, opBulk, 11, 0, opEnd}, 60000, 1 + 60000/16},
		{"memory by the page", []byte{0, opLocalGet, 0, opMemoryGrow, 0, opDrop, opEnd}, 3, 1 + 3*4096},
	} {
		m := loadAny(t, rt, small(c.body...))
		in := instantiate(t, m, InstanceConfig{})
		f, err := in.Func("f")
		require.NoError(t, err)
		_, err = f.Call(c.arg)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, in.Steps(), c.name)

		// The budget is exact too: the last step that fits, and one less.
		in = instantiate(t, m, InstanceConfig{Fuel: c.want})
		f, err = in.Func("f")
		require.NoError(t, err)
		_, err = f.Call(c.arg)
		require.NoError(t, err, c.name)
		if c.want > 1 {
			in = instantiate(t, m, InstanceConfig{Fuel: c.want - 1})
			f, err = in.Func("f")
			require.NoError(t, err)
			_, err = f.Call(c.arg)
			require.ErrorContains(t, err, "stopped after", c.name)
			_, err = f.Call(0) // the budget is whole again
			if c.name != "each round of a loop is one more" && c.name != "a thousand rounds" && c.name != "several slices" {
				require.NoError(t, err, c.name)
			}
		}
	}
}

// loadAny compiles a module that fits no interface.
func loadAny(t testing.TB, rt *Runtime, bin []byte) *Module {
	t.Helper()
	code, info, err := rewrite(bin)
	require.NoError(t, err)
	compiled, err := rt.rt.CompileModule(context.Background(), code)
	require.NoError(t, err)
	m := &Module{rt: rt, name: "any", kind: abi.Kernel, iface: abi.Lookup(abi.Kernel), compiled: compiled, info: info, exports: exportsOf(compiled)}
	m.measure()
	return m
}

// TestEveryInstruction gives every instruction with every plausible form of operands to the engine as it is and
// rewritten: what the one accepts the other must, and the other way round.
func TestEveryInstruction(t *testing.T) {
	rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer func() { require.NoError(t, rt.Close(context.Background())) }()
	operands := [][]byte{{}, {0}, {0, 0}, {0, 0, 0}, {0x70}, {0x7f}, {1, 0x7f}, {void, opEnd}, {0, 0, 0, 0}, make([]byte, 8), make([]byte, 16), {0xff, 0xff, 0x03}}
	accepted := 0
	try := func(op ...byte) {
		for _, o := range operands {
			body := append(append([]byte{0, opUnreachable}, op...), o...)
			bin := small(append(body, opUnreachable, opEnd)...)
			plain := compiles(t, rt, bin)
			code, _, err := rewrite(bin)
			if plain == nil {
				accepted++
				require.NoError(t, err, "%x %x", op, o)
				require.NoError(t, compiles(t, rt, code), "%x %x", op, o)
			} else if err == nil {
				require.Error(t, compiles(t, rt, code), "%x %x: the engine says %v", op, o, plain)
			}
		}
	}
	for op := range 256 {
		if op != opBulk && op != opVector {
			try(byte(op))
		}
	}
	for op := range uint32(32) {
		try(appendU32([]byte{opBulk}, op)...)
	}
	for op := range uint32(256) {
		try(appendU32([]byte{opVector}, op)...)
	}
	require.Greater(t, accepted, 172+18+236, "MVP and sign extension, bulk and conversions, SIMD")
}

func TestRewriteRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		bin  []byte
		want string
	}{
		{"text", []byte("(module)"), "not a WebAssembly module"},
		{"a later version", []byte("\x00asm\x02\x00\x00\x00"), "not a WebAssembly module of version 1"},
		{"the counter read", small(0, opGlobalGet, 1, opDrop, opEnd), "global 1 does not exist"},
		{"the counter written", small(0, opI64Const, 0, opGlobalSet, 1, opEnd), "global 1 does not exist"},
		{"the budget written", small(0, opI64Const, 0, opGlobalSet, 2, opEnd), "global 2 does not exist"},
		{"the slice function called", small(0, opCall, 1, opEnd), "function 1 does not exist"},
		{"a reference to it", small(0, 0xd2, 1, opDrop, opEnd), "function 1 does not exist"},
		{"its type used", small(0, opBlock, 1, opEnd, opEnd), "block type 1 does not exist"},
		{"its type called", small(0, opI32Const, 0, 0x11, 1, 0, opEnd), "type 1 does not exist"},
		{"the added local", small(0, opLocalGet, 1, opMemoryGrow, 0, opDrop, opEnd), "local 1 does not exist"},
		{"a hidden name", join(section(secType, 1, 0x60, 0, 0), section(secFunction, 1, 0), section(secExport, 1, 6, 'h', 's', 'i', 'm', ':', 'x', 0, 0), functions([]byte{0, opEnd})), "names that start with hsim: are the host's"},
		{"it in a table", join(section(secType, 1, 0x60, 0, 0), section(secFunction, 1, 0), section(secTable, 1, 0x70, 0, 1), section(secElement, 1, 0, opI32Const, 0, opEnd, 1, 1), functions([]byte{0, opEnd})), "function 1 does not exist"},
		{"it as start", join(section(secType, 1, 0x60, 0, 0), section(secFunction, 1, 0), section(secStart, 1), functions([]byte{0, opEnd})), "function 1 does not exist"},
		{"atomics", small(0, opI32Const, 0, 0xfe, 0x10, 2, 0, opDrop, opEnd), "instruction 0xfe is not supported"},
		{"tail calls", small(0, opI32Const, 0, 0x12, 0, opEnd), "instruction 0x12 is not supported"},
		{"relaxed SIMD", small(0, opUnreachable, opVector, 0x80, 2, opEnd), "instruction 0xfd 128 is not supported"},
		{"SIMD in a long form", small(0, opUnreachable, opVector, 0x8c, 0, opEnd), "instruction 0xfd 140 is not supported"},
		{"shared memory", join(section(secMemory, 1, 3, 1, 2)), "shared and 64-bit memories are not"},
		{"a huge table", join(section(secTable, 1, 0x70, 0, 0xff, 0xff, 0xff, 0x7f)), "a table has 268435455 entries, want at most 1048576"},
		{"too many locals", small(1, 0xff, 0xff, 0xff, 0x7f, 0x7f, opEnd), "a function has 268435456 locals"},
		{"an unknown section", join(section(77)), "section 77 is unknown or out of order"},
		{"sections out of order", join(section(secMemory, 1, 0, 1), section(secType, 0)), "out of order"},
		{"a long section", append(join(section(secType, 0)), secMemory, 9), "section 5 is longer than the module"},
		{"a half section", append(join(section(secType, 0)), secMemory), "unexpected end"},
		{"bytes left over", join(section(secType, 0, 0)), "section 1 has bytes left over"},
		{"bytes after a function", small(0, opEnd, opEnd), "function 0 has bytes left over"},
		{"a function without end", small(0, 0x01), "unexpected end"},
		{"a list longer than the module", join(section(secType, 0xff, 0xff, 0xff, 0xff, 0x0f)), "a list is longer than the module"},
		{"data longer than the module", join(section(secMemory, 1, 0, 1), section(secData, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f)), "a list is longer than the module"},
		{"too few functions", join(section(secType, 1, 0x60, 0, 0), section(secFunction, 2, 0, 0), functions([]byte{0, opEnd})), "got 1 function bodies, want 2"},
	} {
		_, _, err := rewrite(c.bin)
		require.ErrorContains(t, err, c.want, c.name)
	}
}

func TestRewriteKeepsNamesAndDropsDebug(t *testing.T) {
	custom := func(name string, contents string) []byte {
		return section(secCustom, append(appendName(nil, name), contents...)...)
	}
	bin := append(small(0, opEnd), custom("name", "\x01\x08\x01\x00\x05hello\x07\x12\x01\x00\x0f__stack_pointer")...)
	plain := len(bin)
	bin = append(bin, custom(".debug_line", "0123456789")...)
	bin = append(bin, custom("name", "\x01\xff\xff\xff\xff\x0f")...) // a second one, and corrupt
	code, info, err := rewrite(bin)
	require.NoError(t, err)
	require.NotContains(t, string(code), "0123456789")
	require.Contains(t, string(code), "hello")
	require.Equal(t, "hsim:global0", info.stackPointer)
	require.Equal(t, []string{"hsim:global0"}, info.globals)
	require.True(t, info.whole)
	require.NoError(t, compiles(t, newRuntime(t).rt, code))
	again, _, err := rewrite(bin[:plain])
	require.NoError(t, err)
	require.Equal(t, again, code)
}

func TestStartFunctionsAreCounted(t *testing.T) {
	module := func(body ...byte) []byte {
		return join(section(secType, 1, 0x60, 0, 0), section(secFunction, 1, 0), section(secMemory, 1, 0, 1),
			section(secGlobal, 1, 0x7f, 1, opI32Const, 0, opEnd), section(secExport, append(appendName([]byte{1}, "memory"), 2, 0)...),
			section(secStart, 0), functions(body))
	}
	rt := newRuntime(t)
	in := instantiate(t, loadAny(t, rt, module(0, opI32Const, 7, opGlobalSet, 0, opEnd)), InstanceConfig{})
	require.EqualValues(t, 7, in.wz.ExportedGlobal("hsim:global0").Get())
	_, err := loadAny(t, rt, module(0, opLoop, void, 0x0c, 0, opEnd, opEnd)).Instantiate(InstanceConfig{Fuel: 1000})
	require.ErrorContains(t, err, "function hsim:start: stopped after 1000 steps")
}

func TestRewriteOfNothing(t *testing.T) {
	rt := newRuntime(t)
	code, _, err := rewrite([]byte(magic))
	require.NoError(t, err)
	require.NoError(t, compiles(t, rt.rt, code))
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  int32
		err   string
	}{
		{[]byte{0x05}, 5, ""}, {[]byte{0x7f}, -1, ""}, {[]byte{0xc0, 0x00}, 64, ""}, {[]byte{0x80, 0x7f}, -128, ""},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0x07}, 1<<31 - 1, ""}, {[]byte{0x80, 0x80, 0x80, 0x80, 0x78}, -1 << 31, ""},
		{nil, 0, "unexpected end"}, {[]byte{0x80}, 0, "unexpected end"}, {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 0, "too long"},
	} {
		r := reader{b: c.bytes}
		require.Equal(t, c.want, r.s32(), "%x", c.bytes)
		if c.err != "" {
			require.ErrorContains(t, r.err, c.err)
			continue
		}
		require.NoError(t, r.err)
		require.Equal(t, c.bytes, appendS64(nil, int64(c.want))[:len(c.bytes)], "and back")
	}
	r := reader{b: []byte{0xff, 0xff, 0xff, 0xff, 0x1f}}
	require.Zero(t, r.u32())
	require.ErrorContains(t, r.err, "too large")
}

func TestFuelValue(t *testing.T) {
	for _, steps := range []uint64{0, 1, slice - 1, slice, slice + 1, DefaultFuel, 1 << 50} {
		v := fuelValue(steps)
		require.Equal(t, steps, fuelLeft(v))
		require.GreaterOrEqual(t, int64(v), int64(0))
		require.GreaterOrEqual(t, int32(v), int32(0))
	}
	require.Positive(t, int64(fuelValue(1<<63)), "more than fits is as much as fits")
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(small(0, opEnd))
	f.Add(small(1, 2, 0x7f, opBlock, void, opLoop, void, opLocalGet, 0, opBrIf, 0, opEnd, opEnd, opLocalGet, 0, opMemoryGrow, 0, opDrop, opEnd))
	paths, _ := filepath.Glob("testdata/*.wasm")
	more, _ := filepath.Glob("../../plugins/*/*.wasm")
	for _, p := range append(paths, more...) {
		bin, err := os.ReadFile(p)
		require.NoError(f, err)
		f.Add(bin)
	}
	rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(MaxPages))
	f.Fuzz(func(t *testing.T, bin []byte) {
		// Without the checks of rewrite the engine makes room for as many items as a corrupt list claims to have.
		code, _, err := rewrite(bin)
		if err == nil && compiles(t, rt, bin) == nil {
			require.NoError(t, compiles(t, rt, code))
		}
	})
}
