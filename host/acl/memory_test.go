package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/mem"
	"hsim/host/soc"
)

// O7, B37: a kind that does not fit the pointers is 107000 with both location
// types; the right kind works.
func TestB37MemcpyKind(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		d, err1 := th.Malloc(64, 0)
		h, err2 := th.MallocHost(64)
		b.must(err1, err2)
		err := th.MemcpyAsync(d, 64, h, 64, DeviceToDevice, nil)
		b.code(ParamInvalid, err)
		assert.ErrorContains(t, err, "107000")
		assert.ErrorContains(t, err, "src loc type=0")
		assert.ErrorContains(t, err, "dst loc type=1")
		assert.ErrorContains(t, err, "kind=3")
		assert.ErrorContains(t, err, "try kind 1")
		b.must(th.MemcpyAsync(d, 64, h, 64, HostToDevice, nil), th.SynchronizeStream(nil))
		addr := map[Location]mem.Addr{LocationHost: h, LocationDevice: d}
		for kind := HostToHost; kind <= InterDevicesMemcpy; kind++ {
			for dl, dst := range addr {
				for sl, src := range addr {
					want := kind.fits(dl, sl) && kind != InterDevicesMemcpy
					for _, err := range []error{th.Memcpy(dst, 64, src, 64, kind), th.MemcpyAsync(dst, 64, src, 64, kind, nil)} {
						if want {
							assert.NoError(t, err, "%v from %v to %v", kind, sl, dl)
						} else {
							b.code(ParamInvalid, err)
						}
					}
				}
			}
		}
		b.code(ParamInvalid, th.Memcpy(d, 64, h, 64, 8))
		b.code(ParamInvalid, th.Memcpy(d, 64, h, 64, -1))
		b.must(th.SynchronizeStream(nil))
	})
}

// R030, B38: both ends of a copy lie inside ranges; one byte over is 107000 and
// moves nothing; so is a count above destMax.
func TestR030Ranges(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		d, err1 := th.MallocNamed(100, 0, "recvBuf")
		h, err2 := th.MallocHost(128)
		b.must(err1, err2, b.mem.Fill(h, 128, 7))
		for name, err := range map[string]error{
			"dst end":        th.Memcpy(d+28, 128, h, 73, HostToDevice),
			"src end":        th.Memcpy(d, 100, h+100, 29, HostToDevice),
			"async":          th.MemcpyAsync(d, 128, h, 101, HostToDevice, nil),
			"destMax":        th.Memcpy(d, 99, h, 100, HostToDevice),
			"nothing":        th.Memcpy(d, 100, h, 0, HostToDevice),
			"negative":       th.Memcpy(d, 100, h, -1, HostToDevice),
			"null":           th.Memcpy(0, 100, h, 4, HostToDevice),
			"set":            th.Memset(d, 200, 1, 101),
			"set max":        th.Memset(d, 9, 1, 10),
			"set async":      th.MemsetAsync(d+99, 2, 1, 2, nil),
			"set host async": th.MemsetAsync(h, 2, 1, 2, nil),
		} {
			assert.Equal(t, ParamInvalid, CodeOf(err), "%s: %v", name, err)
		}
		assert.ErrorContains(t, th.Memcpy(d+28, 128, h, 73, HostToDevice), "recvBuf")
		got := make([]byte, 100)
		b.must(th.SynchronizeStream(nil), b.mem.Read(d, got))
		assert.Equal(t, make([]byte, 100), got, "no bytes moved")
		b.must(th.Memcpy(d+28, 72, h, 72, HostToDevice), b.mem.Read(d, got))
		assert.Equal(t, byte(0), got[27])
		assert.Equal(t, byte(7), got[99])
		b.must(th.Memset(d, 100, 3, 100), th.MemsetAsync(d+1, 1, 9, 1, nil), th.SynchronizeStream(nil), b.mem.Read(d, got))
		assert.Equal(t, []byte{3, 9, 3}, got[:3])
	})
}

// B44: the memory of a device runs out with 207001, naming size and device; a
// free makes room.
func TestB44OutOfMemory(t *testing.T) {
	b := newBench(t, testChip(), 1) // 1 MiB
	b.run(func(th *Thread) {
		a, err := th.Malloc(600_000, 0)
		b.must(err)
		_, err = th.Malloc(500_000, 0)
		b.code(MemoryAllocation, err)
		assert.ErrorContains(t, err, "207001")
		assert.ErrorContains(t, err, "EL0004")
		assert.ErrorContains(t, err, "500000")
		assert.ErrorContains(t, err, "device 0")
		free, total, err := th.GetMemInfo()
		b.must(err)
		assert.EqualValues(t, 1<<20, total)
		assert.EqualValues(t, 1<<20-147*4096, free, "whole pages")
		b.must(th.Free(a))
		a, err = th.Malloc(500_000, 0)
		b.must(err)
		b.code(ParamInvalid, th.Free(a+1))
		b.code(ParamInvalid, th.FreeHost(a))
		b.must(th.Free(a))
		b.code(ParamInvalid, th.Free(a))
		b.code(ParamInvalid, th.Free(0))
		_, err = th.Malloc(0, 0)
		b.code(ParamInvalid, err)
		_, err = th.Malloc(1, 99)
		b.code(InvalidMallocType, err)
		_, err = th.Malloc(1, 2|0x1000)
		b.must(err)
		_, err = th.MallocHost(-1)
		b.code(ParamInvalid, err)
	})
}

