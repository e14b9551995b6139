package acl

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/wasm"
)

// linked is a bench with a network of the embedded ub plugin.
func linked(t *testing.T, chip *soc.Chip, servers, devices int) *bench {
	b := &bench{t: t, eng: sim.New(1), mem: mem.NewSpace(mem.Real)}
	g, err := topo.Build(clos(servers, devices), chip)
	require.NoError(t, err)
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { rt.Close() })
	bin, err := os.ReadFile("../../plugins/ub/ub.wasm")
	require.NoError(t, err)
	m, err := rt.Load("ub", bin, abi.Transport)
	require.NoError(t, err)
	d, err := m.Describe()
	require.NoError(t, err)
	s, err := d.Resolve("ub", nil)
	require.NoError(t, err)
	p, err := transport.NewModule(m, transport.ModuleConfig{Engine: b.eng, Settings: s})
	require.NoError(t, err)
	cars := map[topo.Protocol]transport.Carrier{}
	for _, proto := range g.Carried().List() {
		if proto != topo.PCIE {
			cars[proto] = transport.Carrier{Plugin: p}
		}
	}
	net, err := transport.New(transport.Config{Engine: b.eng, Graph: g, Fabric: fabric.New(fabric.Config{Engine: b.eng, Graph: g}), Mem: b.mem,
		Carriers: cars, Headers: chip.Headers})
	require.NoError(t, err)
	b.net = net
	b.sys = device.NewSystem(device.SystemConfig{Engine: b.eng, Mem: b.mem, Net: net, Graph: g})
	for i := range g.Devices {
		_, err := device.New(b.sys, device.Config{Chip: chip, Node: topo.NodeID(i)})
		require.NoError(t, err)
	}
	b.rt = New(Config{System: b.sys, Graph: g, Rows: true})
	return b
}

// Peer access is one-directional and of the process: push and pull of the
// device that has it work with real bytes, the other direction stays refused.
func TestPeerAccessIsOneDirectional(t *testing.T) {
	b := linked(t, profile(t, "a3"), 1, 4)
	r := b.run(func(th *Thread) {
		a0, err := th.Malloc(1<<20, 0)
		b.must(err, th.SetDevice(1))
		a1, err := th.Malloc(1<<20, 0)
		b.must(err)
		n1, err := th.CreateNotify(0)
		b.must(err, th.WaitAndResetNotify(n1, nil, 0), b.mem.Fill(a0, 1<<20, 5), th.SetDevice(0))
		ok, err := th.DeviceCanAccessPeer(0, 1)
		b.must(err)
		assert.True(t, ok)
		_, err = th.DeviceCanAccessPeer(1, 1)
		b.code(InvalidDeviceID, err)
		b.code(NoPermission, th.MemcpyAsync(a1, 1<<20, a0, 1<<20, DeviceToDevice, nil))
		b.code(ParamInvalid, th.DeviceEnablePeerAccess(1, 3))
		b.must(th.DeviceEnablePeerAccess(1, 0))
		ok, _ = th.DevicePeerAccessStatus(0, 1)
		assert.True(t, ok)
		ok, _ = th.DevicePeerAccessStatus(1, 0)
		assert.False(t, ok)

		start := th.Proc().Now()
		b.must(th.Memcpy(a1, 1<<20, a0, 1<<20, InterDevicesMemcpy))
		took := th.Proc().Now() - start
		chip := b.sys.Devices()[0].Chip()
		assert.Greater(t, took, chip.SDMA.Alpha+chip.Group(soc.Switch).Rate.Time(1<<20)/sim.Time(chip.Group(soc.Switch).Count), "no faster than all ports together")
		assert.Less(t, took, sim.Millisecond)
		got := make([]byte, 1<<20)
		b.must(b.mem.Read(a1, got))
		assert.Equal(t, byte(5), got[0])
		assert.Equal(t, byte(5), got[1<<20-1])

		b.must(th.Memset(a0, 1<<20, 0, 1<<20), th.MemcpyAsync(a0, 100, a1, 100, DeviceToDevice, nil), th.RecordNotify(n1, nil), th.SynchronizeStream(nil))
		b.must(b.mem.Read(a0, got[:101]))
		assert.Equal(t, byte(5), got[99])
		assert.Equal(t, byte(0), got[100])

		b.must(th.SetDevice(1), th.SynchronizeStream(nil)) // the notify has come
		b.code(NoPermission, th.Memcpy(a0, 8, a1, 8, DeviceToDevice))
		b.must(th.SetDevice(0), th.DeviceDisablePeerAccess(1))
		b.code(NoPermission, th.Memcpy(a1, 8, a0, 8, DeviceToDevice))
	})
	assert.Equal(t, sim.Done, r.Reason)
	assert.Nil(t, r.Stall)
}

// Two servers: a process sees its own server's devices.
func TestProcessesSeeTheirServer(t *testing.T) {
	b := linked(t, profile(t, "a3"), 2, 2)
	p, err := b.rt.NewProcess(ProcessConfig{Server: 1})
	b.must(err)
	all := p.Devices()
	require.Len(t, all, 2)
	assert.Equal(t, []int{2, 3}, []int{all[0].Index(), all[1].Index()})
	p.Go("main", func(th *Thread) {
		m, err := th.GetRunMode()
		b.must(err)
		assert.Equal(t, 1, m)
	})
	b.eng.Run(0)
}
