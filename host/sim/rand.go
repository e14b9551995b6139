package sim

import (
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
)

// Rand is one named stream of pseudo-random numbers (PCG, whose output is fixed
// by its authors, so it is the same on every machine and Go version).
type Rand struct{ src *rand.PCG }

// Rand returns the stream called name: the same name and engine seed give the
// same numbers, whatever other streams were used before.
func (e *Engine) Rand(name string) *Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &Rand{rand.NewPCG(e.seed, h.Sum64())}
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 { return r.src.Uint64() }

// Intn returns a number in [0, n); n must be positive.
func (r *Rand) Intn(n int) int {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return int(hi)
}

// Chance says yes with a probability of ppm parts in a million.
func (r *Rand) Chance(ppm int64) bool { return int64(r.Intn(1_000_000)) < ppm }
