package acl

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/sim"
)

// R094: the device reaches a callback task, and the subscribed runner runs it when
// it processes reports; nobody else does.
func TestR094CallbacksRunOnTheRunner(t *testing.T) {
	b := newBench(t, testChip(), 1)
	p := b.process()
	var s *Stream
	var ran sim.Time
	var by *sim.Proc
	p.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		s, err = th.CreateStream()
		b.must(err, th.SubscribeReport(1, s), th.work(s, 5*us))
		b.must(th.LaunchCallback(Callback{Func: func(data uint64) { ran, by = b.eng.Now(), b.eng.Current(); assert.EqualValues(t, 7, data) }, Data: 7, Entry: 99}, CallbackNoBlock, s))
		b.must(th.SynchronizeStream(s))
		assert.Zero(t, ran, "nothing runs without ProcessReport")
		b.code(ThreadSubscribe, th.ProcessReport(1))
	})
	p.Go("runner", func(th *Thread) {
		th.Proc().Sleep(20 * us)
		b.must(th.ProcessReport(-1))
		assert.Equal(t, th.Proc(), by)
		b.code(ReportTimeout, th.ProcessReport(2))
	})
	b.eng.Run(0)
	assert.Equal(t, 20*us, ran)
	row := Rows[CallbackTaskRow](b.rt)[0]
	assert.Equal(t, 5*us, taskOf(t, b, row.TaskID).Start)
	assert.EqualValues(t, []uint64{99, 7}, []uint64{row.CallbackFn, row.UserData})
}

// R095: a callback task goes to one report channel, of one stream and one runner.
func TestR095ReportChannel(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err, th.SubscribeReport(th.ID(), s), th.SubscribeReport(th.ID(), nil))
		b.code(StreamSubscribe, th.SubscribeReport(5, s))
		b.must(th.LaunchCallback(Callback{Func: func(uint64) {}}, CallbackBlock, s), th.ProcessReport(-1))
		rows := Rows[ReportChannelRow](b.rt)
		require.Len(t, rows, 2)
		assert.Equal(t, []int{s.UID(), th.RunID()}, []int{rows[0].StreamID, rows[0].RunID})
		assert.Equal(t, rows[0].ReportID, Rows[CallbackTaskRow](b.rt)[0].ReportID)
		b.code(StreamSubscribe, th.DestroyStream(s)) // still subscribed
		b.must(th.UnSubscribeReport(th.ID(), s), th.DestroyStream(s))
		assert.True(t, Rows[ReportChannelRow](b.rt)[0].Gone)
		b.must(th.SetDevice(1))
		b.code(ThreadSubscribe, th.SubscribeReport(th.ID(), nil)) // serves device 0
		b.must(th.SubscribeReport(9, nil))
	})
}

// R096: a device has schedulers of three kinds, each with tasks of its own.
func TestR096Schedulers(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		b.must(th.LaunchKernelWithConfig(b.function(th, "empty"), 1, nil, nil, nil))
		f := b.function(th, "wrong")
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, 0, 0, 0, 0, 0, 0, 0)), th.SynchronizeStream(nil))
		op := &device.KernelOp{Fn: b.function(th, "empty").fn}
		b.must(th.Current().DefaultStream().Queue().Push(&device.Task{Kind: device.KindOp, Op: op}), th.SynchronizeStream(nil))
	})
	kinds := map[int]string{}
	for _, s := range Rows[TaskSchedulerRow](b.rt) {
		kinds[s.TsID] = s.Type
	}
	assert.Equal(t, map[int]string{1: SchedulerScalar, 2: SchedulerScalar, 3: SchedulerCPU}, kinds)
	tasks := Rows[TaskTableRow](b.rt)
	assert.Equal(t, SchedulerScalar, kinds[tasks[0].TsID])
	assert.Equal(t, SchedulerCPU, kinds[tasks[1].TsID])
	assert.Equal(t, []any{TypeKernel, "empty", SchedulerScalar}, []any{tasks[2].Type, tasks[2].What, kinds[tasks[2].TsID]}, "pushed by somebody else")

	dual := newBench(t, profile(t, "950dt"), 1)
	dual.run(func(th *Thread) {
		n, err := th.CreateNotify(CcuDie(0))
		dual.must(err, th.RecordNotify(n, nil), th.SynchronizeStream(nil))
	})
	var ccu int
	for _, s := range Rows[TaskSchedulerRow](dual.rt) {
		if s.Type == SchedulerCCU {
			ccu++
		}
		if s.TsID == Rows[TaskTableRow](dual.rt)[0].TsID {
			assert.Equal(t, SchedulerCCU, s.Type)
		}
	}
	assert.Equal(t, 2, ccu)
}

