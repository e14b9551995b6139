package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// R004: one runner drives two devices, two runners drive one; all on one host.
func TestR004RunnersAndDevices(t *testing.T) {
	b := wired(t, profile(t, "a3"), clos(1, 2))
	p := b.process()
	p.Go("both", func(th *Thread) { b.must(th.SetDevice(0), th.SetDevice(1)) })
	p.Go("second", func(th *Thread) { th.Proc().Sleep(ms); b.must(th.SetDevice(1)) })
	b.eng.Run(0)
	runners := Rows[RunnerRow](b.rt)
	require.Len(t, runners, 2)
	assert.Equal(t, runners[0].HostID, runners[1].HostID)
	assert.Equal(t, 0, runners[0].HostID, "hosts count from 0")
	var devices []int
	for _, c := range Rows[ContextRow](b.rt) {
		assert.Equal(t, 1, c.RunID, "the second runner shares the default context")
		devices = append(devices, c.DeviceID)
	}
	assert.Equal(t, []int{0, 1}, devices)
	assert.Equal(t, runners[0].CurrentID, runners[1].CurrentID)
}

// R005: where a server has no host, its devices' own CPUs run the programs.
func TestR005TheDeviceAsHost(t *testing.T) {
	for hosts, mode := range map[int]int{0: 0, 1: 1} {
		spec := clos(1, 2)
		spec.Hosts = hosts
		b := wired(t, profile(t, "a3"), spec)
		b.run(func(th *Thread) {
			got, err := th.GetRunMode()
			b.must(err)
			assert.Equal(t, mode, got)
		})
		for _, s := range Rows[DeviceStatusRow](b.rt) {
			assert.Equal(t, mode == 1, s.RunByHost)
		}
		assert.Equal(t, 0, Rows[RunnerRow](b.rt)[0].HostID, "the CPU of the device is a host as well")
	}
}

