package acl

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

const builtins = "../../plugins/kernels/kernels.wasm"

func kernelBench(t *testing.T, devices int) *bench {
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { rt.Close() })
	c := profile(t, "a3")
	return newBench(t, c, devices, func(c *Config) { c.Wasm = rt })
}

// loadKernels lets the bench load kernel images.
func (b *bench) loadKernels() {
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(b.t, err)
	b.t.Cleanup(func() { rt.Close() })
	b.rt.conf.Wasm = rt
}

func ints(v ...int32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// A kernel by name with collected arguments, and with packed ones in device
// memory, between an upload and a download on one stream.
func TestLaunchKernel(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		bin, err := th.BinaryLoadFromFile(builtins)
		if !assert.NoError(t, err) {
			return
		}
		f, err := th.BinaryGetFunction(bin, "add_int32")
		b.must(err)
		const n = 1000
		x, err1 := th.Malloc(4*n, 0)
		y, err2 := th.Malloc(4*n, 0)
		z, err3 := th.Malloc(4*n, 0)
		h, err4 := th.MallocHost(4 * n)
		b.must(err1, err2, err3, err4)
		up, want := make([]int32, n), make([]int32, n)
		for i := range up {
			up[i], want[i] = int32(i*7-300), int32(i*7-300)+0x01010101
		}
		b.must(b.mem.Write(h, ints(up...)))
		b.must(th.MemcpyAsync(x, 4*n, h, 4*n, HostToDevice, nil), th.MemsetAsync(y, 4*n, 1, 4*n, nil))
		a, err := th.KernelArgsInit(f)
		b.must(err)
		for _, p := range []mem.Addr{x, y, z} {
			_, err := th.AppendAddr(a, p)
			b.must(err)
		}
		_, err = th.AppendUint64(a, n)
		b.must(err)
		b.code(ParamInvalid, th.LaunchKernelWithConfig(f, 2, nil, nil, a)) // not final
		b.must(th.KernelArgsFinalize(a))
		_, err = th.AppendUint64(a, 1)
		b.code(ParamInvalid, err)
		b.must(th.LaunchKernelWithConfig(f, 3, nil, []LaunchAttr{{LaunchTimeout, 5}, {LaunchEngine, 1}}, a), th.SynchronizeStream(nil))
		got := make([]byte, 4*n)
		b.must(b.mem.Read(z, got))
		assert.Equal(t, ints(want...), got)

		// Packed: the same again into y, whose bytes are read when the launch starts.
		args, err := th.Malloc(32, 0)
		b.must(err)
		var p []byte
		for _, v := range []uint64{uint64(x), uint64(x), uint64(y), n} {
			p = binary.LittleEndian.AppendUint64(p, v)
		}
		b.must(b.mem.Write(args, p), th.LaunchKernel(f, 1, args, 32, nil), th.SynchronizeStream(nil), b.mem.Read(y, got))
		for i := range want {
			want[i] = 2 * up[i]
		}
		assert.Equal(t, ints(want...), got)

		rows := b.rt.Tasks()
		assert.Equal(t, TypeKernel, rows[2].Type)
		assert.Equal(t, "add_int32", rows[2].What)
		assert.Equal(t, 3, rows[2].Blocks)
		assert.GreaterOrEqual(t, rows[2].Start, rows[1].End)
		assert.Greater(t, rows[2].End, rows[2].Start, "a kernel takes time on this chip")
	})
}

