package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/soc"
)

var hbm = PhysicalProp{Attr: AttrHBMHuge, Location: LocationDevice}

// roomy is a chip with room for huge pages.
func roomy() *soc.Chip {
	c := testChip()
	c.HBMBytes = 256 << 20
	return c
}

// blockOf is the row of a physical block.
func (b *bench) blockOf(id int) PhyMemBlockRow {
	return one(b.t, b, func(x PhyMemBlockRow) bool { return x.PhyMemID == id })
}

// R021: every mapping refers to a physical block, which goes with the last one.
func TestR021PhysicalBlocksAreTheRoot(t *testing.T) {
	b := newBench(t, roomy(), 1)
	other := b.process()
	var key string
	b.process().Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		d, err := th.Malloc(4096, 0)
		b.must(err)
		key, err = th.IpcMemGetExportKey(d, 4096, KeyLen, IpcMemNoPidCheck)
		b.must(err)
		th.Proc().Sleep(2 * us)
		v := one(t, b, func(x VirtualPointerRow) bool { return x.StartPtr == d })
		assert.Equal(t, v.PhyMemID, Rows[IpcMemRow](b.rt)[0].PhyMemID)
		assert.Equal(t, 2, b.blockOf(v.PhyMemID).RefCount)
		b.must(th.Free(d))
		assert.Equal(t, 1, b.blockOf(v.PhyMemID).RefCount)
		th.Proc().Sleep(2 * us)
		gone := b.blockOf(v.PhyMemID)
		assert.True(t, gone.Gone)
		assert.Zero(t, gone.RefCount)
		assert.Equal(t, 3*us, gone.Destroyed)
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		_, err := th.IpcMemImportByKey(key, 0)
		b.must(err)
		th.Proc().Sleep(2 * us)
		b.must(th.IpcMemClose(key))
	})
	b.eng.Run(0)
}

// R022: one block through a virtual address, an IPC key and a shareable handle.
// Memory with a key comes from the malloc family, so the block is seen by two of
// the layers at a time; both pairs read the same bytes.
func TestR022ThreeLayers(t *testing.T) {
	b := newBench(t, roomy(), 1)
	reader := b.process()
	var key string
	var fd uint64
	b.process().Go("owner", func(th *Thread) {
		b.must(th.SetDevice(0))
		d, err := th.Malloc(4096, 0)
		b.must(err, b.mem.Write(d, []byte("by key")))
		key, err = th.IpcMemGetExportKey(d, 4096, KeyLen, IpcMemNoPidCheck)
		b.must(err)
		h, err := th.MallocPhysical(hugePage, hbm, 0)
		b.must(err)
		va, err := th.ReserveMemAddress(hugePage, 0, 0, 1)
		b.must(err, th.MapMem(va, hugePage, 0, h, 0), b.mem.Write(va, []byte("by fd")))
		fd, err = th.MemExportToShareableHandle(h, 0, ShareNoPidCheck)
		b.must(err)
		again, err := th.MemExportToShareableHandle(h, 0, 0)
		b.must(err)
		assert.Equal(t, fd, again, "handle and number are one to one")
	})
	reader.Go("reader", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		got := make([]byte, 6)
		a, err := th.IpcMemImportByKey(key, 0)
		b.must(err, b.mem.Read(a, got))
		assert.Equal(t, "by key", string(got))
		h, err := th.MemImportFromShareableHandle(fd, 0)
		b.must(err)
		va, err := th.ReserveMemAddress(hugePage, 0, 0, 1)
		b.must(err, th.MapMem(va, hugePage, 0, h, 0), b.mem.Read(va, got))
		assert.Equal(t, "by fd\x00", string(got))
		assert.Equal(t, int(h.Block()), Rows[FdMemRow](b.rt)[0].PhyMemID)
		assert.Equal(t, 4, b.blockOf(int(h.Block())).RefCount, "two handles, two mappings")
	})
	b.eng.Run(0)
}

// R023: host memory is a block of device -1.
func TestR023HostMemoryIsDeviceMinusOne(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		h, err := th.MallocHost(100)
		b.must(err)
		v := one(t, b, func(x VirtualPointerRow) bool { return x.StartPtr == h })
		assert.Equal(t, -1, b.blockOf(v.PhyMemID).DeviceID)
		assert.Equal(t, "DDR", b.blockOf(v.PhyMemID).Type)
		assert.Equal(t, "host", v.SourceType)
	})
}

// R024: IPC memory is for the pids on its list.
func TestR024IpcWhitelist(t *testing.T) {
	b := newBench(t, testChip(), 1)
	owner, other := b.process(), b.process()
	var key string
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		d, err := th.Malloc(64, 0)
		b.must(err)
		key, err = th.IpcMemGetExportKey(d, 64, KeyLen, 0)
		b.must(err)
		assert.Less(t, len(key), KeyLen)
		th.Proc().Sleep(2 * us)
		b.code(ParamInvalid, th.IpcMemSetImportPid(key))
		b.code(ParamInvalid, th.IpcMemSetImportPid("nothing", 1))
		b.must(th.IpcMemSetImportPid(key, other.Pid(), 4711))
		_, err = th.IpcMemImportByKey(key, 0)
		b.code(ParamInvalid, err) // its own
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		_, err := th.IpcMemImportByKey(key, 0)
		b.code(NoPermission, err)
		b.code(NoPermission, th.IpcMemSetImportPid(key, other.Pid()))
		th.Proc().Sleep(2 * us)
		_, err = th.IpcMemImportByKey(key, 0)
		b.must(err)
		_, err = th.IpcMemImportByKey(key, 0)
		b.code(ParamInvalid, err) // a second time
		_, err = th.IpcMemImportByKey("nothing", 0)
		b.code(ParamInvalid, err)
		b.must(th.IpcMemClose(key))
		b.code(ParamInvalid, th.IpcMemClose(key))
	})
	b.eng.Run(0)
	var listed []int
	for _, w := range Rows[IpcWhiteListRow](b.rt) {
		assert.Equal(t, owner.Pid(), w.CreatePid)
		listed = append(listed, w.Pid)
	}
	assert.Equal(t, []int{other.Pid(), 4711}, listed)
}

