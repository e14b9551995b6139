package mem

import (
	"fmt"
	"testing"
	"time"
)

const benchSize = 64 << 20

func benchBuffers(b *testing.B, n int64) (s *Space, dst, src Addr) {
	s = NewSpace(Real)
	for _, a := range []*Addr{&dst, &src} {
		at, err := s.Alloc(AllocSpec{Size: n})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Fill(at, n, 1); err != nil { // written, or reads would come from the system's one zero page
			b.Fatal(err)
		}
		*a = at
	}
	return s, dst, src
}

// BenchmarkReduceToCopy reports the speed of an fp32 sum of 64 MiB operands and
// of a copy of the same memory in one run, and their ratio by destination bytes.
func BenchmarkReduceToCopy(b *testing.B) {
	s, dst, src := benchBuffers(b, benchSize)
	var copying, adding time.Duration
	for b.Loop() {
		t0 := time.Now()
		if err := s.Copy(dst, src, benchSize); err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		if _, err := s.Reduce(dst, src, benchSize, FP32, Sum, 0); err != nil {
			b.Fatal(err)
		}
		copying += t1.Sub(t0)
		adding += time.Since(t1)
	}
	bytes := float64(benchSize) * float64(b.N)
	b.ReportMetric(bytes/copying.Seconds()/1e9, "copy-GB/s")
	b.ReportMetric(bytes/adding.Seconds()/1e9, "sum-GB/s")
	b.ReportMetric(copying.Seconds()/adding.Seconds(), "ratio")
}

func BenchmarkReduce(b *testing.B) {
	for _, dt := range reducible {
		for op := Sum; op <= Min; op++ {
			b.Run(fmt.Sprintf("%v/%v", dt, op), func(b *testing.B) {
				s, dst, src := benchBuffers(b, 1<<20)
				one := make([]byte, 1<<20) // small ordinary values
				size := int(dt.Size())
				for i := 0; i < len(one); i += size {
					switch dt {
					case FP16:
						store(one[i:i+size], 0x3c00)
					case BF16, FP32:
						copy(one[i:i+size], []byte{0, 0, 0x80, 0x3f}[4-min(size, 4):])
					default:
						one[i] = 1
					}
				}
				if err := s.Write(src, one); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(1 << 20)
				for b.Loop() {
					if _, err := s.Reduce(dst, src, 1<<20, dt, op, 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

type sink struct{ last uint64 }

func (k *sink) WriteRegister(_ int, v uint64) { k.last = v }
func (k *sink) ReadRegister(int) uint64       { return k.last }

func BenchmarkWriteRegister(b *testing.B) {
	s := NewSpace(Real)
	a := s.Registers(&sink{}, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.WriteRegister(a+512, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCopy4K(b *testing.B) {
	for _, data := range []Data{Real, Phantom} {
		b.Run(data.String(), func(b *testing.B) {
			s := NewSpace(data)
			x, _ := s.Alloc(AllocSpec{Size: 1 << 20})
			y, _ := s.Alloc(AllocSpec{Size: 1 << 20})
			_ = s.Fill(x, 1<<20, 1)
			b.ReportAllocs()
			b.SetBytes(4096)
			for b.Loop() {
				if err := s.Copy(y+4096, x+8192, 4096); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheckKey(b *testing.B) {
	s := NewSpace(Phantom)
	x, _ := s.Alloc(AllocSpec{Size: 1 << 20})
	r, err := s.RegisterRegion(RegionSpec{Addr: x, Len: 1 << 20, Access: LocalWrite | RemoteWrite})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.CheckKey(r.RKey, x+4096, 4096, RemoteWrite); err != nil {
			b.Fatal(err)
		}
	}
}
