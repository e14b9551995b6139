package acl

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

const us, ms = sim.Microsecond, sim.Millisecond

// bench is a simulation for tests: devices of one server, no transport.
type bench struct {
	t   testing.TB
	eng *sim.Engine
	mem *mem.Space
	sys *device.System
	rt  *Runtime
	net *transport.Net

	foreign strangers
}

func testChip() *soc.Chip {
	return &soc.Chip{Name: "test", SocName: "Ascend000", MaxStreams: 16, MaxNotifies: 64, MaxEvents: 8, StreamDepth: 64, HBMBytes: 1 << 20,
		ScaleUp: topo.HCCS, ScaleOut: topo.ROCE}
}

func profile(t testing.TB, name string) *soc.Chip {
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

func newBench(t testing.TB, chip *soc.Chip, devices int, change ...func(*Config)) *bench {
	b := &bench{t: t, eng: sim.New(1), mem: mem.NewSpace(mem.Real)}
	b.sys = device.NewSystem(device.SystemConfig{Engine: b.eng, Mem: b.mem})
	for i := range devices {
		_, err := device.New(b.sys, device.Config{Chip: chip, Node: topo.NodeID(i)})
		require.NoError(t, err)
	}
	c := Config{System: b.sys, Rows: true}
	for _, f := range change {
		f(&c)
	}
	b.rt = New(c)
	if c.Rows {
		if tt, ok := t.(*testing.T); ok {
			tt.Cleanup(func() { checkKeys(tt, b.rt) })
		}
	}
	return b
}

// wired is a bench of a topology without a transport: devices know how they are
// joined, and move nothing.
func wired(t testing.TB, chip *soc.Chip, spec topo.Spec, change ...func(*Config)) *bench {
	g, err := topo.Build(spec, chip)
	require.NoError(t, err)
	return newBench(t, chip, g.Devices, append(change, func(c *Config) { c.Graph = g })...)
}

// clos is a topology of servers with one host each.
func clos(servers, devices int) topo.Spec {
	return topo.Spec{Kind: "clos", Servers: servers, Devices: devices, Hosts: 1}
}

func (b *bench) process() *Process {
	p, err := b.rt.NewProcess(ProcessConfig{})
	require.NoError(b.t, err)
	return p
}

// run runs f as the only thread of a process, on device 0.
func (b *bench) run(f func(t *Thread)) sim.Result {
	b.process().Go("main", func(t *Thread) {
		if assert.NoError(b.t, t.Init("")) && assert.NoError(b.t, t.SetDevice(0)) {
			f(t)
		}
	})
	return b.eng.Run(0)
}

// work queues a kernel that takes d.
func (t *Thread) work(s *Stream, d sim.Time) error {
	if s == nil {
		s = t.ctx.def
	}
	return t.push("test", s, &device.Task{Kind: device.KindDelay, Value: uint64(d)}, &TaskRow{Type: TypeKernel, What: "work"})
}

// reduce queues an SDMA sum of fp16 numbers: n bytes of src into dst.
func (t *Thread) reduce(s *Stream, dst, src mem.Addr, n int64) error {
	if s == nil {
		s = t.ctx.def
	}
	return t.push("test", s, &device.Task{Kind: device.KindReduce, Dst: dst, Src: src, Len: n, Dtype: mem.FP16, Red: mem.Sum},
		&TaskRow{Type: TypeMemcpy, What: "reduce", Dst: dst, Src: src, Size: n})
}

// function finds a kernel of the tests' own module on the current device.
func (b *bench) function(t *Thread, name string) *Function {
	b.t.Helper()
	bin, err := t.BinaryLoadFromFile(rulesModule)
	require.NoError(b.t, err)
	f, err := t.BinaryGetFunction(bin, name)
	require.NoError(b.t, err)
	return f
}

// args collects 64-bit arguments.
func (b *bench) args(t *Thread, f *Function, values ...uint64) *KernelArgs {
	a, err := t.KernelArgsInit(f)
	b.must(err)
	for _, v := range values {
		_, err := t.AppendUint64(a, v)
		b.must(err)
	}
	b.must(t.KernelArgsFinalize(a))
	return a
}

func memAddr(v uint64) mem.Addr { return mem.Addr(v) }

// floats is n times the number in fp32.
func floats(n int, v float32) (b []byte) {
	for range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// must fails the test unless err is nil.
func (b *bench) must(errs ...error) {
	b.t.Helper()
	for _, err := range errs {
		assert.NoError(b.t, err)
	}
}

// code checks the code of an error.
func (b *bench) code(want Code, err error) {
	b.t.Helper()
	assert.Equal(b.t, want, CodeOf(err), "%v", err)
}

func TestCodes(t *testing.T) {
	err := fail(NoStreamResource, "aclrtCreateStream", "x")
	assert.ErrorIs(t, err, NoStreamResource)
	assert.NotErrorIs(t, err, NoNotifyResource)
	assert.Equal(t, NoStreamResource, CodeOf(err))
	assert.Equal(t, Success, CodeOf(nil))
	assert.Equal(t, "acl: aclrtCreateStream: ACL_ERROR_RT_NO_STREAM_RESOURCE (207008): x", err.Error())
	assert.Equal(t, "code 7", Code(7).String())
	assert.Equal(t, InternalError, CodeOf(assert.AnError))
}

// The codes of the fault table: what a latched fault makes the next synchronise return.
func TestFaultCodes(t *testing.T) {
	b := newBench(t, &soc.Chip{Generation: "A3"}, 1)
	d := b.sys.Devices()[0]
	for _, c := range []struct {
		f    device.Fault
		want Code
	}{
		{device.Fault{Cause: device.CauseSDMA}, SysDMA},
		{device.Fault{Cause: device.CauseNotify}, TaskTimeout},
		{device.Fault{Cause: device.CauseNotify, Sub: 3}, FFTSPlusTimeout},
		{device.Fault{Cause: device.CauseLink, Status: 12}, LinkError},
		{device.Fault{Cause: device.CauseLink, Status: 10}, SysDMA},
		{device.Fault{Cause: device.CauseAICore}, AICoreException},
		{device.Fault{Cause: device.CauseAICPU}, AICPUException},
		{device.Fault{Cause: device.CauseEvent}, WaitTimeout},
		{device.Fault{Cause: device.CauseLost}, LostHeartbeat},
		{device.Fault{Cause: device.CauseCCU}, TSError},
		{device.Fault{Cause: device.CauseTask, Code: 507034}, VectorCoreTimeout},
	} {
		assert.Equal(t, c.want, FaultCode(&c.f, d), "%v", c.f.Cause)
	}
	assert.Equal(t, Success, FaultCode(nil, d))
}
