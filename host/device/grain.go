package device

import (
	"slices"

	"hsim/host/ccu"
)

// grains splits the granules in which a unit hands out a resource: several numbers
// in one register, or registers one by one. A granule goes back to the unit when
// nothing of it is in use.
type grains struct {
	kind   ccu.Resource
	per    int // numbers in one register
	blocks []grain
}

// grain is one block that the unit gave, by its first register.
type grain struct {
	block ccu.Block
	used  []bool // by number in the block
	live  int
}

// take finds n adjacent numbers, the lowest that fit, in the blocks there are or in
// a new one. The error wraps a *ccu.LimitError.
func (g *grains) take(u *ccu.Unit, n int) (int, error) {
	for i := range g.blocks {
		if at, ok := g.blocks[i].fit(n); ok {
			return g.blocks[i].block.First*g.per + at, nil
		}
	}
	b, err := u.Take(g.kind, (n+g.per-1)/g.per)
	if err != nil {
		return 0, err
	}
	i, _ := slices.BinarySearchFunc(g.blocks, b.First, func(x grain, first int) int { return x.block.First - first })
	g.blocks = slices.Insert(g.blocks, i, grain{block: b, used: make([]bool, b.N*g.per)})
	at, _ := g.blocks[i].fit(n)
	return b.First*g.per + at, nil
}

// fit takes n adjacent free numbers of the block.
func (x *grain) fit(n int) (int, bool) {
	if len(x.used)-x.live < n {
		return 0, false
	}
	run := 0
	for i, used := range x.used {
		if run++; used {
			run = 0
		}
		if run == n {
			first := i + 1 - n
			for k := first; k <= i; k++ {
				x.used[k] = true
			}
			x.live += n
			return first, true
		}
	}
	return 0, false
}

// give gives n numbers of take back.
func (g *grains) give(u *ccu.Unit, first, n int) {
	for i := range g.blocks {
		x := &g.blocks[i]
		at := first - x.block.First*g.per
		if at < 0 || at >= len(x.used) {
			continue
		}
		for k := range n {
			if x.used[at+k] {
				x.used[at+k] = false
				x.live--
			}
		}
		if x.live == 0 {
			_ = u.Give(g.kind, x.block) // as it was taken
			g.blocks = slices.Delete(g.blocks, i, i+1)
		}
		return
	}
}

// left counts the numbers that are free.
func (g *grains) left(u *ccu.Unit) int {
	n := u.Free(g.kind) * g.per
	for i := range g.blocks {
		n += len(g.blocks[i].used) - g.blocks[i].live
	}
	return n
}
