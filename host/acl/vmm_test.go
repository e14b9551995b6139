package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/mem"
	"hsim/host/sim"
)

// Reserve, map, unmap, release: the order and every refusal.
func TestVirtualMemory(t *testing.T) {
	b := newBench(t, roomy(), 2)
	b.run(func(th *Thread) {
		g, err := th.MemGetAllocationGranularity(hbm, 0)
		b.must(err)
		assert.EqualValues(t, hugePage, g)
		g, err = th.MemGetAllocationGranularity(PhysicalProp{Attr: AttrHBMHuge1G, Location: LocationDevice}, 1)
		b.must(err)
		assert.EqualValues(t, giantPage, g)
		for _, bad := range []PhysicalProp{{}, {Attr: 12, Location: LocationDevice}, {Attr: -1, Location: LocationDevice}, {Location: LocationDevice, Reserve: 1}} {
			_, err := th.MallocPhysical(hugePage, bad, 0)
			b.code(ParamInvalid, err)
		}
		_, err = th.MallocPhysical(hugePage, PhysicalProp{Location: LocationDevice, Device: 2}, 0)
		b.code(InvalidDeviceID, err)
		_, err = th.MallocPhysical(hugePage, hbm, 1)
		b.code(ParamInvalid, err)
		for _, size := range []int64{0, -hugePage, hugePage + 1} {
			_, err = th.MallocPhysical(size, hbm, 0)
			b.code(ParamInvalid, err)
			_, err = th.ReserveMemAddress(size, 0, 0, 0)
			b.code(ParamInvalid, err)
		}
		_, err = th.MallocPhysical(512<<20, hbm, 0)
		b.code(MemoryAllocation, err)
		_, err = th.ReserveMemAddress(hugePage, 64, 0, 0)
		b.code(ParamInvalid, err)
		_, err = th.ReserveMemAddress(hugePage, 0, 0, 2)
		b.code(ParamInvalid, err)

		h, err := th.MallocPhysical(2*hugePage, hbm, 0)
		b.must(err)
		peer, err := th.MallocPhysical(hugePage, PhysicalProp{Attr: AttrHBMHuge, Location: LocationDevice, Device: 1}, 0)
		b.must(err)
		va, err := th.ReserveMemAddress(8*hugePage, 0, 0, 1)
		b.must(err)
		b.code(ParamInvalid, th.Memset(va, 8, 1, 8)) // nothing mapped
		b.code(ParamInvalid, th.MapMem(va, hugePage, 0, h, 0))
		b.code(ParamInvalid, th.MapMem(va, 2*hugePage, 1, h, 0))
		b.code(ParamInvalid, th.MapMem(va, 2*hugePage, 0, h, 1))
		b.code(AddrUnaligned, th.MapMem(va+4096, 2*hugePage, 0, h, 0))
		b.code(ParamInvalid, th.MapMem(va+7*hugePage, 2*hugePage, 0, h, 0))
		b.code(ParamInvalid, th.MapMem(12345, 2*hugePage, 0, h, 0))
		b.code(ParamInvalid, th.MapMem(va, 2*hugePage, 0, nil, 0))
		b.must(th.MapMem(va+2*hugePage, 2*hugePage, 0, h, 0))
		b.code(ParamInvalid, th.MapMem(va+3*hugePage, 2*hugePage, 0, h, 0)) // overlaps
		b.code(ParamInvalid, th.MapMem(va, hugePage, 0, peer, 0))           // another device
		b.must(th.Memset(va+3*hugePage, 8, 1, 8))
		b.code(ParamInvalid, th.Memset(va+4*hugePage-4, 8, 1, 8)) // over the end of the mapping
		p, err := th.PointerGetAttributes(va + 2*hugePage)
		b.must(err)
		assert.Equal(t, PointerAttributes{LocationDevice, 0, hugePage, th.Current().ID()}, p)

		b.code(ParamInvalid, th.FreePhysical(h)) // mapped
		b.code(ParamInvalid, th.ReleaseMemAddress(va))
		b.code(ParamInvalid, th.Free(va))
		b.code(ParamInvalid, th.UnmapMem(va))
		b.code(ParamInvalid, th.UnmapMem(va+3*hugePage))
		b.must(th.UnmapMem(va + 2*hugePage))
		b.code(ParamInvalid, th.UnmapMem(va+2*hugePage))
		b.code(ParamInvalid, th.ReleaseMemAddress(va+hugePage))
		b.must(th.MapMem(va, hugePage, 0, peer, 0), th.UnmapMem(va), th.ReleaseMemAddress(va))
		b.code(ParamInvalid, th.ReleaseMemAddress(va))
		b.must(th.FreePhysical(h))
		b.code(InvalidHandle, th.FreePhysical(h))
		b.code(InvalidHandle, th.MapMem(va, 2*hugePage, 0, h, 0))
		free, total, err := th.GetMemInfo()
		b.must(err)
		assert.Equal(t, total, free)
	})
}