// R097: compute units are cube, vector, or both in one; a kernel names its kind,
// and one without code for the kind it is sent to is refused.
func TestR097ComputeKinds(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		aiv, aic := b.function(th, "vec"), b.function(th, "cub")
		cube, vector := []LaunchAttr{{LaunchEngine, 0}}, []LaunchAttr{{LaunchEngine, 1}}
		b.must(th.LaunchKernelWithConfig(aiv, 1, nil, vector, nil), th.LaunchKernelWithConfig(aic, 1, nil, cube, nil))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(aiv, 1, nil, cube, nil))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(aic, 1, nil, vector, nil))
		b.must(th.SetTsDevice(1))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(aic, 1, nil, nil, nil))
		b.must(th.LaunchKernelWithConfig(aiv, 1, nil, nil, nil), th.SetTsDevice(0), th.SynchronizeStream(nil))
		var kinds []string
		for _, k := range Rows[KernelTaskRow](b.rt) {
			kinds = append(kinds, k.Compute)
		}
		assert.Equal(t, []string{ComputeVector, ComputeCube, ComputeVector}, kinds)
	})
	c := profile(t, "a3")
	assert.Len(t, Rows[CubeRow](b.rt), c.CubeCores)
	assert.Len(t, Rows[VectorRow](b.rt), c.VectorCores)
	assert.Empty(t, Rows[HybridRow](b.rt))
	first := newBench(t, profile(t, "910"), 1)
	assert.Len(t, Rows[HybridRow](first.rt), profile(t, "910").CubeCores)
	assert.Empty(t, Rows[CubeRow](first.rt))
}

// R099: every field of the device's status has its cause.
func TestR099DeviceStatus(t *testing.T) {
	b := kernelBench(t, 2)
	status := func() DeviceStatusRow { return Rows[DeviceStatusRow](b.rt)[0] }
	b.run(func(th *Thread) {
		start := status()
		assert.Equal(t, DeviceStatusRow{0, false, SyncAuto, 0, CapInfNaN | CapSplitCores | CapHostMapping, true, 3, true}, start)
		d, err := th.Malloc(16, 0)
		b.must(err)
		addr, err := th.CtxGetFloatOverflowAddr()
		b.must(err)
		flag := func() byte {
			got := make([]byte, 4)
			b.must(b.mem.Read(addr, got))
			return got[0]
		}
		f := b.function(th, "swell")
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(d))), th.SynchronizeStream(nil))
		assert.Zero(t, flag())
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(d))), th.SynchronizeStream(nil))
		assert.EqualValues(t, 1, flag(), "60000 + 60000 overflowed")
		assert.True(t, status().Overflow)
		b.must(th.GetOverflowStatus(d+8, 8, nil), th.ResetOverflowStatus(nil), th.SynchronizeStream(nil))
		got := make([]byte, 1)
		b.must(b.mem.Read(d+8, got))
		assert.EqualValues(t, 1, got[0])
		assert.Zero(t, flag())
		assert.False(t, status().Overflow)
		h, err := th.MallocHost(8)
		b.must(err)
		b.code(ParamInvalid, th.GetOverflowStatus(h, 8, nil))
		b.code(ParamInvalid, th.GetOverflowStatus(d, 3, nil))

		// With the stream's switch on, the next synchronisation says so, once.
		b.must(th.SetStreamOverflowSwitch(nil, 1), b.mem.Write(d, []byte{0x53, 0x7b}))
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(d))))
		b.code(AIVecOverFlow, th.SynchronizeStream(nil))
		b.must(th.SynchronizeStream(nil), b.mem.Write(d, []byte{0x53, 0x7b, 0x53, 0x7b}), th.reduce(nil, d, d+2, 2))
		b.code(OverFlow, th.SynchronizeStream(nil))

		b.must(th.SetDeviceSynchronize(SyncBlock, 3))
		assert.Equal(t, SyncBlock, status().Strategy)
		assert.EqualValues(t, 3, status().SyncTimeout)
		b.must(th.work(nil, 10*ms))
		b.code(StreamSyncTimeout, th.SynchronizeDevice())
		b.code(ParamInvalid, th.SetDeviceSynchronize(7, 0))

		b.sys.Devices()[0].Lose()
		assert.False(t, status().Online)
		b.code(LostHeartbeat, th.SynchronizeStream(nil))
		_, err = th.CreateContext(0)
		b.code(DevSetupError, err)
		assert.True(t, Rows[DeviceStatusRow](b.rt)[1].Online)
		assert.Equal(t, "lost", Rows[DeviceRow](b.rt)[0].Status)
	})
}

