package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/sim"
)

// R010, R011, R012, R013: contexts own a default stream; one is current per
// thread; they keep their device; a thread may have several.
func TestContexts(t *testing.T) {
	b := newBench(t, testChip(), 2)
	p := b.process()
	p.Go("main", func(th *Thread) {
		_, err := th.GetCurrentContext()
		b.code(ContextNull, err)
		b.must(th.SetDevice(0))
		c0, err := th.GetCurrentContext()
		b.must(err)
		assert.True(t, c0.IsDefault())
		assert.Len(t, c0.Streams(), 1)
		assert.True(t, c0.DefaultStream().IsDefault())
		c1, err := th.CreateContext(1)
		b.must(err)
		c2, err := th.CreateContext(0)
		b.must(err)
		assert.Len(t, c2.Streams(), 1)
		assert.NotSame(t, c0.DefaultStream(), c2.DefaultStream())
		cur, _ := th.GetCurrentContext()
		assert.Same(t, c2, cur, "a new context is current")
		b.must(th.SetCurrentContext(c1))
		dev, err := th.GetDevice()
		b.must(err)
		assert.Equal(t, 1, dev, "the device follows the context")
		b.must(th.work(nil, us), th.SetCurrentContext(c2), th.work(nil, us), th.SetCurrentContext(c0))
		assert.Equal(t, 0, c0.LogicDevice())
		assert.Equal(t, 1, c1.LogicDevice())

		b.code(ParamInvalid, th.DestroyContext(c0))
		b.code(ParamInvalid, th.DestroyContext(nil))
		b.must(th.DestroyContext(c2))
		b.code(ContextNull, th.SetCurrentContext(c2))
		b.code(ContextNull, th.DestroyContext(c2))
		b.must(th.SetCurrentContext(c1), th.DestroyContext(c1))
		_, err = th.GetCurrentContext()
		b.code(ContextNull, err)
	})
	p.Go("other", func(th *Thread) {
		th.Proc().Sleep(us)
		_, err := th.GetCurrentContext()
		b.code(ContextNull, err)
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

func TestSetAndResetCount(t *testing.T) {
	b := newBench(t, testChip(), 1)
	p := b.process()
	dev := b.sys.Devices()[0]
	p.Go("main", func(th *Thread) {
		b.code(ContextNull, th.ResetDevice(0))
		b.must(th.SetDevice(0), th.SetDevice(0))
		ctx := th.Current()
		s, err := th.CreateStream()
		b.must(err, th.work(s, 8*us), th.ResetDevice(0))
		assert.Same(t, ctx, th.Current(), "one SetDevice is left")
		assert.Equal(t, 14, dev.FreeStreams())
		x, err := th.CreateContext(0)
		b.must(err, th.SetCurrentContext(ctx))
		b.must(th.ResetDevice(0))
		assert.Equal(t, 8*us, th.Proc().Now(), "it waits for the tasks of the default context")
		assert.Equal(t, 16, dev.FreeStreams())
		assert.Nil(t, th.Current())
		b.code(ContextReleaseError, th.SetCurrentContext(x))
		b.code(ContextNull, th.SynchronizeStream(nil))
		b.must(th.SetDevice(0), th.SetDevice(0), th.ResetDeviceForce(0))
		b.code(ContextNull, th.ResetDevice(0))
		b.must(th.SetDevice(0))
		assert.NotSame(t, ctx, th.Current())
	})
	b.eng.Run(0)
}

func TestVisibleDevices(t *testing.T) {
	b := newBench(t, testChip(), 4)
	p, err := b.rt.NewProcess(ProcessConfig{Visible: []int{3, 1}})
	b.must(err)
	p.Go("main", func(th *Thread) {
		n, err := th.GetDeviceCount()
		b.must(err, th.Init(""))
		assert.Equal(t, 2, n)
		b.code(InvalidDeviceID, th.SetDevice(2))
		b.code(InvalidDeviceID, th.SetDevice(-1))
		b.must(th.SetDevice(0))
		assert.Equal(t, 3, th.Current().Device().Index())
		phys, err := th.GetPhyDevIdByLogicDevId(1)
		b.must(err)
		assert.Equal(t, 1, phys)
		logic, err := th.GetLogicDevIdByPhyDevId(3)
		b.must(err)
		assert.Equal(t, 0, logic)
		_, err = th.GetLogicDevIdByPhyDevId(0)
		b.code(InvalidDeviceID, err)
		assert.Equal(t, "Ascend000", th.GetSocName())
		pid, err := th.DeviceGetBareTgid()
		b.must(err)
		assert.Equal(t, p.Pid(), pid)
	})
	b.eng.Run(0)
	for _, bad := range [][]int{{0, 4}, {1, 1}, {-1}} {
		_, err := b.rt.NewProcess(ProcessConfig{Visible: bad})
		assert.Error(t, err, bad)
	}
	_, err = b.rt.NewProcess(ProcessConfig{Server: 1})
	assert.Error(t, err)
}

func TestInitAndFinalize(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		b.code(ACLRepeatInitialize, th.Init(""))
		b.must(th.work(nil, us), th.Finalize())
		assert.Equal(t, us, th.Proc().Now())
		assert.Equal(t, 16, b.sys.Devices()[0].FreeStreams())
		b.code(ACLRepeatFinalize, th.Finalize())
		b.code(ACLUninitialize, th.SetDevice(0))
		_, err := th.GetDeviceCount()
		b.code(ACLUninitialize, err)
		b.must(th.Init(""), th.SetDevice(0))
	})
}

// Host calls take the profile's host time.
func TestHostCost(t *testing.T) {
	c := testChip()
	c.HostCall, c.HostLaunch = 2*us, 5*us
	b := newBench(t, c, 1)
	b.run(func(th *Thread) {
		assert.Equal(t, 4*us, th.Proc().Now(), "aclInit and SetDevice")
		n, err := th.CreateNotify(0)
		b.must(err, th.RecordNotify(n, nil))
		assert.Equal(t, 13*us, th.Proc().Now())
	})
}