func TestKernelHandles(t *testing.T) {
	b := kernelBench(t, 2)
	image, err := os.ReadFile(builtins)
	require.NoError(t, err)
	b.run(func(th *Thread) {
		_, err := th.BinaryLoadFromFile("no/such/file.wasm")
		b.code(FileOpen, err)
		_, err = th.BinaryLoadFromData("bad", []byte("not wasm"))
		b.code(ParamInvalid, err)
		assert.Nil(t, th.CreateBinary(nil))
		d := th.CreateBinary(image)
		free, _, _ := th.GetMemInfo()
		bin, err := th.BinaryLoad(d)
		b.must(err)
		now, _, _ := th.GetMemInfo()
		assert.EqualValues(t, roundUp(int64(len(image)), 4096), free-now, "the image takes device memory")
		_, err = th.BinaryGetFunction(bin, "nope")
		b.code(KernelLookup, err)
		assert.ErrorContains(t, err, "add_fp32")
		f, err := th.BinaryGetFunctionByEntry(bin, 0)
		b.must(err)
		_, err = th.BinaryGetFunctionByEntry(bin, 1000)
		b.code(KernelLookup, err)
		again, _ := th.BinaryGetFunction(bin, f.Name())
		assert.Same(t, f, again)
		name, err := th.GetFunctionName(f, 100)
		b.must(err)
		assert.Equal(t, f.Name(), name)
		_, err = th.GetFunctionName(f, len(name))
		b.code(ParamInvalid, err)
		_, aiv, err := th.GetFunctionAddr(f)
		b.must(err)
		assert.NotZero(t, aiv)
		_, err = th.RegisterCpuFunc(bin, f.Name(), "cpu")
		b.code(ParamInvalid, err)
		b.code(ParamInvalid, th.LaunchKernel(f, 0, 0, 0, nil))
		b.code(ParamInvalid, th.LaunchKernel(f, 70000, 0, 0, nil))
		b.code(ParamInvalid, th.LaunchKernel(nil, 1, 0, 0, nil))
		b.code(ParamInvalid, th.LaunchKernel(f, 1, 12345, 8, nil))
		h, err := th.MallocHost(64)
		b.must(err)
		b.code(ParamInvalid, th.LaunchKernel(f, 1, h, 8, nil))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(f, 1, nil, []LaunchAttr{{7, 1}, {8, 1}}, nil))
		b.code(ParamInvalid, th.LaunchKernelWithConfig(f, 1, nil, []LaunchAttr{{9, 1}}, nil))
		b.must(th.SetDevice(1))
		b.code(ParamInvalid, th.LaunchKernel(f, 1, 0, 0, nil)) // loaded on device 0
		b.must(th.SetDevice(0), th.DestroyBinary(d))
		b.code(ParamInvalid, th.DestroyBinary(d))
		b.must(th.BinaryUnLoad(bin))
		b.code(InvalidHandle, th.LaunchKernel(f, 1, 0, 0, nil))
		b.code(InvalidHandle, th.BinaryUnLoad(bin))
		back, _, _ := th.GetMemInfo()
		assert.Equal(t, free, back)
	})
}

// A kernel that reads past the end of its buffer fails its stream with 507015,
// naming function and address; the process goes on.
func TestKernelFaultIsLatched(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		bin, err := th.BinaryLoadFromFile(builtins)
		if !assert.NoError(t, err) {
			return
		}
		f, err := th.BinaryGetFunction(bin, "add_int32")
		b.must(err)
		x, err := th.MallocNamed(64, 0, "small")
		b.must(err)
		a, err := th.KernelArgsInit(f)
		b.must(err)
		for _, v := range []uint64{uint64(x), uint64(x), uint64(x), 1000} {
			_, err := th.AppendUint64(a, v)
			b.must(err)
		}
		b.must(th.KernelArgsFinalize(a), th.LaunchKernelWithConfig(f, 1, nil, nil, a))
		err = th.SynchronizeStream(nil)
		b.code(AICoreException, err)
		assert.ErrorContains(t, err, "507015")
		assert.ErrorContains(t, err, "add_int32")
		assert.ErrorContains(t, err, "small")
		b.must(th.SynchronizeStream(nil))
		rows := b.rt.Tasks()
		assert.Equal(t, TaskFailed, rows[0].State)
		assert.Equal(t, AICoreException, rows[0].Code)
	})
}

