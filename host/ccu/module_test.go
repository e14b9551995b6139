package ccu

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/wasm"
)

func (r *rig) load(path string, kind abi.Kind) *wasm.Module {
	r.t.Helper()
	bin, err := os.ReadFile(path)
	require.NoError(r.t, err)
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, rt.Close()) })
	m, err := rt.Load("probe.wasm", bin, kind)
	require.NoError(r.t, err)
	return m
}

func (r *rig) probe() *Binary {
	b, err := NewBinary(r.load("testdata/probe.wasm", abi.CCU))
	require.NoError(r.t, err)
	return b
}

// everything is the program of testdata/probe.c in Go calls.
func everything(x *Recorder) {
	v, a, e, b := x.Variables(8), x.Addresses(4), x.Events(3), x.Buffers(4)
	x.LoadArg(v, 1)
	x.LoadArg(v+1, 0)
	c := x.ChannelVariable(0, 7)
	x.Set(v+2, 0x123456789abcdef0)
	x.Move(v+3, c)
	x.Add(v+4, v, v+1)
	x.AddressSet(a, 0xfedcba9876543210)
	x.AddressMove(a+1, a)
	x.AddressFrom(a+2, v+3)
	x.AddressAdd(a+3, a+2, v+4)
	x.AddressAddAddress(a, a+1, a+2)
	here, there, n := Mem{a, v}, Mem{a + 1, v + 1}, v+2
	x.Read(0, here, there, n, Done{e, 1})
	x.Write(0, there, here, n, Done{e + 1, 2})
	x.ReadBuffer(0, b+1, here, n, Done{e, 4})
	x.WriteBuffer(0, here, b+2, n, Done{e, 8})
	x.ReadReduce(0, here, there, n, mem.BF16, mem.Max, Done{e, 16})
	x.WriteReduce(0, here, there, n, mem.Uint8, mem.Min, Done{e, 32})
	x.LocalCopy(here, there, n, Done{e + 2, 64})
	x.LocalCopyIn(b, here, n, Done{e, 128})
	x.LocalCopyOut(here, b+3, n, Done{e, 256})
	x.LocalReduce(here, there, n, mem.FP32, mem.Sum, Done{e, 512})
	x.BufferReduce(b+1, 3, mem.Int16, mem.Int16, mem.Max, n, Done{e, 1024})
	x.Load(v+5, here, 2, Done{e, 2048})
	x.Store(here, v+6, 2, Done{e, 4096})
	x.EventRecord(e+1, 0x8000)
	x.EventWait(e+2, 0x4000)
	x.TagRecord("left", 1)
	x.TagWait("right", 2)
	x.NotifyRecord(0, 3, 0x10)
	x.NotifyWait(0, 4, 0x20)
	x.WriteVariableWithNotify(0, v+7, 2, 5, 0x40)
	x.IfBegin(v, abi.CompareEQ, 1)
	x.Set(v+2, 1)
	x.IfElse()
	x.Set(v+2, 2)
	x.IfEnd()
	x.WhileBegin(v+1, abi.CompareNE, 3)
	x.Set(v+1, 3)
	x.WhileEnd()
	x.DoBegin()
	x.Set(v+1, 4)
	x.DoEnd(v+1, abi.CompareEQ, 5)
	f := x.FunctionBegin()
	x.Set(v+1, 6)
	x.FunctionEnd()
	x.Call(f)
	l := x.LoopBegin(v+2, v+3)
	x.EventWait(e, 1)
	x.LoopEnd()
	x.LoopBegin(v+3, v+2)
	x.EventWait(e, 2)
	x.LoopEnd()
	x.LoopGroup(Group{l, 2, 1, v + 4, 3, 2, v + 5, 0})
}

