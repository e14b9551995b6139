package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// handleCalls are the calls that take a handle of a kind: with null, with a wild
// one, with one of another process, with a destroyed one.
func handleCalls(b *bench, th *Thread) map[string]struct {
	call                       func(wild int) error // 0 null, 1 wild, 2 of another process, 3 destroyed
	null, wild, other, destroy Code
} {
	type row = struct {
		call                       func(wild int) error
		null, wild, other, destroy Code
	}
	f := b.foreign
	s, e, n := [4]*Stream{nil, {}, f.s, f.deadS}, [4]*Event{nil, {}, f.e, f.deadE}, [4]*Notify{nil, {}, f.n, f.deadN}
	c, h, m := [4]*Context{nil, {}, f.c, f.deadC}, [4]*PhysHandle{nil, {}, f.h, f.deadH}, [4]*Model{nil, {}, f.m, f.deadM}
	v, u := [4]*Variable{nil, {}, f.v, f.deadV}, [4]*CcuBuf{nil, {}, f.u, f.deadU}
	bin, fn := [4]*Binary{nil, {}, f.bin, f.deadBin}, [4]*Function{nil, {}, f.fn, f.deadFn}
	on := f.mine
	second := func(_ any, err error) error { return err }
	return map[string]row{
		"DestroyStream":      {func(i int) error { return th.DestroyStream(s[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"DestroyStreamForce": {func(i int) error { return th.DestroyStreamForce(s[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"SynchronizeStream":  {func(i int) error { return th.SynchronizeStream(s[i]) }, Success, InvalidHandle, InvalidHandle, InvalidHandle},
		"StopStream":         {func(i int) error { return th.StopStream(s[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"GetStreamAttribute": {func(i int) error { return second(th.GetStreamAttribute(s[i], AttrUserTag)) }, Success, InvalidHandle, InvalidHandle, InvalidHandle},
		"RecordEvent on":     {func(i int) error { return th.RecordEvent(on, s[i]) }, Success, InvalidHandle, InvalidHandle, InvalidHandle},
		"SubscribeReport":    {func(i int) error { return th.SubscribeReport(77, s[i]) }, Success, InvalidHandle, InvalidHandle, InvalidHandle},
		"RICaptureBegin":     {func(i int) error { return th.RICaptureBegin(s[i], 0) }, StreamCaptureImplicit, InvalidHandle, InvalidHandle, InvalidHandle},

		"RecordEvent":      {func(i int) error { return th.RecordEvent(e[i], nil) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"StreamWaitEvent":  {func(i int) error { return th.StreamWaitEvent(nil, e[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"SynchronizeEvent": {func(i int) error { return th.SynchronizeEvent(e[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"ResetEvent":       {func(i int) error { return th.ResetEvent(e[i], nil) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"QueryEventStatus": {func(i int) error { return second(th.QueryEventStatus(e[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"GetEventId":       {func(i int) error { return second(th.GetEventId(e[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"EventElapsedTime": {func(i int) error { return second(th.EventElapsedTime(on, e[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"DestroyEvent":     {func(i int) error { return th.DestroyEvent(e[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},

		"RecordNotify":       {func(i int) error { return th.RecordNotify(n[i], nil) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"WaitAndResetNotify": {func(i int) error { return th.WaitAndResetNotify(n[i], nil, 1) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"GetNotifyId":        {func(i int) error { return second(th.GetNotifyId(n[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"NotifyGetExportKey": {func(i int) error { return second(th.NotifyGetExportKey(n[i], 65, 0)) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"NotifySetImportPid": {func(i int) error { return th.NotifySetImportPid(n[i], 1) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"DestroyNotify":      {func(i int) error { return th.DestroyNotify(n[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},

		"SetCurrentContext": {func(i int) error { return th.SetCurrentContext(c[i]) }, ParamInvalid, ParamInvalid, ParamInvalid, ContextNull},
		"DestroyContext":    {func(i int) error { return th.DestroyContext(c[i]) }, ParamInvalid, ParamInvalid, ParamInvalid, ContextNull},

		"FreePhysical":               {func(i int) error { return th.FreePhysical(h[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"MapMem":                     {func(i int) error { return th.MapMem(1, 1, 0, h[i], 0) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"MemExportToShareableHandle": {func(i int) error { return second(th.MemExportToShareableHandle(h[i], 0, 0)) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},

		"RIExecuteAsync": {func(i int) error { return th.RIExecuteAsync(m[i], nil) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"RIDestroy":      {func(i int) error { return th.RIDestroy(m[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},

		"VariableSet":     {func(i int) error { return th.VariableSet(v[i], 1) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"VariableDestroy": {func(i int) error { return th.VariableDestroy(v[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"CcuBufFree":      {func(i int) error { return th.CcuBufFree(u[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"CcuBufGetAddr":   {func(i int) error { return second(th.CcuBufGetAddr(u[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},

		"BinaryGetFunction": {func(i int) error { return second(th.BinaryGetFunction(bin[i], "empty")) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"BinaryUnLoad":      {func(i int) error { return th.BinaryUnLoad(bin[i]) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"RegisterCpuFunc":   {func(i int) error { return second(th.RegisterCpuFunc(bin[i], "send", "x")) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"GetFunctionName":   {func(i int) error { return second(th.GetFunctionName(fn[i], 99)) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"KernelArgsInit":    {func(i int) error { return second(th.KernelArgsInit(fn[i])) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
		"LaunchKernel":      {func(i int) error { return th.LaunchKernel(fn[i], 1, 0, 0, nil) }, ParamInvalid, InvalidHandle, InvalidHandle, InvalidHandle},
	}
}

// strangers are objects that a thread must not use.
type strangers struct {
	mine         *Event
	s, deadS     *Stream
	e, deadE     *Event
	n, deadN     *Notify
	c, deadC     *Context
	h, deadH     *PhysHandle
	m, deadM     *Model
	v, deadV     *Variable
	u, deadU     *CcuBuf
	bin, deadBin *Binary
	fn, deadFn   *Function
}

// objects makes one object of each kind.
func (b *bench) objects(th *Thread) (f strangers) {
	var err [11]error
	f.c, err[0] = th.CreateContext(0)
	b.must(th.SetDevice(0))
	f.s, err[1] = th.CreateStream()
	f.e, err[2] = th.CreateEvent()
	f.n, err[3] = th.CreateNotify(0)
	f.h, err[4] = th.MallocPhysical(hugePage, hbm, 0)
	f.v, err[5] = th.VariableCreate(0, 0)
	f.u, err[6] = th.CcuBufAlloc(0, 0, 1)
	f.bin, err[7] = th.BinaryLoadFromFile(rulesModule)
	b.must(err[7])
	f.fn, err[8] = th.BinaryGetFunction(f.bin, "empty")
	err[9] = th.RICaptureBegin(f.s, CaptureRelaxed)
	f.m, err[10] = th.RICaptureEnd(f.s)
	b.must(err[:]...)
	return f
}

// Null, wild, foreign and destroyed handles give the code of the table, change
// nothing, and hold nobody up.
func TestMisuseOfHandles(t *testing.T) {
	b := newBench(t, profile(t, "950dt"), 1)
	b.loadKernels()
	owner, user := b.process(), b.process()
	owner.Go("owner", func(th *Thread) {
		b.must(th.SetDevice(0))
		b.foreign = b.objects(th)
	})
	user.Go("user", func(th *Thread) {
		th.Proc().Sleep(ms)
		b.must(th.SetDevice(0))
		d := b.objects(th)
		b.must(th.DestroyContext(d.c), th.RIDestroy(d.m), th.DestroyStream(d.s), th.DestroyEvent(d.e), th.DestroyNotify(d.n), th.FreePhysical(d.h),
			th.VariableDestroy(d.v), th.CcuBufFree(d.u), th.BinaryUnLoad(d.bin))
		f := &b.foreign
		f.deadC, f.deadM, f.deadS, f.deadE, f.deadN, f.deadH, f.deadV, f.deadU, f.deadBin, f.deadFn = d.c, d.m, d.s, d.e, d.n, d.h, d.v, d.u, d.bin, d.fn
		var err error
		f.mine, err = th.CreateEvent()
		b.must(err, th.RecordEvent(f.mine, nil), th.SynchronizeStream(nil))
		tasks := 0
		for name, x := range handleCalls(b, th) {
			before := len(b.rt.Tasks())
			assert.Equal(t, x.null, CodeOf(x.call(0)), "%s with null", name)
			tasks += len(b.rt.Tasks()) - before
			before = len(b.rt.Tasks())
			for i, want := range map[int]Code{1: x.wild, 2: x.other, 3: x.destroy} {
				err := x.call(i)
				assert.Equal(t, want, CodeOf(err), "%s with a handle of sort %d: %v", name, i, err)
			}
			assert.Len(t, b.rt.Tasks(), before, "%s queued something", name)
		}
		b.must(th.SynchronizeStream(nil))
		assert.Equal(t, 1, tasks, "a record on the default stream")
		assert.NotNil(t, th.Current())
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
	for _, gone := range []bool{b.foreign.s.Gone, b.foreign.e.Gone, b.foreign.n.Gone, b.foreign.c.Gone, b.foreign.h.Gone, b.foreign.m.Gone, b.foreign.bin.Gone} {
		assert.False(t, gone, "the owner's objects live")
	}
}

// Numbers of handles: the same for the same object, wild where they were never
// given out, of another kind, of another process, or beside one.
func TestHandleNumbers(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		p := th.Process()
		s, err := th.CreateStream()
		b.must(err)
		e, err := th.CreateEvent()
		b.must(err)
		hs, he := HandleOf(p, s), HandleOf(p, e)
		assert.Equal(t, hs, HandleOf(p, s))
		assert.NotEqual(t, hs, he)
		assert.Zero(t, HandleOf[Stream](p, nil))
		assert.Same(t, s, p.StreamOf(hs))
		assert.Nil(t, p.StreamOf(0))
		for _, wild := range []Handle{he, hs + 1, hs + 8, hs - 8, 7, 1 << 31} {
			b.code(InvalidHandle, th.SynchronizeStream(p.StreamOf(wild)))
			b.code(InvalidHandle, th.DestroyStream(p.StreamOf(wild)))
		}
		b.must(th.DestroyStream(p.StreamOf(hs)))
		err = th.SynchronizeStream(p.StreamOf(hs))
		b.code(InvalidHandle, err)
		assert.ErrorContains(t, err, "was destroyed")
		again, err := th.CreateStream()
		b.must(err)
		assert.NotEqual(t, hs, HandleOf(p, again), "numbers are not given out twice")
		other := b.process()
		b.code(InvalidHandle, th.DestroyEvent(other.EventOf(he)))
		b.code(ParamInvalid, th.SetCurrentContext(p.ContextOf(hs)))
		for k, f := range map[HandleKind]func(Handle) error{
			HandleNotify:    func(h Handle) error { return th.DestroyNotify(p.NotifyOf(h)) },
			HandleBinary:    func(h Handle) error { return th.BinaryUnLoad(p.BinaryOf(h)) },
			HandleFunction:  func(h Handle) error { _, err := th.GetFunctionName(p.FunctionOf(h), 9); return err },
			HandleArgs:      func(h Handle) error { return th.KernelArgsFinalize(p.ArgsOf(h)) },
			HandlePhysical:  func(h Handle) error { return th.FreePhysical(p.PhysicalOf(h)) },
			HandleCcuBuf:    func(h Handle) error { return th.CcuBufFree(p.CcuBufOf(h)) },
			HandleVariable:  func(h Handle) error { return th.VariableDestroy(p.VariableOf(h)) },
			HandleModel:     func(h Handle) error { return th.RIDestroy(p.ModelOf(h)) },
			HandleTaskGroup: func(h Handle) error { return th.RICaptureTaskUpdateBegin(again, p.TaskGroupOf(h)) },
		} {
			b.code(ParamInvalid, f(0))
			b.code(InvalidHandle, f(Handle(k)<<handleShift|handleStep))
			b.code(InvalidHandle, f(hs))
		}
		b.code(ParamInvalid, th.DestroyBinary(p.ImageOf(hs)))
	})
}

// Addresses that cannot be freed: null, interior, of the host, of the system, of
// another process, freed before; nothing is changed by trying.
func TestMisuseOfFree(t *testing.T) {
	b := newBench(t, roomy(), 1)
	b.loadKernels()
	var theirs mem.Addr
	b.process().Go("other", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		theirs, err = th.Malloc(64, 0)
		b.must(err)
	})
	b.process().Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		d, err1 := th.Malloc(64, 0)
		h, err2 := th.MallocHost(64)
		gone, err3 := th.Malloc(64, 0)
		va, err4 := th.ReserveMemAddress(hugePage, 0, 0, 0)
		flags, err5 := th.CtxGetFloatOverflowAddr()
		own, err6 := th.Wrap(make([]byte, 8), "mine")
		n, err7 := th.CreateNotify(0)
		b.must(err1, err2, err3, err4, err5, err6, err7, th.Free(gone))
		_, used, _ := b.mem.Usage(0)
		for name, a := range map[string]mem.Addr{"null": 0, "interior": d + 1, "host": h, "freed": gone, "reserved": va, "system": flags, "program": own,
			"register": n.Addr(), "other process": theirs, "wild": 99 << 40, "small": 3} {
			b.code(ParamInvalid, th.Free(a))
			if a != h {
				b.code(ParamInvalid, th.FreeHost(a))
			}
			assert.Equal(t, ParamInvalid, CodeOf(th.Free(a)), name)
		}
		_, after, _ := b.mem.Usage(0)
		assert.Equal(t, used, after)
		b.must(th.Free(d), th.FreeHost(h), th.Unwrap(own), th.FreeWithDevSync(func() mem.Addr { a, err := th.Malloc(8, 0); b.must(err); return a }()))
	})
	b.eng.Run(0)
}

// Waiting for what never comes is a stall that names who waits for what, and not a
// hang: a notify, a strict event, a callback that waits for its own stream.
func TestWaitingForEver(t *testing.T) {
	for name, f := range map[string]func(b *bench, th *Thread){
		"notify 0": func(b *bench, th *Thread) {
			n, err := th.CreateNotify(0)
			b.must(err, th.WaitAndResetNotify(n, nil, 0), th.SynchronizeStream(nil))
		},
		"event 1, which was never recorded": func(b *bench, th *Thread) {
			e, err := th.CreateEvent()
			b.must(err, th.StreamWaitEvent(nil, e), th.SynchronizeStream(nil))
		},
		"that may wait for this very stream": func(b *bench, th *Thread) {
			b.must(th.SubscribeReport(th.ID(), nil))
			b.must(th.LaunchCallback(Callback{Func: func(uint64) { _ = th.SynchronizeStream(nil) }}, CallbackBlock, nil), th.ProcessReport(-1))
		},
		"a blocking callback of thread 0 (aclrtProcessReport)": func(b *bench, th *Thread) {
			b.must(th.SubscribeReport(th.ID(), nil), th.LaunchCallback(Callback{Func: func(uint64) {}}, CallbackBlock, nil), th.SynchronizeStream(nil))
		},
		"a callback": func(b *bench, th *Thread) { b.must(th.SubscribeReport(th.ID(), nil), th.ProcessReport(-1)) },
		"the record of event 1": func(b *bench, th *Thread) {
			n, err := th.CreateNotify(0)
			b.must(err)
			e, err := th.CreateEvent()
			b.must(err, th.WaitAndResetNotify(n, nil, 0), th.RecordEvent(e, nil), th.SynchronizeEvent(e))
		},
		"tasks of device 0 / stream 1": func(b *bench, th *Thread) {
			s, err := th.CreateStream()
			b.must(err)
			n, err := th.CreateNotify(0)
			b.must(err, th.WaitAndResetNotify(n, s, 0), th.DestroyStream(s))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testChip(), 1, func(c *Config) { c.StrictEvents = true })
			r := b.run(func(th *Thread) { f(b, th) })
			require.Equal(t, sim.Stalled, r.Reason)
			assert.Contains(t, r.Stall.String(), name)
		})
	}
}

// A process that ends gives everything back: streams, notifies, events, memory,
// keys, images, models and what it imported.
func TestProcessEndReclaims(t *testing.T) {
	for name, end := range map[string]func(th *Thread){"exit": func(th *Thread) { th.Process().End() }, "finalize": func(th *Thread) { _ = th.Finalize() }} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, profile(t, "950dt"), 1)
			b.loadKernels()
			d := b.sys.Devices()[0]
			slices, vars, signals := d.Dies()[0].Free()
			b.run(func(th *Thread) {
				f := b.objects(th)
				b.must(th.RecordEvent(f.e, nil))
				_, err := th.Malloc(1<<20, 0)
				b.must(err)
				va, err := th.ReserveMemAddress(hugePage, 0, 0, 0)
				b.must(err, th.MapMem(va, hugePage, 0, f.h, 0))
				_, err = th.MemExportToShareableHandle(f.h, 0, 0)
				b.must(err)
				_, err = th.NotifyGetExportKey(f.n, 65, 0)
				b.must(err)
				h, err := th.MallocHost(1 << 20)
				b.must(err)
				_, err = th.HostRegister(h, 4096, HostMapped)
				b.must(err, th.RICaptureBegin(f.s, CaptureGlobal))
				_, err = th.ExportThread(nil)
				b.must(err)
				end(th)
			})
			c := profile(t, "950dt")
			assert.Equal(t, c.MaxStreams, d.FreeStreams())
			assert.Equal(t, c.MaxNotifies, d.FreeNotifies())
			_, used, _ := b.mem.Usage(0)
			assert.Zero(t, used)
			_, host, _ := b.mem.Usage(mem.Host)
			assert.Zero(t, host)
			s, v, g := d.Dies()[0].Free()
			assert.Equal(t, []int{slices, vars, signals}, []int{s, v, g})
			for _, x := range b.rt.Tables() {
				for row := range x.Rows {
					if l, ok := row.(interface{ ended() bool }); ok {
						assert.True(t, l.ended(), "%s %+v", x.Name, row)
					}
				}
			}
		})
	}
}

// ended is for tests: rows of objects that have a life.
func (l Life) ended() bool { return l.Gone }

// What programs make and destroy again and again leaves nothing but a number
// behind its handle, which still says what it was.
func TestDestroyedObjectsAreLetGo(t *testing.T) {
	b := newBench(t, testChip(), 1, func(c *Config) { c.Rows = false })
	b.run(func(th *Thread) {
		p := th.Process()
		s, err1 := th.CreateStream()
		e, err2 := th.CreateEvent()
		n, err3 := th.CreateNotify(0)
		b.must(err1, err2, err3)
		hs, he, hn := HandleOf(p, s), HandleOf(p, e), HandleOf(p, n)
		b.must(th.RecordEvent(e, s), th.DestroyStream(s), th.DestroyEvent(e), th.DestroyNotify(n))
		for what, err := range map[string]error{
			"stream 2 was destroyed": th.SynchronizeStream(p.StreamOf(hs)), "event 1 was destroyed": th.RecordEvent(p.EventOf(he), nil),
			"notify 1 was destroyed": th.RecordNotify(p.NotifyOf(hn), nil),
		} {
			b.code(InvalidHandle, err)
			assert.ErrorContains(t, err, what)
		}
		for _, x := range []any{p.handles[HandleStream][0], p.handles[HandleEvent][0], p.handles[HandleNotify][0]} {
			assert.IsType(t, buried(0), x)
		}
		b.code(InvalidHandle, th.DestroyStreamForce(p.StreamOf(hs)))
		b.code(InvalidHandle, th.DestroyEvent(p.EventOf(he)))
		b.code(InvalidHandle, th.DestroyNotify(p.NotifyOf(hn)))
	})
}