// R006: a device of another server is none to set; its memory is reached by fabric
// handle, on whose list the importer's sdid and pid are.
func TestR006AnotherServerBySdid(t *testing.T) {
	c := profile(t, "a3")
	b := linked(t, c, 2, 2)
	far, err := b.rt.NewProcess(ProcessConfig{Server: 1})
	b.must(err)
	near := b.process()
	var f FabricHandle
	var fd uint64
	near.Go("owner", func(th *Thread) {
		b.must(th.SetDevice(0))
		b.code(InvalidDeviceID, th.SetDevice(2)) // sdid 2 is on the other server
		h, err := th.MallocPhysical(hugePage, PhysicalProp{Attr: AttrHBMHuge, Location: LocationDevice}, 0)
		b.must(err)
		f, err = th.MemExportToFabricHandle(h, 0)
		b.must(err)
		fd, err = th.MemExportToShareableHandle(h, 0, 0)
		b.must(err, th.MemSetPidToFabricHandle(f, 2, far.Pid()))
	})
	far.Go("user", func(th *Thread) {
		th.Proc().Sleep(us)
		b.must(th.SetDevice(0)) // sdid 2
		sdid, err := th.GetDeviceInfo(0, InfoSuperDevice)
		b.must(err)
		assert.EqualValues(t, 2, sdid)
		_, err = th.MemImportFromShareableHandle(fd, 0)
		b.code(ParamInvalid, err) // numbers are those of one server
		_, err = th.MemImportFromFabricHandle(f, 1)
		b.code(NoPermission, err) // sdid 3 is not listed
		h, err := th.MemImportFromFabricHandle(f, 0)
		b.must(err)
		va, err := th.ReserveMemAddress(hugePage, 0, 0, 1)
		b.must(err, th.MapMem(va, hugePage, 0, h, 0))
		own, err := th.Malloc(64, 0)
		b.must(err, b.mem.Write(own, []byte("across")), th.Memcpy(va, 64, own, 64, DeviceToDevice))
		got := make([]byte, 6)
		b.must(b.mem.Read(va, got))
		assert.Equal(t, "across", string(got))
		assert.Equal(t, 0, one(t, b, func(x PhyMemBlockRow) bool { return x.PhyMemID == int(h.Block()) }).DeviceID)
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
	assert.Equal(t, "fabric", Rows[FdMemRow](b.rt)[0].Type)
}

// R007: an A3 has 1984 streams, the default one included.
func TestR007MaxStreams(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.run(func(th *Thread) {
		assert.Equal(t, 1984, Rows[DeviceRow](b.rt)[0].MaxStreamCnt)
		for range 1983 {
			if _, err := th.CreateStream(); !assert.NoError(t, err) {
				return
			}
		}
		_, err := th.CreateStream()
		b.code(NoStreamResource, err)
		n, err := th.GetStreamAvailableNum()
		b.must(err)
		assert.Zero(t, n)
	})
	assert.Len(t, Rows[StreamRow](b.rt), 1984)
}

// R008: a 910D has two dies with a communication unit each, an A3 none.
func TestR008CcuDies(t *testing.T) {
	for name, want := range map[string]int{"910d": 2, "950pr": 2, "a3": 0, "a2": 0, "910": 0} {
		b := newBench(t, profile(t, name), 1)
		b.run(func(th *Thread) {
			n, err := th.GetCcudieNum(0)
			b.must(err)
			assert.Equal(t, want, n, name)
			_, err = th.GetCcudieNum(1)
			b.code(InvalidDeviceID, err)
		})
		assert.Len(t, Rows[CcuRow](b.rt), want, name)
		assert.Equal(t, want, Rows[DeviceRow](b.rt)[0].CcuDieNum)
	}
}

// R009: logic ids count the visible devices, and map both ways.
func TestR009LogicIds(t *testing.T) {
	b := newBench(t, testChip(), 4)
	p, err := b.rt.NewProcess(ProcessConfig{Visible: []int{2, 0, 3}})
	b.must(err)
	p.Go("main", func(th *Thread) {
		n, err := th.GetDeviceCount()
		b.must(err)
		assert.Equal(t, 3, n)
		for logic, physical := range []int{2, 0, 3} {
			got, err := th.GetPhyDevIdByLogicDevId(logic)
			b.must(err)
			assert.Equal(t, physical, got)
			got, err = th.GetLogicDevIdByPhyDevId(physical)
			b.must(err)
			assert.Equal(t, logic, got)
		}
		_, err = th.GetLogicDevIdByPhyDevId(1)
		b.code(InvalidDeviceID, err)
		_, err = th.GetPhyDevIdByLogicDevId(3)
		b.code(InvalidDeviceID, err)
	})
	none, err := b.rt.NewProcess(ProcessConfig{Visible: []int{}})
	b.must(err)
	none.Go("main", func(th *Thread) {
		_, err := th.GetDeviceCount()
		b.code(NoDevice, err)
		assert.Empty(t, th.GetSocName())
		b.code(InvalidDeviceID, th.SetDevice(0))
	})
	b.eng.Run(0)
}

// R010: every context has a default stream of its own.
func TestR010DefaultStreams(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		_, err := th.CreateContext(0)
		b.must(err)
	})
	rows := Rows[StreamRow](b.rt)
	require.Len(t, rows, 2)
	assert.Equal(t, []bool{true, false}, []bool{rows[0].IsPrimaryDefault, rows[0].IsOtherDefault})
	assert.Equal(t, []bool{false, true}, []bool{rows[1].IsPrimaryDefault, rows[1].IsOtherDefault})
	assert.NotEqual(t, rows[0].CtxID, rows[1].CtxID)
	assert.NotEqual(t, rows[0].SqBaseAddr, rows[1].SqBaseAddr)
}

// R011: a runner has one current context at a time, other runners their own.
func TestR011OneCurrentContext(t *testing.T) {
	b := newBench(t, testChip(), 1)
	p := b.process()
	p.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		first := th.Current()
		second, err := th.CreateContext(0)
		b.must(err)
		current := func() int { return Rows[RunnerRow](b.rt)[0].CurrentID }
		assert.Equal(t, second.ID(), current())
		b.must(th.SetCurrentContext(first))
		assert.Equal(t, first.ID(), current())
		assert.Zero(t, Rows[RunnerRow](b.rt)[1].CurrentID, "the other runner has none")
	})
	p.Go("other", func(*Thread) {})
	b.eng.Run(0)
}

// R012: a context keeps its device; its streams do not work in another one.
func TestR012ContextsKeepTheirDevice(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err, th.SetDevice(1))
		b.code(StreamContext, th.SynchronizeStream(s))
		b.must(th.ResetDevice(1))
		rows := Rows[ContextRow](b.rt)
		require.Len(t, rows, 2)
		assert.Equal(t, 0, rows[0].DeviceID)
		assert.Equal(t, 1, rows[1].DeviceID)
		assert.True(t, rows[1].Gone, "destroyed contexts stay as rows")
	})
}

// R013: a runner makes several contexts and switches between them.
func TestR013SeveralContexts(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		one, err := th.CreateContext(0)
		b.must(err)
		two, err := th.CreateContext(1)
		b.must(err)
		for _, c := range []*Context{one, two, one} {
			b.must(th.SetCurrentContext(c), th.work(nil, us), th.SynchronizeStream(nil))
			d, err := th.GetDevice()
			b.must(err)
			assert.Equal(t, c.LogicDevice(), d)
		}
		for _, c := range Rows[ContextRow](b.rt)[1:] {
			assert.Equal(t, th.RunID(), c.RunID)
		}
	})
}