// Access rights of mapped memory: of its own device, and of another one.
func TestMemSetAccess(t *testing.T) {
	b := newBench(t, roomy(), 2)
	b.run(func(th *Thread) {
		h, err := th.MallocPhysical(hugePage, PhysicalProp{Attr: AttrHBMHuge, Location: LocationDevice, Device: 1}, 0)
		b.must(err)
		va, err := th.ReserveMemAddress(hugePage, 0, 0, 1)
		b.must(err, th.MapMem(va, hugePage, 0, h, 0))
		own, err := th.Malloc(64, 0)
		b.must(err)
		b.code(NoPermission, th.MemcpyAsync(own, 64, va, 64, DeviceToDevice, nil))
		b.must(th.MemSetAccess(va, hugePage, []AccessDesc{{3, LocationDevice, 0}, {1, LocationDevice, 1}}))
		b.must(th.MemcpyAsync(own, 64, va, 64, DeviceToDevice, nil))
		b.code(ParamInvalid, th.MemcpyAsync(va, 64, own, 64, DeviceToDevice, nil)) // read only now
		b.code(ParamInvalid, th.MemSetAccess(va, hugePage, []AccessDesc{{2, LocationDevice, 0}}))
		b.code(ParamInvalid, th.MemSetAccess(va, 2*hugePage, []AccessDesc{{1, LocationDevice, 0}}))
		b.code(InvalidDeviceID, th.MemSetAccess(va, hugePage, []AccessDesc{{1, LocationDevice, 7}}))
		b.code(ParamInvalid, th.MemSetAccess(own, 64, []AccessDesc{{1, LocationDevice, 0}}))
	})
}

// Pages by policy: what an allocation takes, and what PointerGetAttributes says.
func TestMallocPolicies(t *testing.T) {
	c := testChip()
	c.HBMBytes = 4 << 30
	b := newBench(t, c, 2)
	b.run(func(th *Thread) {
		for _, x := range []struct {
			policy      uint32
			size, takes int64
			page        int64
		}{
			{MallocHugeFirst, 1, 4096, 4096},
			{MallocHugeFirst, 1 << 20, 1 << 20, 4096},
			{MallocHugeFirst, 1<<20 + 1, 2 << 20, hugePage},
			{MallocHugeOnly, 1, 2 << 20, hugePage},
			{MallocNormalOnly, 3 << 20, 3 << 20, 4096},
			{MallocNormalOnlyP2P | mallocTypeHigh, 5000, 8192, 4096},
			{MallocHuge1G, 1, 1 << 30, giantPage},
		} {
			before, _, _ := th.GetMemInfo()
			a, err := th.MallocWithCfg(x.size, x.policy, []MallocAttr{{MallocModuleID, 33}})
			b.must(err)
			after, _, _ := th.GetMemInfo()
			assert.Equal(t, x.takes, before-after, "policy %#x, %d bytes", x.policy, x.size)
			p, err := th.PointerGetAttributes(a)
			b.must(err)
			assert.Equal(t, x.page, p.PageSize)
			b.must(th.Free(a))
		}
		_, err := th.MallocWithCfg(8, MallocHugeFirst, []MallocAttr{{9, 0}})
		b.code(ParamInvalid, err)
		_, err = th.MallocWithCfg(8, MallocHugeFirst, []MallocAttr{{MallocDeviceID, 5}})
		b.code(InvalidDeviceID, err)
		_, err = th.MallocWithCfg(8, 8, nil)
		b.code(InvalidMallocType, err)
		_, err = th.MallocWithCfg(1<<62, 0, nil)
		b.code(MemoryAllocation, err)
		a, err := th.MallocWithCfg(8, MallocHugeFirst, []MallocAttr{{MallocDeviceID, 1}})
		b.must(err)
		p, _ := th.PointerGetAttributes(a)
		assert.Equal(t, 1, p.Device)
		ts, err := th.MallocForTaskScheduler(64, MallocHugeFirst, nil)
		b.must(err, th.MemsetAsync(ts, 64, 1, 64, nil), th.SynchronizeStream(nil))
		assert.Equal(t, "ts", one(t, b, func(x VirtualPointerRow) bool { return x.StartPtr == ts }).SourceType)
		b.must(th.Free(ts), th.Free(a))
		_, err = th.MallocHostWithCfg(0, nil)
		b.code(ParamInvalid, err)
		_, err = th.MallocHostWithCfg(8, []MallocAttr{{MallocDeviceID, 0}})
		b.code(ParamInvalid, err)
		h, err := th.MallocHostWithCfg(8, []MallocAttr{{MallocModuleID, 1}})
		b.must(err)
		b.code(ParamInvalid, th.Free(h))
		b.must(th.FreeHost(h))
		_, err = th.PointerGetAttributes(0)
		b.code(ParamInvalid, err)
	})
}