// R100: an image keeps file and pid, takes device memory while it is loaded, and
// its functions have names and addresses.
func TestR100KernelBinary(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		free := func() int64 { n, _, _ := th.GetMemInfo(); return n }
		before := free()
		bin, err := th.BinaryLoadFromFile(rulesModule)
		b.must(err)
		image, err := os.ReadFile(rulesModule)
		b.must(err)
		assert.Equal(t, roundUp(int64(len(image)), 4096), before-free())
		f, err := th.BinaryGetFunction(bin, "both")
		b.must(err)
		k := Rows[KernelBinaryRow](b.rt)[0]
		assert.Equal(t, rulesModule, k.File)
		assert.Equal(t, th.Process().Pid(), k.CreatePid)
		assert.Equal(t, k.ID, Rows[BinaryHandleRow](b.rt)[0].KernelID)
		row := Rows[FuncHandleRow](b.rt)[0]
		assert.Equal(t, []string{"both", "both"}, []string{row.FuncName, row.KernelName})
		assert.Equal(t, bin.ID(), row.BinaryID)
		assert.Equal(t, f.Name(), row.KernelName)
		b.must(th.BinaryUnLoad(bin))
		assert.Equal(t, before, free())
		assert.True(t, Rows[KernelBinaryRow](b.rt)[0].Gone)
		assert.True(t, Rows[FuncHandleRow](b.rt)[0].Gone)

		lazy, err := th.BinaryLoadFromFile(rulesModule, BinaryOption{BinaryLazy, 1})
		b.must(err)
		assert.Equal(t, before, free(), "lazy: nothing yet")
		_, err = th.BinaryGetFunction(lazy, "empty")
		b.must(err)
		assert.Less(t, free(), before)
		for _, bad := range []BinaryOption{{BinaryLazy, 2}, {BinaryMagic, 1}, {BinaryCPUMode, 3}, {4, 0}} {
			_, err = th.BinaryLoadFromData("x", image, bad)
			b.code(ParamInvalid, err)
		}
		_, err = th.BinaryLoadFromData("x", image, BinaryOption{BinaryMagic, MagicVector}, BinaryOption{BinaryCPUMode, 2})
		b.must(err)
		_, err = th.BinaryLoadFromData("x", nil)
		b.code(ParamInvalid, err)
	})
}