// R019: peer access is a row of one direction, and a copy needs it.
func TestR019DeviceConnection(t *testing.T) {
	b := wired(t, profile(t, "a3"), clos(1, 4))
	b.run(func(th *Thread) {
		d0, err := th.Malloc(8, 0)
		b.must(err, th.SetDevice(1))
		d1, err := th.Malloc(8, 0)
		b.must(err, th.SetDevice(0))
		ok, err := th.DeviceCanAccessPeer(0, 1)
		b.must(err)
		assert.True(t, ok)
		assert.Empty(t, Rows[ConnectionRow](b.rt), "asking makes no connection")
		b.code(NoPermission, th.MemcpyAsync(d1, 8, d0, 8, DeviceToDevice, nil))
		b.must(th.DeviceEnablePeerAccess(1, 0), th.DeviceEnablePeerAccess(2, 0))
		rows := Rows[ConnectionRow](b.rt)
		require.Len(t, rows, 2)
		assert.Equal(t, []int{0, 1}, []int{rows[0].SrcDevID, rows[0].DstDevID})
		assert.Equal(t, TopoSIO, rows[0].LinkType, "two dies of a package")
		assert.Equal(t, TopoHCCSSwitch, rows[1].LinkType)
		assert.False(t, rows[0].AccessByRemote)
		b.must(th.SetDevice(1), th.DeviceEnablePeerAccess(0, 0))
		assert.True(t, Rows[ConnectionRow](b.rt)[0].AccessByRemote)
		b.must(th.SetDevice(0), th.DeviceDisablePeerAccess(1))
		b.code(ParamInvalid, th.DeviceDisablePeerAccess(1))
		assert.True(t, Rows[ConnectionRow](b.rt)[0].Gone)
		b.code(InvalidDeviceID, th.DeviceEnablePeerAccess(0, 0))
		b.code(InvalidDeviceID, th.DeviceDisablePeerAccess(0))
	})
}

// R020: each attribute of the table is read or changed by the call named beside it.
func TestR020AttributesAndCalls(t *testing.T) {
	b := wired(t, profile(t, "a3"), clos(1, 4))
	device := func() DeviceRow { return Rows[DeviceRow](b.rt)[0] }
	b.run(func(th *Thread) {
		pid, err := th.DeviceGetBareTgid()
		b.must(err)
		assert.Equal(t, pid, Rows[RunnerRow](b.rt)[0].Pid)
		n, err := th.GetDeviceCount()
		b.must(err)
		assert.Len(t, Rows[DeviceRow](b.rt), n)
		logic, err := th.GetDevice()
		b.must(err)
		assert.Equal(t, device().LogicID, logic)
		phys, err := th.GetPhyDevIdByLogicDevId(0)
		b.must(err)
		assert.Equal(t, device().PhysicalID, phys)
		assert.Equal(t, device().SocName, th.GetSocName())

		mode, err := th.GetDeviceSatMode()
		b.must(err)
		assert.Equal(t, SatInfNaN, mode)
		b.must(th.SetDeviceSatMode(SatSaturate))
		assert.Equal(t, int(SatSaturate), device().OverflowMode)
		b.code(ParamInvalid, th.SetDeviceSatMode(SatUndefined))

		kind, err := th.GetDevicesTopo(0, 1)
		b.must(err, th.DeviceEnablePeerAccess(1, 0))
		assert.Equal(t, kind, Rows[ConnectionRow](b.rt)[0].LinkType)

		c, err := th.GetCurrentContext()
		b.must(err)
		assert.True(t, one(t, b, func(x ContextRow) bool { return x.CtxID == c.ID() }).IsDefault)
		addr, err := th.CtxGetFloatOverflowAddr()
		b.must(err)
		assert.Equal(t, addr, Rows[ContextRow](b.rt)[0].OverflowAddr)

		s, err := th.CreateStreamWithConfig(3, StreamFastLaunch|StreamFastSync)
		b.must(err)
		row := func() StreamRow { return one(t, b, func(x StreamRow) bool { return x.StreamID == s.UID() }) }
		assert.Equal(t, 3, row().Priority)
		assert.Equal(t, "fast launch, fast sync", row().ScheduleStrategy)
		b.must(th.work(s, ms))
		assert.Equal(t, 1, row().Complete)
		b.must(th.SynchronizeStream(s))
		assert.Equal(t, 0, row().Complete)
		b.must(th.StopStream(s))
		assert.False(t, row().Activated)
		b.must(th.ActivateStream(s), th.SetStreamAttribute(s, AttrFailureMode, 1), th.SetStreamAttribute(s, AttrUserTag, 9))
		assert.EqualValues(t, 1, row().FailureMode)
		assert.EqualValues(t, 9, row().UserTag)
		b.must(th.DestroyStream(s))
		assert.True(t, row().Gone)
	})
}

