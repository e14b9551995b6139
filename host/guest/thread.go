package guest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// thread is one thread of a process: a coroutine with its own stack in the program's memory.
type thread struct {
	p        *Process
	id       int // from 1 on, as the program sees it
	acl      *acl.Thread
	fn       *wasm.Func
	stack    uint32 // its stack in the program's memory, 0 for the first thread
	result   uint32
	done     bool
	joined   bool
	detached bool
	ended    sim.Cond
	failure  error  // of the latest call that failed
	text     uint32 // where aclGetRecentErrMsg put it
	expired  int    // timed waits in a row that ended by their time
	polls    int    // looks at clocks and states at the instant polled
	polled   sim.Time
}

// defaultStack is what a thread gets that asks for nothing: as much as the first one.
const (
	defaultStack = 256 << 10
	minStack     = 2 << 10 // what a thread gets at least
	stackAlign   = 16
)

// A thread's stack ends in words that it must not reach; at every call they are looked at. (The first thread's ends at address
// 0, below which there is no memory.)
const (
	stackMark  = 0x5afe57ac
	stackWords = 4
)

// guard writes the words at the end of a stack.
func (p *Process) guard(stack uint32) {
	if b, err := p.in.Bytes(stack, 4*stackWords); err == nil {
		for i := range stackWords {
			binary.LittleEndian.PutUint32(b[4*i:], stackMark)
		}
	}
}

// overrun says that the thread has used more than its stack.
func (t *thread) overrun() bool {
	if t.stack == 0 {
		return false
	}
	b, err := t.p.in.Bytes(t.stack, 4*stackWords)
	for i := 0; err == nil && i < stackWords; i++ {
		if binary.LittleEndian.Uint32(b[4*i:]) != stackMark {
			return true
		}
	}
	return false
}

// errThreadExit is how pthread_exit unwinds a thread.
var errThreadExit = errors.New("guest: the thread has ended")

func (p *Process) newThread(on *acl.Thread) *thread {
	t := &thread{p: p, id: len(p.threads) + 1, acl: on}
	p.threads = append(p.threads, t)
	p.runners = append(p.runners, on.ID())
	return t
}

// spawn starts a thread that calls the function pointer entry with arg.
func (p *Process) spawn(name string, entry, arg, stack uint32) (*thread, error) {
	if _, ok := p.in.Stack(); !ok {
		return nil, fmt.Errorf("guest: thread of %s: got a program without __stack_pointer among its names (build it with hsim cc, without -s)", p.in.Module().Name())
	}
	switch {
	case stack == 0:
		stack = defaultStack
	case stack > windowBase-stackAlign:
		return nil, fmt.Errorf("guest: thread of %s: got a stack of %d bytes, want less than the %d of a program's memory", p.in.Module().Name(), stack, int64(windowBase))
	}
	stack = max(stack, minStack)
	fn, err := p.in.TableFunc(name, entry, []abi.ValType{abi.I32}, []abi.ValType{abi.I32})
	if err != nil {
		return nil, err
	}
	return p.run(name, fn, stack, arg)
}

// run starts a thread on a function.
func (p *Process) run(name string, fn *wasm.Func, stack uint32, args ...uint32) (*thread, error) {
	stack = (stack + stackAlign - 1) &^ (stackAlign - 1)
	at, ok := p.heap.alloc(stack)
	if !ok {
		return nil, fmt.Errorf("guest: thread of %s: got no memory for a stack of %d bytes", p.in.Module().Name(), stack)
	}
	p.guard(at)
	var t *thread
	p.live++
	on := p.acl.Go(fmt.Sprintf("%s %d", name, len(p.threads)+1), func(*acl.Thread) {
		p.in.SetStack(at + stack)
		p.refill()
		var list [4]uint64
		for i, a := range args {
			list[i] = uint64(a)
		}
		r, err := t.fn.Call(list[:len(args)]...)
		if err == nil {
			t.result = uint32(r)
		}
		t.leave(err)
	})
	t = p.newThread(on)
	t.fn, t.stack = fn, at
	t.fn.Ctx().Data = t
	return t, nil
}

// leave ends the thread; the end of main, a trap or exit ends the process.
func (t *thread) leave(err error) {
	if errors.Is(err, sim.ErrHalted) {
		panic(sim.ErrHalted) // the run or the process has ended; the engine unwinds this coroutine
	}
	p := t.p
	t.done = true
	p.live--
	if t.id == 1 || err != nil && !errors.Is(err, errThreadExit) {
		p.exit(t, err)
		return
	}
	p.heap.free(t.stack)
	t.ended.Broadcast(p.sys.eng)
	if t.detached {
		p.threads[t.id-1] = nil
	}
}

// blocked is what a thread keeps of the program while others may run.
type blocked struct {
	p  *Process
	sp uint32
}

// block prepares for other threads to run: the device may look at the program's memory, and the stack pointer is theirs to
// change.
func (t *thread) block() blocked {
	t.p.host.settle()
	sp, _ := t.p.in.Stack()
	return blocked{t.p, sp}
}

// resume gives the program back to the thread that blocked.
func (b blocked) resume() {
	b.p.in.SetStack(b.sp)
	b.p.refill()
}

// refill gives the process its steps again once virtual time has advanced.
func (p *Process) refill() {
	if now := p.sys.eng.Now(); now != p.refilled {
		p.refilled = now
		p.in.Refill()
	}
}

// maxExpired is how many timed waits of a thread may end by their time, one after the other, before the thread counts as one
// that waits for what nobody does.
const maxExpired = 100

// timed makes a wait for which the program has set a time; f says whether it ended otherwise. The program goes on after its
// time: that is no stall, unless it does so again and again while nobody else can do anything.
func (t *thread) timed(f func() bool) {
	if e := t.p.sys.eng; t.expired < maxExpired {
		e.Hold()
		defer e.Release() // also when the process ends meanwhile
	}
	if f() {
		t.expired = 0
	} else {
		t.expired++
	}
}

// A thread that only looks (at a clock, at whether something is done, yields) would look for ever at one instant, where
// looking costs no time. After so many looks each one takes a while.
const (
	maxPolls = 256
	pollTime = sim.Microsecond
)

// spins counts a look and lets time pass when there have been too many; it says whether it did. The caller has called block.
func (t *thread) spins() bool {
	if now := t.p.sys.eng.Now(); now != t.polled {
		t.polled, t.polls = now, 0
	}
	if t.polls++; t.polls <= maxPolls {
		return false
	}
	t.acl.Proc().Sleep(pollTime)
	return true
}

// invoke calls a function pointer of the program on the calling thread, from inside one of its calls.
func (t *thread) invoke(name string, entry uint32, args ...uint32) error {
	params := make([]abi.ValType, len(args))
	var list [4]uint64
	for i, a := range args {
		params[i], list[i] = abi.I32, uint64(a)
	}
	fn, err := t.p.in.TableFunc(name, entry, params, nil)
	if err != nil {
		return err
	}
	fn.Ctx().Data = t
	_, err = fn.Call(list[:len(args)]...)
	return err
}