// R101: the chain of a kernel's life passes; every step out of order gives its code.
func TestR101Lifecycle(t *testing.T) {
	b := kernelBench(t, 1)
	image, err := os.ReadFile(rulesModule)
	require.NoError(t, err)
	b.run(func(th *Thread) {
		desc := th.CreateBinary(image)
		bin, err := th.BinaryLoad(desc)
		b.must(err)
		f, err := th.BinaryGetFunction(bin, "spend")
		b.must(err)
		a := b.args(th, f, 0, 1650_000)
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, a))
		b.code(KernelUnregistering, th.BinaryUnLoad(bin)) // in flight
		b.must(th.SynchronizeStream(nil), th.BinaryUnLoad(bin))
		b.code(InvalidHandle, th.LaunchKernelWithConfig(f, 1, nil, nil, a))
		_, err = th.BinaryGetFunction(bin, "spend")
		b.code(InvalidHandle, err)
		_, _, err = th.GetFunctionAddr(f)
		b.code(InvalidHandle, err)
		_, err = th.KernelArgsInit(f)
		b.code(InvalidHandle, err)
		b.must(th.DestroyBinary(desc))
		_, err = th.BinaryLoad(desc)
		b.code(ParamInvalid, err)
		b.code(ParamInvalid, th.DestroyBinary(desc))
		b.code(ParamInvalid, th.DestroyBinary(nil))
		b.code(ParamInvalid, th.BinaryUnLoad(nil))
		assert.Nil(t, th.CreateBinary(nil))
		again := th.CreateBinary(image)
		loaded, err := th.BinaryLoad(again)
		b.must(err, th.DestroyBinary(again)) // what was loaded stays
		_, err = th.BinaryGetFunction(loaded, "empty")
		b.must(err)
	})
}

// R102: the addresses of the cube part and of the vector part, 0 for none.
func TestR102Addresses(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		for name, want := range map[string][2]bool{"cub": {true, false}, "vec": {false, true}, "both": {true, true}, "empty": {true, true}, "send": {false, false}} {
			aic, aiv, err := th.GetFunctionAddr(b.function(th, name))
			b.must(err)
			assert.Equal(t, want, [2]bool{aic != 0, aiv != 0}, name)
		}
	})
	for _, f := range Rows[FuncHandleRow](b.rt) {
		assert.Equal(t, f.KernelName == "cub" || f.KernelName == "both" || f.KernelName == "empty", f.AicAddr != 0)
	}
}

// R103: the launch configuration holds the blocks, which the kernel sees.
func TestR103LaunchConfig(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		d, err := th.Malloc(64, 0)
		b.must(err)
		f := b.function(th, "count")
		b.must(th.LaunchKernelWithConfig(f, 6, nil, []LaunchAttr{{LaunchTimeoutUs, 500}, {LaunchSchemMode, 1}}, b.args(th, f, uint64(d))), th.SynchronizeStream(nil))
		got := make([]byte, 64)
		b.must(b.mem.Read(d, got))
		for i := range 8 {
			assert.Equal(t, map[bool]byte{true: 6}[i < 6], got[8*i])
		}
		row := Rows[LaunchCfgRow](b.rt)[0]
		assert.Equal(t, LaunchCfgRow{1, 6, 500 * us, "vector core", "8=500 1=1"}, row)
		k := Rows[KernelTaskRow](b.rt)[0]
		assert.Equal(t, row.LaunchCfgID, k.LaunchCfgID)
		assert.Equal(t, 6, k.Blocks)
		b.code(ParamInvalid, th.LaunchKernelWithConfig(f, 0, nil, nil, nil))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(b.function(th, "wait"), 2, nil, nil, nil)) // an AI CPU has one block

		spin := b.function(th, "spin")
		b.must(th.LaunchKernelWithConfig(spin, 1, nil, []LaunchAttr{{LaunchTimeoutUs, 300}}, nil))
		b.code(AICoreTimeout, th.SynchronizeStream(nil))
		b.must(th.SetOpExecuteTimeout(200*us), th.LaunchKernelWithConfig(spin, 1, nil, nil, nil))
		b.code(AICoreTimeout, th.SynchronizeStream(nil))
		b.must(th.LaunchKernelWithConfig(b.function(th, "broken"), 1, nil, nil, nil))
		err = th.SynchronizeStream(nil)
		b.code(AICoreException, err)
		assert.ErrorContains(t, err, "as asked")
	})
}

