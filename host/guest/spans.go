package guest

import "sort"

// extents is free address space: disjoint pieces in order, none of which touch.
type extents []extent

type extent struct{ at, size uint32 }

// take removes size bytes at a multiple of align, from the first piece that has them.
func (e *extents) take(size, align uint32) (uint32, bool) {
	for i, x := range *e {
		at := (x.at + align - 1) &^ (align - 1)
		skip := at - x.at
		if at < x.at || x.size < skip || x.size-skip < size {
			continue
		}
		var rest []extent
		if skip > 0 {
			rest = append(rest, extent{x.at, skip})
		}
		if left := x.size - skip - size; left > 0 {
			rest = append(rest, extent{at + size, left})
		}
		*e = append((*e)[:i], append(rest, (*e)[i+1:]...)...)
		return at, true
	}
	return 0, false
}

// give returns a piece and joins it with its neighbours.
func (e *extents) give(at, size uint32) {
	list := *e
	i := sort.Search(len(list), func(i int) bool { return list[i].at > at })
	list = append(list, extent{})
	copy(list[i+1:], list[i:])
	list[i] = extent{at, size}
	if i+1 < len(list) && list[i].at+list[i].size == list[i+1].at {
		list[i].size += list[i+1].size
		list = append(list[:i+1], list[i+2:]...)
	}
	if i > 0 && list[i-1].at+list[i-1].size == list[i].at {
		list[i-1].size += list[i].size
		list = append(list[:i], list[i+1:]...)
	}
	*e = list
}

// largest is the size of the largest piece.
func (e extents) largest() uint32 {
	var most uint32
	for _, x := range e {
		most = max(most, x.size)
	}
	return most
}
