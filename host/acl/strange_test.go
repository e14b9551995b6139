package acl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/mem"
	"hsim/host/sim"
)

// Kernels that call any import with any arguments end with a code, at the latest at
// their time-out, and leave their cores free; memory beside theirs stays as it was.
func TestStrangeKernels(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			b := linked(t, profile(t, []string{"a3", "950dt"}[seed%2]), 1, 2)
			b.loadKernels()
			p, bystander := b.process(), b.process()
			var theirs mem.Addr
			bystander.Go("bystander", func(th *Thread) {
				b.must(th.SetDevice(0))
				var err error
				theirs, err = th.Malloc(4096, 0)
				b.must(err, b.mem.Fill(theirs, 4096, 0x5a))
			})
			p.Go("strange", func(th *Thread) {
				th.Proc().Sleep(us)
				f := newStrange(b, th, r)
				for range 30 {
					b.must(f.launch(th))
					c := CodeOf(th.SynchronizeStreamWithTimeout(f.s, 5000))
					assert.NotEqual(t, StreamSyncTimeout, c, "%x", f.last)
					assert.NotEqual(t, InternalError, c, "%x", f.last)
					b.must(th.AbortStream(f.work))
					_ = th.SynchronizeStream(f.work) // what the functions enqueued may have failed
				}
				bin := f.fn[0].Binary()
				empty, err := th.BinaryGetFunction(bin, "empty")
				b.must(err, th.LaunchKernelWithConfig(empty, 1, f.s, nil, nil), th.SynchronizeStream(f.s))
			})
			assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
			got := make([]byte, 4096)
			b.must(b.mem.Read(theirs, got))
			assert.Equal(t, bytes.Repeat([]byte{0x5a}, 4096), got)
		})
	}
}

// strange launches kernels with arguments that no sane one has, among some that
// one has.
type strange struct {
	b       *bench
	r       *rand.Rand
	s, work *Stream
	fn      [2]*Function
	likely  [8][]uint64
	last    [][8]uint64
}

func newStrange(b *bench, th *Thread, r *rand.Rand) *strange {
	f := &strange{b: b, r: r}
	var err [8]error
	b.must(th.SetDevice(1))
	far, e := th.Malloc(4096, 0)
	b.must(e)
	m, e := th.CreateNotify(0)
	b.must(e, th.SetDevice(0))
	near, e := th.Malloc(4096, 0)
	b.must(e)
	f.s, err[0] = th.CreateStream()
	f.work, err[1] = th.CreateStream()
	n, e := th.CreateNotify(0)
	b.must(e)
	thread, e := th.ExportThread(f.work, n)
	b.must(e)
	here, _, e := th.ConnectThreads(0, 1, []*Notify{n}, []*Notify{m})
	b.must(e, err[0], err[1])
	if r.IntN(2) == 0 {
		b.must(th.DeviceEnablePeerAccess(1, 0))
	}
	f.fn[0], f.fn[1] = b.function(th, "any"), b.function(th, "anycpu")
	places := []uint64{uint64(near), uint64(far), uint64(near) + 4090, uint64(n.Addr())}
	small := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	f.likely = [8][]uint64{1: {thread, 1024, 4096, 8192}, 2: places, 3: small, 4: places, 5: small, 6: small, 7: {here, 0, 1, 2}}
	return f
}

func (f *strange) number(i int) uint64 {
	switch f.r.IntN(8) {
	case 0:
		return f.r.Uint64() >> f.r.IntN(64)
	case 1:
		return []uint64{0, 1, 1<<32 - 1, 1<<63 - 1, 1<<64 - 1, 1 << 63, 65536, 65535}[f.r.IntN(8)]
	case 2:
		return uint64(f.r.IntN(16)) * 8
	}
	return f.likely[i][f.r.IntN(len(f.likely[i]))]
}

func (f *strange) launch(th *Thread) error {
	f.last = nil
	var raw []byte
	for range 1 + f.r.IntN(3) {
		v := [8]uint64{uint64(f.r.IntN(31))}
		for i := 1; i < 8; i++ {
			v[i] = f.number(i)
		}
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint64(raw, x)
		}
		f.last = append(f.last, v)
	}
	i := f.r.IntN(2)
	blocks := uint32(1)
	if i == 0 {
		blocks += uint32(f.r.IntN(60))
	}
	a, err := th.KernelArgsInit(f.fn[i])
	f.b.must(err)
	_, err = th.KernelArgsAppend(a, raw)
	f.b.must(err, th.KernelArgsFinalize(a))
	return th.LaunchKernelWithConfig(f.fn[i], blocks, f.s, []LaunchAttr{{LaunchTimeout, 1}}, a)
}