// R104: argument handles are of the host or of the device; parameters have sizes;
// a placeholder is bound later, and a launch before that is refused.
func TestR104Arguments(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		d, err := th.Malloc(64, 0)
		b.must(err)
		f := b.function(th, "move")
		a, err := th.KernelArgsInit(f)
		b.must(err)
		from, err := th.KernelArgsAppendPlaceHolder(a)
		b.must(err)
		_, err = th.AppendUint64(a, 8)
		b.must(err)
		_, err = th.AppendAddr(a, d)
		b.must(err)
		b.code(ParamInvalid, th.LaunchKernelWithConfig(f, 1, nil, nil, a))
		b.code(ParamInvalid, th.KernelArgsFinalize(a))
		_, err = th.KernelArgsGetPlaceHolderBuffer(a, from+1, 8)
		b.code(ParamInvalid, err)
		late, err := th.KernelArgsGetPlaceHolderBuffer(a, from, 8)
		b.must(err, th.KernelArgsFinalize(a), th.work(nil, us), th.LaunchKernelWithConfig(f, 1, nil, nil, a))
		b.must(b.mem.Write(late, []byte("late 123")), th.SynchronizeStream(nil))
		got := make([]byte, 8)
		b.must(b.mem.Read(d, got))
		assert.Equal(t, "late 123", string(got), "what lies behind the pointer when the kernel runs")

		// The host's packed arguments with data behind them, and the device's own.
		packed := append(append(make([]byte, 8), 8, 0, 0, 0, 0, 0, 0, 0), make([]byte, 16)...)
		for i := range 8 {
			packed[16+i] = byte(uint64(d+16) >> (8 * i))
		}
		copy(packed[24:], "embedded")
		b.must(th.LaunchKernelWithHostArgs(f, 1, nil, nil, packed, []PlaceHolder{{0, 24}}), th.SynchronizeStream(nil), b.mem.Read(d+16, got))
		assert.Equal(t, "embedded", string(got))
		b.code(ParamInvalid, th.LaunchKernelWithHostArgs(f, 1, nil, nil, packed, []PlaceHolder{{30, 24}}))
		free, _, _ := th.GetMemInfo()
		for i := range 8 {
			packed[i] = byte(uint64(d) >> (8 * i))
		}
		b.must(b.mem.Write(d+32, packed[:24]), th.LaunchKernel(f, 1, d+32, 24, nil), th.SynchronizeStream(nil))
		now, _, _ := th.GetMemInfo()
		assert.Equal(t, free, now, "nothing is left behind")
	})
	handles := Rows[ArgsHandleRow](b.rt)
	require.Len(t, handles, 3)
	assert.Equal(t, []string{ArgsHost, ArgsHost, ArgsDevice}, []string{handles[0].Type, handles[1].Type, handles[2].Type})
	assert.EqualValues(t, []int64{24, 32, 24}, []int64{handles[0].ArgsSize, handles[1].ArgsSize, handles[2].ArgsSize})
	params := Rows[ArgsParamRow](b.rt)
	assert.Equal(t, []ArgsParamRow{{1, 1, 8, true}, {2, 1, 8, false}, {3, 1, 8, false}, {4, 2, 8, true}}, params)
}

// R110: the pid of DeviceGetBareTgid is the one that whitelists compare.
func TestR110BareTgid(t *testing.T) {
	b := newBench(t, testChip(), 1)
	owner, guest := b.process(), b.process()
	keys := map[bool]string{}
	var pid int
	guest.Go("main", func(th *Thread) {
		_, err := th.DeviceGetBareTgid()
		b.code(ACLUninitialize, err)
		b.must(th.Init(""), th.SetDevice(0))
		pid, err = th.DeviceGetBareTgid()
		b.must(err)
		th.Proc().Sleep(2 * us)
		_, err = th.NotifyImportByKey(keys[true], 0)
		b.must(err)
		_, err = th.NotifyImportByKey(keys[false], 0)
		b.code(NoPermission, err)
	})
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		for right, pid := range map[bool]int{true: pid, false: pid + 1} {
			n, err := th.CreateNotify(0)
			b.must(err)
			keys[right], err = th.NotifyGetExportKey(n, KeyLen, 0)
			b.must(err, th.NotifySetImportPid(n, pid))
		}
	})
	b.eng.Run(0)
	assert.Equal(t, pid, one(t, b, func(x RunnerRow) bool { return x.Pid == guest.Pid() }).Pid)
}