func TestImportsRecordWhatTheirArgumentsSay(t *testing.T) {
	want := func() []byte {
		r := newRig(t, 2)
		a, _ := r.join(0, 1)
		return r.must(a.unit, everything, a).Image()
	}()
	r := newRig(t, 2)
	var logs []string
	r.dev[0].cfg.Log = func(line string) { logs = append(logs, line) }
	a, _ := r.join(0, 1)
	p, err := r.dev[0].Register(Spec{Binary: r.probe(), Name: "everything", Die: 1, Channels: []*Channel{a}})
	require.NoError(t, err)
	require.Equal(t, Disassemble(want, 0), Disassemble(p.Image(), 0))
	require.Equal(t, []string{"device 0: probe.wasm: everything is recorded"}, logs)
	args, err := p.Args(Invocation{})
	require.NoError(t, err)
	require.Equal(t, []uint64{10, 11}, args)
	require.Len(t, importTable(), len(abi.Lookup(abi.CCU).Imports)-2, "all but log and fail")
	r.dev[0].Close()
}

func TestRecordsReachTheModule(t *testing.T) {
	r := newRig(t, 2)
	a, _, err := Join(End{r.dev[0].units[0], 1, 6}, End{r.dev[1].units[1], 2, 9}, 3)
	require.NoError(t, err)
	p, err := r.dev[0].Register(Spec{Binary: r.probe(), Name: "fields", Rank: 6, World: 11, Operation: 7, Reduce: 2, Dtype: 3, OutDtype: 4, Root: 5,
		Channels: []*Channel{a}, User: []byte{41, 42, 43}})
	require.NoError(t, err)
	v := Invocation{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	args, err := p.Args(v)
	require.NoError(t, err)
	require.Equal(t, []uint64{120, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 3, 41, 256, 0, 0}, args)
	r.one(p, args...)
	first := p.Taken(Variables).First
	for i, want := range []uint64{568, 6, 11, 0, 1, 7, 2, 3, 4, 5, 1, 9, 0, 1, 3, 43} {
		require.Equal(t, want, p.u.xn[first+i], "value %d", i)
	}
}

func TestModulesThatFail(t *testing.T) {
	r := newRig(t, 1)
	r.dev[0].cfg.Fuel = 1_000_000
	b := r.probe()
	register := func(name string) (*Program, error) { return r.dev[0].Register(Spec{Binary: b, Name: name}) }
	for name, want := range map[string]string{
		"traps":   "wasm: plugin probe.wasm: function hsim_ccu_traps: unreachable instruction (the guest gave up)",
		"endless": "events: got a need of 1009 events (CKE), want at most 1008",
		"spins":   "function hsim_ccu_spins: stopped after 1000000 steps without an end",
		"refuses": "function hsim_ccu_refuses: the plugin says: only even ranks",
		"status":  "function hsim_ccu_status: got status -5 (unsupported)",
		"second":  "alu: got an operation of version 2 on a die of version 1",
		"absent":  "got no such program, want one of [endless everything fields ",
	} {
		_, err := register(name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "ccu: register program "+name+" of probe.wasm on device 0 / die 0: ")
	}
	var trap *wasm.Trap
	_, err := register("traps")
	require.ErrorAs(t, err, &trap)
	require.Equal(t, wasm.Unreachable, trap.Reason)
	require.Equal(t, 16, r.dev[0].units[0].Free(Missions), "nothing is taken")

	for name, want := range map[string]string{
		"miscounts":     "launch function: got 3 arguments, want the 0 that the program loads",
		"late":          "variables: got a call outside the recording function",
		"launch_traps":  "wasm: plugin probe.wasm: function hsim_ccu_launch_traps_launch: access outside its memory",
		"launch_status": "launch function: got status -6 (limit)",
	} {
		p, err := register(name)
		require.NoError(t, err)
		_, err = p.Args(Invocation{})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "ccu: launch program "+name+" of probe.wasm on device 0 / die 0: ")
	}
}

func TestModulesThatAreNotPrograms(t *testing.T) {
	r := newRig(t, 1)
	_, err := NewBinary(r.load("../kernel/testdata/probe.wasm", abi.Kernel))
	require.ErrorContains(t, err, "got a module of kind kernel, want ccu")
	_, err = r.dev[0].Register(Spec{Binary: r.probe(), Name: "fields", User: make([]byte, 4096)})
	require.ErrorContains(t, err, "hsim_buffer: got address 0x0 for 6848 bytes, want a multiple of 8 that is not 0")
	_, err = r.dev[0].Register(Spec{Binary: r.probe(), Name: "fields", Channels: make([]*Channel, 65)})
	require.ErrorContains(t, err, "got 65 channels, want at most 64")
}