func TestKernelCodes(t *testing.T) {
	for _, c := range []struct {
		cause kernel.Cause
		unit  kernel.Unit
		want  Code
	}{
		{kernel.Memory, kernel.VectorCore, AICoreException},
		{kernel.Trap, kernel.VectorCore, AICoreTrapException},
		{kernel.Fuel, kernel.CubeCore, AICoreTimeout},
		{kernel.Timeout, kernel.AICPU, AICPUTimeout},
		{kernel.Memory, kernel.AICPU, AICPUException},
		{kernel.Trap, kernel.AICPU, AICPUException},
		{kernel.Peer, kernel.VectorCore, SuspectRemoteError},
		{kernel.Canceled, kernel.VectorCore, DeviceTaskAbort},
	} {
		f := &device.Fault{Cause: device.CauseAICore, Err: &kernel.Fault{Cause: c.cause, Unit: c.unit}}
		assert.Equal(t, c.want, FaultCode(f, nil), "%v on %v", c.cause, c.unit)
	}
	for cause, want := range map[kernel.Cause]Code{kernel.Memory: VectorCoreException, kernel.Trap: VectorCoreTrapException, kernel.Timeout: VectorCoreTimeout,
		kernel.Peer: SuspectRemoteError} {
		f := &device.Fault{Cause: device.CauseAICore, Err: &kernel.Fault{Cause: cause, Unit: kernel.VectorCore, Own: true}}
		assert.Equal(t, want, FaultCode(f, nil), "%v of code for vector cores", cause)
	}
}

// Code for vector cores alone fails with their codes, code for both with the AI
// core's.
func TestVectorCodes(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.loadKernels()
	b.run(func(th *Thread) {
		for name, want := range map[string]Code{"both": VectorCoreException, "poke": AICoreException} {
			f := b.function(th, name)
			b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, 8, 0, 0)))
			b.code(want, th.SynchronizeStream(nil))
		}
		f := b.function(th, "both")
		b.must(th.LaunchKernelWithConfig(f, 1, nil, []LaunchAttr{{LaunchEngine, 0}}, b.args(th, f, 8, 0, 0)))
		b.code(AICoreException, th.SynchronizeStream(nil))
	})
}

func TestPlaceholders(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		bin, err := th.BinaryLoadFromFile(builtins)
		if !assert.NoError(t, err) {
			return
		}
		f, err := th.BinaryGetFunction(bin, "add_int32")
		b.must(err)
		x, err := th.Malloc(64, 0)
		b.must(err)
		a, err := th.KernelArgsInit(f)
		b.must(err)
		h, err := th.KernelArgsAppendPlaceHolder(a)
		b.must(err)
		_, err = th.AppendAddr(a, x)
		b.must(err)
		_, err = th.AppendAddr(a, x)
		b.must(err)
		n, err := th.AppendUint64(a, 3)
		b.must(err)
		b.code(ParamInvalid, th.KernelArgsFinalize(a))
		p, err := th.KernelArgsGetPlaceHolderBuffer(a, h, 16)
		b.must(err, b.mem.Write(p, ints(1, 2, 3, 4)), b.mem.Write(x, ints(10, 20, 30, 40)), th.KernelArgsFinalize(a))
		b.code(ParamInvalid, th.KernelArgsParaUpdate(a, n, []byte{1}))
		b.must(th.KernelArgsParaUpdate(a, n, binary.LittleEndian.AppendUint64(nil, 4)))
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, a), th.SynchronizeStream(nil))
		got := make([]byte, 16)
		b.must(b.mem.Read(x, got))
		assert.Equal(t, ints(11, 22, 33, 44), got)
	})
}