// "Huge first" takes normal pages when huge ones do not fit any more.
func TestHugeFirstFallsBack(t *testing.T) {
	c := testChip()
	c.HBMBytes = 7 << 20
	b := newBench(t, c, 1)
	b.run(func(th *Thread) {
		for range 2 {
			_, err := th.Malloc(1500<<10, MallocHugeFirst)
			b.must(err)
		}
		_, err := th.Malloc(2500<<10, MallocHugeOnly)
		b.code(MemoryAllocation, err)
		_, err = th.Malloc(2500<<10, MallocHugeFirst)
		b.must(err)
		free, _, _ := th.GetMemInfo()
		assert.EqualValues(t, 3<<20-2500<<10, free)
	})
}

// B41: a batch of 4097 pieces, or with one bad piece, copies nothing; 4096 work.
func TestB41BatchCopies(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		d, err1 := th.Malloc(4096, 0)
		h, err2 := th.MallocHost(4096)
		b.must(err1, err2, b.mem.Fill(h, 4096, 5))
		var list []BatchPiece
		for i := range mem.Addr(4096) {
			list = append(list, BatchPiece{d + i, 1, h + i, 1})
		}
		untouched := func() {
			got := make([]byte, 4096)
			b.must(th.SynchronizeStream(nil), b.mem.Read(d, got))
			assert.Equal(t, make([]byte, 4096), got)
		}
		failed, err := th.MemcpyBatch(append(list, list[0]))
		b.code(ParamInvalid, err)
		assert.Equal(t, -1, failed)
		_, err = th.MemcpyBatchAsync(append(list, list[0]), nil)
		b.code(ParamInvalid, err)
		_, err = th.MemcpyBatch(nil)
		b.code(ParamInvalid, err)
		bad := append([]BatchPiece(nil), list...)
		bad[700].Count = 2
		failed, err = th.MemcpyBatch(bad)
		b.code(ParamInvalid, err)
		assert.Equal(t, 700, failed)
		untouched()
		failed, err = th.MemcpyBatch(list)
		b.must(err)
		assert.Equal(t, -1, failed)
		got := make([]byte, 4096)
		b.must(b.mem.Read(d, got))
		assert.Equal(t, byte(5), got[0])
		assert.Equal(t, byte(5), got[4095])
		_, err = th.MemcpyBatchAsync([]BatchPiece{{d, 4096, d, 4096}, {h, 1, d, 1}}, nil)
		b.must(err, th.SynchronizeStream(nil))
	})
}

func TestMemcpy2D(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		d, err1 := th.Malloc(100, 0)
		h, err2 := th.MallocHost(100)
		b.must(err1, err2)
		for i := range 100 {
			b.must(b.mem.Write(h+mem.Addr(i), []byte{byte(i)}))
		}
		b.must(th.Memcpy2D(d, 5, h, 10, 3, 4, HostToDevice))
		got := make([]byte, 20)
		b.must(b.mem.Read(d, got))
		assert.Equal(t, []byte{0, 1, 2, 0, 0, 10, 11, 12, 0, 0, 20, 21, 22, 0, 0, 30, 31, 32, 0, 0}, got)
		b.must(th.Memcpy2DAsync(d+50, 3, d, 5, 3, 4, DeviceToDevice, nil), th.SynchronizeStream(nil), b.mem.Read(d+50, got))
		assert.Equal(t, []byte{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}, got[:12])
		for _, err := range []error{
			th.Memcpy2D(d, 2, h, 10, 3, 4, HostToDevice),
			th.Memcpy2D(d, 5, h, 2, 3, 4, HostToDevice),
			th.Memcpy2D(d, 50, h, 10, 3, 4, HostToDevice),
			th.Memcpy2D(d, 5, h, 10, 3, 0, HostToDevice),
			th.Memcpy2D(d, 5, h, 10, 3, 4, DeviceToHost),
			th.Memcpy2DAsync(d, 5, h, 1<<60, 3, 4, HostToDevice, nil),
		} {
			b.code(ParamInvalid, err)
		}
	})
}

