package hccl

import (
	"slices"
	"sort"
)

// spans is a set of bytes of one store: runs in order that do not touch.
type spans [][2]int64

// at is the first run that ends behind off.
func (s spans) at(off int64) int {
	return sort.Search(len(s), func(i int) bool { return s[i][1] > off })
}

func (s spans) meets(lo, hi int64) bool {
	i := s.at(lo)
	return lo < hi && i < len(s) && s[i][0] < hi
}

func (s *spans) add(lo, hi int64) {
	if lo >= hi {
		return
	}
	i := s.at(lo - 1)
	j := i
	for ; j < len(*s) && (*s)[j][0] <= hi; j++ {
		lo, hi = min(lo, (*s)[j][0]), max(hi, (*s)[j][1])
	}
	*s = slices.Replace(*s, i, j, [2]int64{lo, hi})
}

// area is a set of bytes of all stores of a rank.
type area [numBufs]spans

func (a *area) meets(p place) bool { return a[p.store].meets(p.lo, p.hi) }

func (a *area) add(p place) { a[p.store].add(p.lo, p.hi) }

func (a *area) clear() {
	for i := range a {
		a[i] = a[i][:0]
	}
}
