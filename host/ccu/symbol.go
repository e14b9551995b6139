package ccu

import "fmt"

// class is a kind of identifier; it stands in the upper half of the identifiers
// that a program gets, so that one of the wrong kind is found.
type class uint8

const (
	classXn class = iota
	classGSA
	classCKE
	classMS
	numClasses // of registers; the others are only numbers
	classLoop
	classFunction
)

const classShift = 16

var classNames = [...]string{"a variable", "an address", "an event", "a buffer", "", "a loop", "a function"}

var classResource = [numClasses]Resource{Variables, Addresses, Events, Buffers}

// symbol is a register of a program before it has a number: an offset in the
// program's block of its kind, or the number itself.
type symbol struct {
	fixed bool
	n     int
	last  int // index of the last symbol of its array
}

// take makes n symbols in a row.
func (r *Recorder) take(op string, c class, n uint32) int32 {
	if r.err != nil {
		return 0
	}
	r.op = op
	res := classResource[c]
	if n == 0 {
		r.fail("got 0, want at least 1")
		return 0
	}
	if usable := r.unit.pools[res].usable(); uint64(n)+uint64(r.need[c]) > uint64(usable) {
		r.fail("got a need of %d %v, want at most %d: a die has no more", uint64(n)+uint64(r.need[c]), res, usable)
		return 0
	}
	first := len(r.syms[c])
	for range n {
		r.syms[c] = append(r.syms[c], symbol{n: r.need[c], last: first + int(n) - 1})
		r.need[c]++
	}
	return int32(c)<<classShift | int32(first)
}

// hidden is a variable that the translation needs for itself.
func (r *Recorder) hidden(c class) int {
	id := r.take("translate", c, 1)
	return int(id & (1<<classShift - 1))
}

// get finds the symbol of an identifier.
func (r *Recorder) get(arg string, c class, id int32) int {
	i, kind := int(id&(1<<classShift-1)), class(uint32(id)>>classShift)
	if r.err == nil && (id <= 0 || kind != c || i == 0 || i >= r.count(c)) {
		got := fmt.Sprintf("%d", id)
		if id > 0 && kind != c && int(kind) < len(classNames) && classNames[kind] != "" {
			got = classNames[kind]
		}
		r.fail("%s: got %s, want %s that was taken before", arg, got, classNames[c])
	}
	if r.err != nil {
		return 0
	}
	return i
}

func (r *Recorder) count(c class) int {
	switch c {
	case classLoop:
		return len(r.loops)
	case classFunction:
		return r.funcs + 1
	}
	return len(r.syms[c])
}

// array is get for count symbols in a row.
func (r *Recorder) array(arg string, c class, id int32, count uint32) int {
	i := r.get(arg, c, id)
	if r.err == nil && uint64(i)+uint64(count) > uint64(r.syms[c][i].last)+1 {
		r.fail("%s: got %d from there on, want at most the %d that were taken together", arg, count, r.syms[c][i].last+1-i)
	}
	return i
}