// B42: IPC memory not listed, listed, after the owner is gone, without a list, and
// between devices that nothing joins.
func TestB42IpcMemory(t *testing.T) {
	b := wired(t, profile(t, "a3"), clos(1, 2))
	owner, other := b.process(), b.process()
	keys := map[string]string{}
	owner.Go("A", func(th *Thread) {
		b.must(th.SetDevice(0))
		for _, name := range []string{"closed", "listed", "open"} {
			d, err := th.Malloc(64, 0)
			b.must(err, b.mem.Write(d, []byte(name)))
			keys[name], err = th.IpcMemGetExportKey(d, 64, KeyLen, map[bool]uint64{true: IpcMemNoPidCheck}[name == "open"])
			b.must(err)
		}
		d, err := th.MallocHost(64)
		b.must(err)
		_, err = th.IpcMemGetExportKey(d, 64, KeyLen, 0)
		b.code(InvalidMemoryType, err)
		x, err := th.Malloc(64, 0)
		b.must(err)
		_, err = th.IpcMemGetExportKey(x, 65, KeyLen, 0)
		b.code(ParamInvalid, err)
		_, err = th.IpcMemGetExportKey(x, 64, 64, 0)
		b.code(ParamInvalid, err)
		_, err = th.IpcMemGetExportKey(x, 64, KeyLen, 2)
		b.code(ParamInvalid, err)
		b.must(th.IpcMemSetImportPid(keys["listed"], other.Pid()), th.IpcMemClose(keys["closed"]))
		b.code(ParamInvalid, th.IpcMemClose(keys["closed"]))
	})
	other.Go("B", func(th *Thread) {
		th.Proc().Sleep(ms)
		b.must(th.SetDevice(1))
		_, err := th.IpcMemImportByKey(keys["closed"], 0)
		b.code(IPCError, err)
		a, err := th.IpcMemImportByKey(keys["listed"], 0)
		b.must(err)
		own, err := th.Malloc(64, 0)
		b.must(err)
		b.code(NoPermission, th.MemcpyAsync(own, 64, a, 64, DeviceToDevice, nil)) // another device's
		b.code(ParamInvalid, th.Free(a))
		p, err := th.IpcMemImportByKey(keys["open"], IpcMemPeerAccess)
		b.must(err)
		owner.End() // its memory stays as long as it is imported
		got := make([]byte, 4)
		b.must(b.mem.Read(p, got))
		assert.Equal(t, "open", string(got))
		b.must(th.IpcMemClose(keys["open"]), th.IpcMemClose(keys["listed"]))
		_, err = th.IpcMemImportByKey(keys["open"], 0)
		b.code(IPCError, err)
		total, used, _ := b.mem.Usage(0)
		assert.NotZero(t, total)
		assert.Zero(t, used)
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)

	apart := newBench(t, testChip(), 2) // no topology: PCIe at best
	var key string
	apart.process().Go("A", func(th *Thread) {
		apart.must(th.SetDevice(0))
		d, err := th.Malloc(64, 0)
		apart.must(err)
		key, err = th.IpcMemGetExportKey(d, 64, KeyLen, IpcMemNoPidCheck)
		apart.must(err)
	})
	apart.process().Go("B", func(th *Thread) {
		th.Proc().Sleep(us)
		apart.must(th.SetDevice(1))
		_, err := th.IpcMemImportByKey(key, IpcMemPeerAccess)
		apart.code(DRVInternalError, err)
		assert.ErrorContains(t, err, "507899")
		apart.must(th.SetDevice(0))
		_, err = th.IpcMemImportByKey(key, 0)
		apart.must(err)
	})
	apart.eng.Run(0)
}
