package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

func TestProgramsThatNeedMoreThanADieHas(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[1]
	take := func(f func(x *Recorder)) func(x *Recorder) {
		return func(x *Recorder) {
			f(x)
			x.EventRecord(x.Events(1), 1)
		}
	}
	for want, f := range map[string]func(x *Recorder){
		"variables: got a need of 3025 variables (Xn), want at most 3024: a die has no more": func(x *Recorder) { x.Variables(3000); x.Variables(25) },
		"addresses: got a need of 3025 addresses (GSA), want at most 3024":                   func(x *Recorder) { x.Addresses(3025) },
		"events: got a need of 1009 events (CKE), want at most 1008":                         func(x *Recorder) { x.Events(1009) },
		"buffers: got a need of 1537 buffers (MS), want at most 1536":                        func(x *Recorder) { x.Buffers(1537) },
		"buffers: got a need of 4294967295 buffers (MS), want at most 1536":                  func(x *Recorder) { x.Buffers(^uint32(0)) },
		"got a need of 32769 instructions, want at most 32768: a die has no more":            func(x *Recorder) { v := x.Variables(1); repeat(32768, func() { x.Set(v, 1) }) },
		"variables: got 0, want at least 1":                                                  func(x *Recorder) { x.Variables(0) },
		"load_arg: arg: got 256, want 0 to 255":                                              func(x *Recorder) { x.LoadArg(x.Variables(1), 256) },
		"end of the program: got no operation, want at least one":                            nil,
	} {
		if f == nil {
			r.refused(u, want, func(*Recorder) {})
			continue
		}
		r.refused(u, want, take(f))
	}
	var limit *LimitError
	require.ErrorAs(t, r.refused(u, "", take(func(x *Recorder) { v := x.Variables(1); repeat(32768, func() { x.Set(v, 1) }) })), &limit)
	require.Equal(t, LimitError{Resource: Instructions, Need: 32769, Usable: 32768, Free: 32768, Largest: 32768}, *limit)
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// Requests are runs, rounded up to granules: what is left in pieces does not add up.
func TestBlocksOfGranules(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	for res, want := range map[Resource][2]int{Variables: {48, 16}, Addresses: {48, 16}, Events: {16, 16}, Buffers: {0, 128}, Loops: {0, 16}, Channels: {2, 1}, Missions: {0, 2}} {
		b, err := u.Take(res, 1)
		require.NoError(t, err)
		require.Equal(t, Block{want[0], want[1]}, b, res)
		require.NoError(t, u.Give(res, b))
	}
	var blocks []Block
	for {
		b, err := u.Take(Events, 20) // 32 each
		if err != nil {
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			break
		}
		blocks = append(blocks, b)
	}
	require.Len(t, blocks, 31)
	require.Equal(t, 16, u.Free(Events))
	require.NoError(t, u.Give(Events, blocks[3]))
	require.NoError(t, u.Give(Events, blocks[7]))
	_, err := u.Take(Events, 64)
	require.ErrorContains(t, err, "got a need of 64 events (CKE) in one piece, want at most 32: of 1008 that the die has, 80 are free, but not side by side")
	_, err = u.Take(Events, 32)
	require.NoError(t, err)
	require.ErrorContains(t, u.Give(Events, blocks[7]), "want a block that was taken")
	require.ErrorContains(t, u.Give(Events, Block{17, 16}), "want a block that was taken")
	// The other die has pools of its own.
	b, err := r.dev[0].units[1].Take(Events, 1008)
	require.NoError(t, err)
	require.Equal(t, Block{16, 1008}, b)
}

func TestMissionsAreTheSameOnAllDies(t *testing.T) {
	r := newRig(t, 1)
	var last *Program
	for i := range 8 {
		last = r.must(r.dev[0].units[i%2], func(x *Recorder) { x.EventRecord(x.Events(1), 1) })
		require.Equal(t, 2*i, last.Mission())
	}
	r.refused(r.dev[0].units[0], "got a need of 2 missions in one piece, want at most 0: of 16 that the die has, the others are in use",
		func(x *Recorder) { x.EventRecord(x.Events(1), 1) })
	shared, err := r.program(r.dev[0].units[0], "shared", nil, last, func(x *Recorder) { x.EventRecord(x.Events(1), 1) })
	require.NoError(t, err)
	require.Equal(t, 14, shared.Mission())
	require.NoError(t, last.Close())
	require.ErrorContains(t, last.Close(), "a second time")
	require.Equal(t, 0, r.dev[0].units[0].Free(Missions), "shared still has it")
	require.NoError(t, shared.Close())
	require.Equal(t, 2, r.dev[0].units[0].Free(Missions))
}

func TestChannelsShareGranules(t *testing.T) {
	r := newRig(t, 2)
	u := r.dev[0].units[1]
	free := func() [3]int { return [3]int{u.Free(Events), u.Free(Variables), u.Free(Channels)} }
	start := free()
	var list []*Channel
	for range 5 {
		a, _ := r.join(0, 1)
		list = append(list, a)
	}
	require.Equal(t, [3]int{start[0] - 48, start[1] - 48, start[2] - 5}, free())
	require.Equal(t, list[0].events+8, list[1].events)
	list[0].Close()
	list[0].Close()
	a, _ := r.join(0, 1)
	require.Equal(t, list[0].events, a.events, "the half is taken again")
	for _, c := range append(list[1:], a) {
		c.Close()
	}
	require.Equal(t, start, free())
	for {
		x, _, err := Join(End{u, 1, 0}, End{r.dev[1].units[1], 2, 1}, 0)
		if err != nil {
			require.ErrorContains(t, err, "126 that the die has")
			break
		}
		list = append(list, x)
	}
	require.Len(t, list, 5+126-5+5, "all but the two of the die itself")
}

func TestWhatIsIllegalInABody(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	for name, f := range map[string]func(x *Recorder, v int32){
		"if_begin":       func(x *Recorder, v int32) { x.IfBegin(v, abi.CompareEQ, 0) },
		"while_begin":    func(x *Recorder, v int32) { x.WhileBegin(v, abi.CompareEQ, 0) },
		"do_begin":       func(x *Recorder, v int32) { x.DoBegin() },
		"event_record":   func(x *Recorder, v int32) { x.EventRecord(x.Events(1), 1) },
		"tag_record":     func(x *Recorder, v int32) { x.TagRecord("a", 1) },
		"set":            func(x *Recorder, v int32) { x.Set(v, 1) },
		"add":            func(x *Recorder, v int32) { x.Add(v, v, v) },
		"address_set":    func(x *Recorder, v int32) { x.AddressSet(x.Addresses(1), 0) },
		"call":           func(x *Recorder, v int32) { x.Call(0) },
		"function_begin": func(x *Recorder, v int32) { x.FunctionBegin() },
		"loop_begin":     func(x *Recorder, v int32) { x.LoopBegin(v, v) },
		"loop_group":     func(x *Recorder, v int32) { x.LoopGroup(Group{}) },
		"load_arg":       func(x *Recorder, v int32) { x.LoadArg(v, 0) },
		"store":          func(x *Recorder, v int32) { x.Store(Mem{x.Addresses(1), v}, v, 1, Done{x.Events(1), 1}) },
	} {
		r.refused(u, name+": got it in the body of a loop, want only moves, reductions and waits there", func(x *Recorder) {
			v := x.Variables(1)
			x.LoopBegin(v, v)
			f(x, v)
		})
	}
}

func TestProgramsThatAreWrong(t *testing.T) {
	r := newRig(t, 2)
	a, _ := r.join(0, 1)
	u, other := a.unit, r.dev[0].units[0]
	move := func(x *Recorder, channel uint32) {
		v, at := x.Variables(1), x.Addresses(1)
		x.Write(channel, Mem{at, v}, Mem{at, v}, v, Done{x.Events(1), 1})
	}
	r.refused(other, "write: channel: got channel 0 of die 1 in a program of die 0, want a channel of the program's own die",
		func(x *Recorder) { move(x, 0) }, a)
	r.refused(u, "write: channel: got 1, want less than the 1 of the registration", func(x *Recorder) { move(x, 1) }, a)
	for want, f := range map[string]func(x *Recorder){
		"set: var: got an address, want a variable that was taken before":      func(x *Recorder) { x.Set(x.Addresses(1), 1) },
		"set: var: got 0, want a variable":                                     func(x *Recorder) { x.Set(0, 1) },
		"set: var: got 3, want a variable":                                     func(x *Recorder) { x.Variables(2); x.Set(3, 1) },
		"event_wait: event: got a variable, want an event":                     func(x *Recorder) { x.EventWait(x.Variables(1), 1) },
		"event_wait: mask: got 0x0, want 1 to 16 bits":                         func(x *Recorder) { x.EventWait(x.Events(1), 0) },
		"event_record: mask: got 0x10000, want 1 to 16 bits":                   func(x *Recorder) { x.EventRecord(x.Events(1), 1<<16) },
		"notify_wait: index: got 8, want 0 to 7":                               func(x *Recorder) { x.NotifyWait(0, 8, 1) },
		"channel_variable: index: got 8, want 0 to 7":                          func(x *Recorder) { x.ChannelVariable(0, 8) },
		"load_arg: got argument 1 after another operation":                     func(x *Recorder) { v := x.Variables(1); x.Set(v, 1); x.LoadArg(v, 1) },
		"load_arg: got argument 0 a second time":                               func(x *Recorder) { v := x.Variables(1); x.LoadArg(v, 0); x.LoadArg(v, 0) },
		"got 1 arguments without number 0, want 0 to 0":                        func(x *Recorder) { x.LoadArg(x.Variables(1), 3) },
		"got no if_end, want one for every if_begin":                           func(x *Recorder) { x.IfBegin(x.Variables(1), abi.CompareEQ, 0) },
		"while_end: got it in an open if_begin, want if_end first":             func(x *Recorder) { x.IfBegin(x.Variables(1), abi.CompareEQ, 0); x.WhileEnd() },
		"if_else: got it without if_begin":                                     func(x *Recorder) { x.IfElse() },
		"if_begin: compare: got a relation of version 2 on a die of version 1": func(x *Recorder) { x.IfBegin(x.Variables(1), abi.CompareLT, 0) },
		"do_end: compare: got 9, want 0 to 5":                                  func(x *Recorder) { x.DoBegin(); x.DoEnd(x.Variables(1), 9, 0) },
		"call: got a function that calls itself":                               func(x *Recorder) { x.Call(x.FunctionBegin()) },
		"function_begin: got it inside a function":                             func(x *Recorder) { x.FunctionBegin(); x.FunctionBegin() },
		"loop_end: got an empty body":                                          func(x *Recorder) { v := x.Variables(1); x.LoopBegin(v, v); x.LoopEnd() },
		"got loop 1 in no loop_group": func(x *Recorder) {
			v := x.Variables(1)
			x.LoopBegin(v, v)
			x.EventWait(x.Events(1), 1)
			x.LoopEnd()
		},
		"loop_group: first: got 0, want a loop": func(x *Recorder) { x.LoopGroup(Group{}) },
		"buffer_reduce: count: got 9, want 2 to 8 buffers": func(x *Recorder) {
			x.BufferReduce(x.Buffers(9), 9, mem.FP32, mem.FP32, mem.Sum, x.Variables(1), Done{x.Events(1), 1})
		},
		"buffer_reduce: buffer: got 3 from there on, want at most the 2 that were taken together": func(x *Recorder) {
			x.BufferReduce(x.Buffers(2), 3, mem.FP32, mem.FP32, mem.Sum, x.Variables(1), Done{x.Events(1), 1})
		},
		"buffer_reduce: got prod of fp32": func(x *Recorder) {
			x.BufferReduce(x.Buffers(2), 2, mem.FP32, mem.FP32, mem.Prod, x.Variables(1), Done{x.Events(1), 1})
		},
		"buffer_reduce: out_dtype: got fp32 from int8, want the same type": func(x *Recorder) {
			x.BufferReduce(x.Buffers(2), 2, mem.Int8, mem.FP32, mem.Sum, x.Variables(1), Done{x.Events(1), 1})
		},
		"local_reduce: got sum of int64": func(x *Recorder) {
			v, at := x.Variables(1), x.Addresses(1)
			x.LocalReduce(Mem{at, v}, Mem{at, v}, v, mem.Int64, mem.Sum, Done{x.Events(1), 1})
		},
	} {
		r.refused(u, want, f, a)
	}
}

func TestVersions(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	for _, name := range []string{"alu", "alu_const", "sync_add", "variable_wait"} {
		r.refused(u, name+": got an operation of version 2 on a die of version 1", func(x *Recorder) { x.second(name) })
	}
	r.refused(u, "variable_step: got 1, want 0: version 1 clones have no variables of their own", func(x *Recorder) {
		v := x.Variables(1)
		l := x.LoopBegin(v, v)
		x.EventWait(x.Events(1), 1)
		x.LoopEnd()
		x.LoopGroup(Group{First: l, Loops: 1, Repeats: v, AddressStep: v, VariableStep: 1})
	})
	r = newRig(t, 1, func(c *soc.Chip) { c.CCU.Version = 2 })
	r.refused(r.dev[0].units[0], "got a die of version 2, want version 1", func(x *Recorder) { x.EventRecord(x.Events(1), 1) })

	p, err := soc.Load("a3")
	require.NoError(t, err)
	_, err = New(Config{Sim: sim.New(1), Chip: p.Chip(), Mem: mem.NewSpace(mem.Real), Name: func() string { return "device 0" }})
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "ccu: device 0: the chip has no collective communication unit: chip a3")
	_, err = r.dev[0].Unit(2)
	require.ErrorContains(t, err, "got die 2, want 0 to 1")
}
