package acl

import (
	"cmp"
	"slices"

	"hsim/host/sim"
)

// Life is when an object was made and destroyed; rows of destroyed objects stay.
type Life struct {
	Created   sim.Time `col:"created"`
	Destroyed sim.Time `col:"destroyed"`
	Gone      bool     `col:"gone"`
}

// object is what everything has that a process owns a handle of.
type object struct {
	Life
	id     int // counts up over all objects of its kind in the simulation
	handle Handle
	owner  *Process // whose handle it is
	place  int      // in its ledger
}

func (o *object) base() *object { return o }

// held is a pointer to something with an object in it.
type held[T any] interface {
	*T
	base() *object
}

// ledger lists the objects of one kind: all there ever were, or the live ones.
type ledger[T any, P held[T]] struct {
	all  []P
	free []int
	last int
	keep bool
}

// add gives the object its number and its birth.
func (l *ledger[T, P]) add(x P, now sim.Time) {
	o := x.base()
	l.last++
	o.id, o.Created = l.last, now
	if n := len(l.free); n > 0 {
		o.place = l.free[n-1]
		l.free = l.free[:n-1]
		l.all[o.place] = x
		return
	}
	o.place = len(l.all)
	l.all = append(l.all, x)
}

// end marks the object as destroyed.
func (l *ledger[T, P]) end(x P, now sim.Time) {
	o := x.base()
	if o.Gone {
		return
	}
	o.Gone, o.Destroyed = true, now
	if !l.keep {
		l.all[o.place] = nil
		l.free = append(l.free, o.place)
		if o.handle != 0 {
			o.owner.bury(o)
		}
	}
}

// each calls f for the objects in order of their making.
func (l *ledger[T, P]) each(f func(P)) {
	list := l.all
	if len(l.free) > 0 || !l.keep {
		list = make([]P, 0, len(l.all))
		for _, x := range l.all {
			if x != nil {
				list = append(list, x)
			}
		}
		slices.SortFunc(list, func(a, b P) int { return cmp.Compare(a.base().id, b.base().id) })
	}
	for _, x := range list {
		f(x)
	}
}

// live calls f for the objects that are not destroyed.
func (l *ledger[T, P]) live(f func(P)) {
	l.each(func(x P) {
		if !x.base().Gone {
			f(x)
		}
	})
}