func TestPointerAttributes(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		b.must(th.SetDevice(1))
		d, err1 := th.Malloc(8, 0)
		h, err2 := th.MallocHost(8)
		own, err3 := th.Wrap(make([]byte, 8), "mine")
		b.must(err1, err2, err3)
		for a, want := range map[mem.Addr][2]int{d: {1, 1}, d + 7: {1, 1}, h: {0, -1}, own: {0, -1}, 12345: {2, -1}} {
			p, err := th.PointerGetAttributes(a)
			b.must(err)
			assert.Equal(t, want, [2]int{int(p.Location), p.Device})
		}
		b.must(th.Unwrap(own))
	})
}

// A process may not use another's memory, nor a register, nor freed memory.
func TestForeignMemory(t *testing.T) {
	b := newBench(t, testChip(), 1)
	var theirs mem.Addr
	b.process().Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		theirs, err = th.Malloc(8, 0)
		b.must(err)
	})
	b.process().Go("main", func(th *Thread) {
		th.Proc().Sleep(us)
		b.must(th.SetDevice(0))
		d, err := th.Malloc(8, 0)
		b.must(err)
		n, err := th.CreateNotify(0)
		b.must(err)
		b.code(ParamInvalid, th.Memcpy(d, 8, theirs, 8, DeviceToDevice))
		b.code(ParamInvalid, th.Free(theirs))
		b.code(ParamInvalid, th.Memset(n.Addr(), 8, 1, 8))
		b.must(th.Free(d))
		err = th.Memset(d, 8, 1, 8)
		b.code(ParamInvalid, err)
		assert.ErrorContains(t, err, "freed")
	})
	b.eng.Run(0)
}

// A synchronous copy takes the host link's time; the host waits for it.
func TestSynchronousCopyTakesTime(t *testing.T) {
	c := testChip()
	c.SDMA.Alpha = 3 * us
	b := newBench(t, c, 1)
	b.run(func(th *Thread) {
		d, _ := th.Malloc(8, 0)
		h, _ := th.MallocHost(8)
		b.must(b.mem.Fill(h, 8, 5), th.work(nil, 100*us))
		b.must(th.Memcpy(d, 8, h, 8, HostToDevice))
		assert.Equal(t, 3*us, th.Proc().Now(), "and does not wait for streams")
		b.must(th.Memcpy(d, 8, d, 8, DeviceToDevice), th.Memcpy(h, 8, h, 8, HostToHost))
		assert.Equal(t, 6*us, th.Proc().Now())
	})
	assert.Len(t, b.rt.Tasks(), 1, "synchronous calls are no tasks")
}

func TestPeerCopyNeedsAccess(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		d0, _ := th.Malloc(8, 0)
		b.must(th.SetDevice(1))
		d1, _ := th.Malloc(8, 0)
		err := th.MemcpyAsync(d1, 8, d0, 8, DeviceToDevice, nil)
		b.code(NoPermission, err)
		assert.ErrorContains(t, err, "aclrtDeviceEnablePeerAccess")
		b.code(NoPermission, th.Memcpy(d0, 8, d1, 8, InterDevicesMemcpy))
		b.code(ParamInvalid, th.Memcpy(d0, 8, d1, 8, InnerDeviceCopy))
		b.code(FeatureNotSupport, th.DeviceEnablePeerAccess(0, 0)) // no topology: unreachable
		b.code(InvalidDeviceID, th.DeviceEnablePeerAccess(2, 0))
		b.code(ParamInvalid, th.DeviceDisablePeerAccess(0))
		ok, err := th.DevicePeerAccessStatus(1, 0)
		b.must(err)
		assert.False(t, ok)
	})
}

func BenchmarkEnqueue(b *testing.B) {
	w := newBench(b, testChip(), 1, func(c *Config) { c.Rows = false })
	w.process().Go("main", func(th *Thread) {
		n := must(th.SetDevice(0), th)
		b.ReportAllocs()
		for b.Loop() {
			if err := th.RecordNotify(n, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	w.eng.Run(0)
}

func must(err error, th *Thread) *Notify {
	n, e := th.CreateNotify(0)
	if err != nil || e != nil {
		panic("set-up")
	}
	return n
}

// An upload takes host call, dispatch, engine start, link latency and the bytes
// at the host link's rate.
func TestUploadTime(t *testing.T) {
	c := profile(t, "a3")
	b := newBench(t, c, 1)
	b.run(func(th *Thread) {
		d, err1 := th.Malloc(1<<20, 0)
		h, err2 := th.MallocHost(1 << 20)
		b.must(err1, err2)
		start := th.Proc().Now()
		b.must(th.Memcpy(d, 1<<20, h, 1<<20, HostToDevice))
		link := c.Group(soc.HostPort)
		assert.Equal(t, c.HostCall+c.TSDispatch+c.SDMA.Alpha+link.Latency+link.Rate.Time(1<<20), th.Proc().Now()-start)
	})
}