// R025: shareable handles have a list too.
func TestR025FdWhitelist(t *testing.T) {
	b := newBench(t, roomy(), 1)
	owner, other := b.process(), b.process()
	var fd uint64
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		h, err := th.MallocPhysical(hugePage, hbm, 0)
		b.must(err)
		fd, err = th.MemExportToShareableHandle(h, 0, 0)
		b.must(err)
		th.Proc().Sleep(2 * us)
		b.must(th.MemSetPidToShareableHandle(fd, other.Pid()))
		b.code(ParamInvalid, th.MemSetPidToShareableHandle(fd))
		b.code(ParamInvalid, th.MemSetPidToShareableHandle(1, 2))
		_, err = th.MemImportFromShareableHandle(fd, 0)
		b.code(ParamInvalid, err)
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		_, err := th.MemImportFromShareableHandle(fd, 0)
		b.code(NoPermission, err)
		b.code(NoPermission, th.MemSetPidToShareableHandle(fd, other.Pid()))
		th.Proc().Sleep(2 * us)
		_, err = th.MemImportFromShareableHandle(fd, 9)
		b.code(InvalidDeviceID, err)
		_, err = th.MemImportFromShareableHandle(fd+1, 0)
		b.code(ParamInvalid, err)
		h, err := th.MemImportFromShareableHandle(fd, 0)
		b.must(err)
		_, err = th.MemExportToShareableHandle(h, 0, 0)
		b.code(ParamInvalid, err) // imported
		b.must(th.FreePhysical(h))
		b.code(InvalidHandle, th.FreePhysical(h))
	})
	b.eng.Run(0)
	assert.Equal(t, []FdWhiteListRow{{fd, other.Pid(), owner.Pid()}}, Rows[FdWhiteListRow](b.rt))
}

// R026: registered host memory has two addresses: a kernel's write through the
// device's one is read through the host's, without a copy task; so is memory that
// is mapped twice.
func TestR026TwoAddresses(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		h, err := th.MallocHost(64 << 10)
		b.must(err)
		d, err := th.HostRegister(h, 64<<10, HostMapped)
		b.must(err)
		m := Rows[MemMapRow](b.rt)
		require.Len(t, m, 1)
		assert.Equal(t, d, m[0].Ptr)
		assert.Equal(t, -1, b.blockOf(m[0].PhyMemID).DeviceID)
		f := b.function(th, "poke")
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(d)+8, 8, 0x1234)), th.SynchronizeStream(nil))
		got := make([]byte, 2)
		b.must(b.mem.Read(h+8, got))
		assert.Equal(t, []byte{0x34, 0x12}, got)
		for _, x := range b.rt.Tasks() {
			assert.NotEqual(t, TypeMemcpy, x.Type)
		}
		b.code(ParamInvalid, th.Memcpy(d, 8, h, 8, HostToDevice)) // not for copies
		b.must(th.HostUnregister(h))
		b.code(ParamInvalid, th.HostUnregister(h))
		assert.True(t, Rows[MemMapRow](b.rt)[0].Gone)

		p, err := th.MallocPhysical(hugePage, hbm, 0)
		b.must(err)
		for range 2 {
			va, err := th.ReserveMemAddress(hugePage, 0, 0, 1)
			b.must(err, th.MapMem(va, hugePage, 0, p, 0))
		}
		m = Rows[MemMapRow](b.rt)[1:]
		require.Len(t, m, 2)
		assert.Equal(t, m[0].PhyMemID, m[1].PhyMemID)
		b.must(th.Memset(m[0].Address, 8, 7, 8), b.mem.Read(m[1].Address+6, got))
		assert.Equal(t, []byte{7, 7}, got)
	})
}

// B40: registration wants the chip's alignment.
func TestB40HostRegisterAlignment(t *testing.T) {
	for name, align := range map[string]int64{"a2": 64 << 10, "a3": 64 << 10, "950dt": 4 << 10} {
		b := newBench(t, profile(t, name), 1)
		b.run(func(th *Thread) {
			h, err := th.MallocHost(1 << 20)
			b.must(err)
			_, err = th.HostRegister(h+mem.Addr(align/2), 4096, HostMapped)
			b.code(AddrUnaligned, err)
			_, err = th.HostRegister(h+mem.Addr(align), 4096, HostMapped)
			b.must(err)
			_, err = th.HostRegister(h, align+1, HostMapped)
			b.code(ParamInvalid, err) // overlaps
			_, err = th.HostRegister(h, 4096, HostRegisterType(3))
			b.code(ParamInvalid, err)
			_, err = th.HostRegister(h+mem.Addr(2*align), 1<<20, HostMapped)
			b.code(ParamInvalid, err) // past the end
			d, err := th.Malloc(1<<20, 0)
			b.must(err)
			_, err = th.HostRegister(d, 4096, HostMapped)
			b.code(ParamInvalid, err)
			b.code(ParamInvalid, th.FreeHost(h)) // registered
			b.must(th.HostUnregister(h+mem.Addr(align)), th.FreeHost(h))
			ro, err := th.MallocHost(4096)
			b.must(err)
			r, err := th.HostRegister(ro, 4096, HostReadOnly)
			b.must(err)
			assert.Error(t, b.mem.Write(r, []byte{1}))
		})
	}
}