// The kinds of connection between devices of one server.
func TestDevicesTopo(t *testing.T) {
	for _, c := range []struct {
		chip string
		spec topo.Spec
		a, b int
		want TopoKind
	}{
		{"a3", clos(1, 4), 0, 0, 0},
		{"a3", clos(1, 4), 0, 1, TopoSIO},
		{"a3", clos(1, 4), 1, 2, TopoHCCSSwitch},
		{"a2", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8, Hosts: 1}, 0, 7, TopoHCCS},
		{"a2", topo.Spec{Kind: "mesh", Servers: 1, Devices: 16, Hosts: 1, Params: topo.Params{Dims: []int{8}}}, 0, 1, TopoHCCS},
		{"910", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8, Hosts: 2}, 0, 5, TopoSYS},
		{"910", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8, Hosts: 1}, 0, 5, TopoPHB},
	} {
		g, err := topo.Build(c.spec, profile(t, c.chip))
		require.NoError(t, err, c.chip)
		b := newBench(t, profile(t, c.chip), g.Devices, func(x *Config) { x.Graph = g })
		b.run(func(th *Thread) {
			got, err := th.GetDevicesTopo(c.a, c.b)
			b.must(err)
			assert.Equal(t, c.want, got, "%s %d-%d", c.chip, c.a, c.b)
			_, err = th.GetDevicesTopo(0, 99)
			b.code(InvalidDeviceID, err)
		})
	}
}

func TestDeviceInfo(t *testing.T) {
	c := profile(t, "a3")
	b := wired(t, c, clos(2, 4))
	b.run(func(th *Thread) {
		for a, want := range map[DeviceAttr]int64{InfoAICPUs: int64(c.AICPUs), InfoAICores: int64(c.CubeCores), InfoCubeCores: int64(c.CubeCores),
			InfoVectorCores: int64(c.VectorCores), InfoLocalMemory: c.LocalMemBytes, InfoHBM: c.HBMBytes, InfoL2: c.L2, InfoSMP: 0, InfoChip: 1,
			InfoSuperDevice: 3, InfoSuperServer: 0, InfoSuperPod: 0, InfoVirtual: 0} {
			got, err := th.GetDeviceInfo(3, a)
			b.must(err)
			assert.Equal(t, want, got, "attribute %d", a)
		}
		_, err := th.GetDeviceInfo(0, 999)
		b.code(ParamInvalid, err)
		_, err = th.GetDeviceInfo(0, InfoWarpSize)
		b.code(FeatureNotSupport, err)
		_, err = th.GetDeviceInfo(4, InfoHBM)
		b.code(InvalidDeviceID, err)
	})
}

// The mode of a device is what its reductions do: fp16 60000 + 60000 is infinite,
// or the largest number.
func TestSaturationMode(t *testing.T) {
	for mode, want := range map[SatMode][]byte{SatInfNaN: {0x00, 0x7c}, SatSaturate: {0xff, 0x7b}} {
		b := newBench(t, testChip(), 1)
		b.run(func(th *Thread) {
			d, err := th.Malloc(4, 0)
			b.must(err, b.mem.Write(d, []byte{0x53, 0x7b, 0x53, 0x7b}), th.SetDeviceSatMode(mode))
			b.must(th.reduce(nil, d, d+2, 2), th.SynchronizeStream(nil))
			got := make([]byte, 2)
			b.must(b.mem.Read(d, got))
			assert.Equal(t, want, got)
		})
	}
	b := newBench(t, &soc.Chip{Name: "first", Generation: "910", HBMBytes: 1 << 20, MaxStreams: 9}, 1)
	b.run(func(th *Thread) {
		b.code(FeatureNotSupport, th.SetDeviceSatMode(SatInfNaN))
		m, err := th.GetDeviceSatMode()
		b.must(err)
		assert.Equal(t, SatSaturate, m)
		s, err := th.CreateStream()
		b.must(err)
		b.code(FeatureNotSupport, th.SetStreamFailureMode(nil, 1))
		b.must(th.SetStreamFailureMode(s, 1))
		b.code(FeatureNotSupport, th.SetTsDevice(1))
		b.code(ParamInvalid, th.SetTsDevice(2))
		h, err := th.MallocHost(4096)
		b.must(err)
		_, err = th.HostRegister(h, 4096, HostMapped)
		b.code(FeatureNotSupport, err)
	})
	assert.Equal(t, mem.SaturateFloat, b.sys.Devices()[0].Overflow())
}
