package guest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// fuzzer makes calls with arguments that no sane program has, among some that a sane one has: null, wild numbers, handles of
// another kind, destroyed ones, pointers into and past memory.
type fuzzer struct {
	r      *rand.Rand
	left   int
	funcs  []*abi.Func
	bound  map[string]wasm.Import
	pool   map[string][]uint32 // what calls have given, by type
	room   uint32              // memory of the program
	begun  map[int]bool
	last   uint32 // result
	byName map[string]*abi.Func
	codes  map[string]map[uint32]int
	log    []string
}

const fuzzRoom = 8192

// notFuzzed end the caller, wait for the other processes, or are the hook of this test.
var notFuzzed = []string{"thread_exit", "process_exchange", "process_server"}

func newFuzzer(seed uint64, calls int) *fuzzer {
	f := &fuzzer{r: rand.New(rand.NewPCG(seed, 1)), left: calls, bound: imports(), pool: map[string][]uint32{}, codes: map[string]map[uint32]int{},
		begun: map[int]bool{}, byName: map[string]*abi.Func{}}
	for _, x := range abi.Lookup(abi.Program).Imports {
		if !slices.Contains(notFuzzed, x.Name) && x.Module != abi.ModuleHCCL && !strings.HasPrefix(x.Name, "Hccl") {
			f.funcs = append(f.funcs, &x)
			f.byName[x.Name] = &x
		}
	}
	return f
}

// one makes one call on behalf of the program.
func (f *fuzzer) one(ctx *wasm.CallCtx, a []uint64) {
	t := ctx.Data.(*thread)
	if f.left--; f.left < 0 {
		a[0] = uint64(uint32(0xffffffff))
		return
	}
	if f.room == 0 {
		f.prepare(t)
	}
	if !f.begun[t.id] {
		f.begun[t.id] = true
		for _, name := range first {
			for n := range 40 {
				if f.make(ctx, f.byName[name]); f.last == 0 || n == 39 {
					break
				}
			}
		}
	}
	x := f.funcs[f.r.IntN(len(f.funcs))]
	if slices.Contains(seldom, x.Name) && f.r.IntN(20) > 0 {
		x = f.byName["aclrtSetDevice"]
	}
	f.make(ctx, x)
	a[0] = 0
}

// first is what each thread calls, until it succeeds, so that there is something to go wrong.
var first = strings.Fields(`aclrtSetDevice aclrtCreateStream aclrtCreateStream aclrtCreateEventWithFlag aclrtCreateEvent aclrtCreateNotify aclrtMalloc aclrtMalloc
	aclrtMallocHost aclrtBinaryLoadFromFile aclrtBinaryGetFunction aclrtKernelArgsInit aclrtKernelArgsFinalize aclrtLaunchKernelWithConfig
	aclrtReserveMemAddress aclrtMallocPhysical aclrtMapMem aclrtCreateContext aclrtCreateStream aclrtSetDevice rtCcuBufAlloc rtVariableCreate
	aclrtSubscribeReport aclrtDeviceEnablePeerAccess`)

// seldom are calls after which little is left to try.
var seldom = []string{"aclFinalize", "aclrtResetDevice", "rtResetDevice", "aclrtResetDeviceForce", "aclrtDestroyContext", "rtDestroyContext"}

func (f *fuzzer) make(ctx *wasm.CallCtx, x *abi.Func) {
	t := ctx.Data.(*thread)
	stack := make([]uint64, max(len(x.Args), 1))
	for i := range x.Args {
		stack[i] = f.arg(t, x, i)
	}
	given := slices.Clone(stack)
	line := fmt.Sprintf("%s%x", x.Name, stack[:len(x.Args)])
	f.log = append(f.log, line)
	f.bound[x.Name](ctx, stack)
	code := uint32(stack[0])
	f.log[len(f.log)-1] += fmt.Sprint(" = ", code)
	if strings.HasPrefix(x.Result, "acl") {
		if f.codes[x.Name] == nil {
			f.codes[x.Name] = map[uint32]int{}
		}
		if x.Result == "aclError" {
			f.codes[x.Name][code]++
		}
	}
	f.last = code
	f.learn(t, x, given, code)
}

// prepare takes room for results and names.
func (f *fuzzer) prepare(t *thread) {
	at, ok := t.p.heap.alloc(fuzzRoom)
	if !ok {
		panic("no room")
	}
	f.room = at
	for i, name := range []string{"empty", "send", "../acl/testdata/rules.wasm", "nobody"} {
		c := call{t: t}
		c.putText(at+4096+uint32(i)*64, name)
	}
}

var strange = []uint32{0, 1, 2, 3, 7, 8, 0xffffffff, 0x7fffffff, 0x80000000, 0x7ffffff8, 0xfffffff0, 0x10000000, 0x08000008, 0x12345678, 65, 100, 4096, 1 << 21}

func (f *fuzzer) odd() uint32 { return strange[f.r.IntN(len(strange))] }

// any is a value of some pool, in a fixed order.
func (f *fuzzer) any() uint32 {
	var names []string
	for n := range f.pool {
		names = append(names, n)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return f.odd()
	}
	list := f.pool[names[f.r.IntN(len(names))]]
	return list[f.r.IntN(len(list))]
}