// Kernels reach what is their own process's: memory of another one after it was
// imported, notifies of which it has a handle. What they try to spoil stays as it was.
func TestKernelsStayInTheirProcess(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.loadKernels()
	owner, other := b.process(), b.process()
	var theirs mem.Addr
	var key, notifyKey string
	var n *Notify
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err [4]error
		theirs, err[0] = th.Malloc(64, 0)
		key, err[1] = th.IpcMemGetExportKey(theirs, 64, KeyLen, IpcMemNoPidCheck)
		n, err[2] = th.CreateNotify(0)
		notifyKey, err[3] = th.NotifyGetExportKey(n, KeyLen, NotifyNoPidCheck)
		b.must(err[:]...)
		b.must(th.WaitAndResetNotify(n, nil, 0), th.SynchronizeStream(nil))
		assert.GreaterOrEqual(t, th.Proc().Now(), 10*ms, "the kernel that has no handle does not let it go")
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(ms)
		poke, move, ring, hear := b.function(th, "poke"), b.function(th, "move"), b.function(th, "ring"), b.function(th, "hear")
		own, err := th.Malloc(64, 0)
		b.must(err)
		run := func(f *Function, dev mem.Addr, size, value uint64) error {
			b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(dev), size, value)))
			return th.SynchronizeStream(nil)
		}
		err = run(poke, theirs, 0, 7)
		b.code(AICoreException, err)
		assert.ErrorContains(t, err, "belongs to process 1000")
		b.code(AICoreException, run(move, theirs, 64, uint64(own)))
		b.code(AICoreException, run(move, own, 64, uint64(theirs)))
		b.code(AICoreException, run(ring, 0, uint64(n.ID()), 0))
		b.code(AICoreException, run(hear, 0, 63, 0))
		got := make([]byte, 8)
		b.must(b.mem.Read(theirs, got))
		assert.Equal(t, make([]byte, 8), got)

		mine, err := th.IpcMemImportByKey(key, 0)
		b.must(err, run(poke, mine, 0, 7), b.mem.Read(theirs, got))
		assert.EqualValues(t, 7, got[0])
		th.Proc().Sleep(10 * ms)
		_, err = th.NotifyImportByKey(notifyKey, 0)
		b.must(err, run(ring, 0, uint64(n.ID()), 0))
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

// The arguments of an image's functions, with what lies behind their placeholders,
// go with the image; those of a launch that is refused at once.
func TestArgumentsAreGivenBack(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.loadKernels()
	b.run(func(th *Thread) {
		_, before, _ := b.mem.Usage(0)
		f := b.function(th, "empty")
		var last *KernelArgs
		for range 10 {
			a, err := th.KernelArgsInit(f)
			b.must(err)
			h, err := th.KernelArgsAppendPlaceHolder(a)
			b.must(err)
			_, err = th.KernelArgsGetPlaceHolderBuffer(a, h, 1000)
			b.must(err, th.KernelArgsFinalize(a), th.LaunchKernelWithConfig(f, 1, nil, nil, a))
			last = a
		}
		b.code(ParamInvalid, th.LaunchKernelWithHostArgs(f, 1, nil, []LaunchAttr{{99, 0}}, make([]byte, 64), []PlaceHolder{{0, 8}}))
		b.must(th.SynchronizeStream(nil), th.BinaryUnLoad(f.Binary()))
		assert.True(t, last.Freed())
		b.code(InvalidHandle, th.KernelArgsParaUpdate(last, 0, nil))
		_, after, _ := b.mem.Usage(0)
		assert.Equal(t, before, after)
	})
}

// A kernel in the middle of a long computation ends with its launch: at its
// time-out, when the stream is aborted, when another block fails. Computing is
// work, and no stall.
func TestLongComputing(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.loadKernels()
	r := b.run(func(th *Thread) {
		f := b.function(th, "spend")
		const hour = 3600 * 1_800_000_000 // cycles, about
		launch := func(n uint64, attrs ...LaunchAttr) sim.Time {
			b.must(th.LaunchKernelWithConfig(f, 1, nil, attrs, b.args(th, f, 0, n)))
			return th.Proc().Now()
		}
		at := launch(hour, LaunchAttr{LaunchTimeout, 2})
		b.code(AICoreTimeout, th.SynchronizeStream(nil))
		assert.Less(t, th.Proc().Now()-at-2*sim.Second, 10*us)
		launch(hour)
		th.Proc().Sleep(sim.Second)
		b.must(th.AbortStream(th.Current().DefaultStream()))
		b.code(StreamAbort, th.SynchronizeStream(nil))
		at = launch(1)
		b.must(th.SynchronizeStream(nil))
		assert.Less(t, th.Proc().Now()-at, 10*us, "the core is free")
		at = launch(hour)
		b.must(th.SynchronizeStream(nil))
		assert.Greater(t, th.Proc().Now()-at, 3000*sim.Second)
	})
	assert.Equal(t, sim.Done, r.Reason)
	assert.Nil(t, r.Stall)
}