func (f *fuzzer) arg(t *thread, x *abi.Func, i int) uint64 {
	a := x.Args[i]
	typ := strings.TrimPrefix(a.Type, "const ")
	if a.Wasm() == abi.I64 {
		switch f.r.IntN(4) {
		case 0:
			return f.r.Uint64() >> f.r.IntN(64)
		case 1:
			return uint64(int64(int32(f.odd())))
		}
		return uint64(f.r.IntN(5))
	}
	switch f.r.IntN(10) {
	case 0:
		return uint64(f.odd())
	case 1:
		return uint64(f.any())
	case 2:
		return uint64(uint32(len(t.p.in.Memory()))) - uint64(f.r.IntN(10))
	}
	if pointed, ok := strings.CutSuffix(strings.TrimSuffix(typ, "const"), "*"); ok {
		pointed = strings.TrimSpace(pointed)
		switch {
		case pointed == "char" && f.r.IntN(2) == 0:
			return uint64(f.room + 4096 + uint32(f.r.IntN(4))*64)
		case pointed == "void" && f.r.IntN(4) > 0:
			if list := f.pool["void*"]; len(list) > 0 {
				p := list[f.r.IntN(len(list))]
				if f.r.IntN(4) == 0 {
					p += f.odd() & 0x1fff
				}
				return uint64(p)
			}
		}
		return uint64(f.room + uint32(f.r.IntN(40))*96 + uint32(f.r.IntN(2)))
	}
	switch {
	case f.pool[typ] != nil:
		list := f.pool[typ]
		if f.r.IntN(3) > 0 {
			return uint64(list[len(list)-1])
		}
		return uint64(list[f.r.IntN(len(list))])
	case strings.HasPrefix(typ, "aclrt") && strings.Contains(strings.ToLower(typ), "callback"):
		return uint64(f.r.IntN(8))
	}
	if f.r.IntN(6) == 0 {
		return uint64(f.r.Uint32() >> f.r.IntN(32))
	}
	return uint64(f.r.IntN(4))
}

// learn keeps what a call has given.
func (f *fuzzer) learn(t *thread, x *abi.Func, given []uint64, code uint32) {
	c := call{t: t}
	keep := func(typ string, v uint32) {
		if v != 0 && len(f.pool[typ]) < 64 {
			f.pool[typ] = append(f.pool[typ], v)
		}
	}
	if x.Result == "aclrtBinary" {
		keep("aclrtBinary", code)
	}
	if x.Result == "aclrtStreamConfigHandle *" {
		keep("void*", code)
	}
	if code != 0 || x.Result != "aclError" {
		return
	}
	for i, a := range x.Args {
		p, ok := strings.CutSuffix(a.Type, "*")
		if !ok || strings.HasPrefix(a.Type, "const") {
			continue
		}
		p = strings.TrimSpace(p)
		switch {
		case p == "void *" || p == "void*":
			keep("void*", c.word(uint32(given[i])))
		case strings.HasPrefix(p, "aclrt") || strings.HasPrefix(p, "aclmdl") || strings.HasPrefix(p, "rt"):
			keep(p, c.word(uint32(given[i])))
		}
	}
}

// TestStrangeCalls makes calls of every function with arguments of all sorts: they are answered with codes, waiting for what
// never comes is a stall, and a process beside them notices nothing.
func TestStrangeCalls(t *testing.T) {
	seeds, calls := uint64(40), 2000
	if n, err := strconv.Atoi(os.Getenv("HSIM_FUZZ")); err == nil {
		seeds = uint64(n)
	}
	chips := []string{"950dt", "a3", "910", "ideal"}
	reached := map[string]map[uint32]int{}
	for seed := range seeds {
		chip := chips[seed%uint64(len(chips))]
		t.Run(fmt.Sprintf("seed %d on %s", seed, chip), func(t *testing.T) {
			f := newFuzzer(seed, calls)
			defer func() {
				if x := recover(); x != nil {
					t.Fatalf("panic: %v after\n%s", x, strings.Join(f.log[max(0, len(f.log)-12):], "\n"))
				}
			}()
			r := newRig(t, rigConfig{chip: chip, devices: 2, guest: func(g *Config) { g.Pages = 512 }})
			table := imports()
			table["process_server"] = f.one
			r.prog.bound = wasm.Bind(abi.Program, table)
			j, res := r.run(r.job(r.program("wild"), 2))
			require.Contains(t, r.out, "1 0 wrong", "%v %v", res.Reason, res.Stall)
			code, ok := j.Processes()[1].Exit()
			require.True(t, ok)
			require.Zero(t, code)
			if err := j.Processes()[0].Err(); err != nil {
				require.NotContains(t, err.Error(), "panic", "%v", f.log[max(0, len(f.log)-12):])
			}
			require.LessOrEqual(t, res.End, sim.Forever)
			for name, codes := range f.codes {
				if reached[name] == nil {
					reached[name] = map[uint32]int{}
				}
				for c, n := range codes {
					require.True(t, c == 0 || strings.HasPrefix(acl.Code(c).String(), "ACL"), "%s answers %d", name, c)
					reached[name][c] += n
				}
			}
		})
	}
	require.Greater(t, len(reached), 150, "hardly any function was called")
}
