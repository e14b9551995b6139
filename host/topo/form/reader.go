package form

import (
	"fmt"
	"slices"
	"strings"
)

// Reader collects the faults and notes of one file while an importer walks its
// tree.
type Reader struct {
	File   string
	faults Faults
	notes  []Note
	// foreign keys, in the order of their first occurrence
	foreign []foreign
	index   map[string]int
	same    map[string]int // faults of a key, its places in lists aside
}

type foreign struct {
	name  string
	line  int32
	count int
}

// NewReader returns a reader for the file that faults are to name.
func NewReader(file string) *Reader {
	return &Reader{File: file, index: map[string]int{}, same: map[string]int{}}
}

// maxSame bounds the faults of one key, so that a thousand bad addresses do not
// hide a bad count.
const maxSame = 4

// Fault adds a fault; the file is filled in. Of many faults of one key the first
// few are kept and the others counted.
func (r *Reader) Fault(f Fault) {
	f.File = r.File
	key := string(f.Code) + generic(f.Key)
	if r.same[key]++; r.same[key] > maxSame {
		r.faults.More++
		return
	}
	r.faults.add(&f)
}

// generic is a path without the places in lists: rank_list[].local_id.
func generic(path string) string {
	var b strings.Builder
	inside := false
	for _, c := range path {
		if inside = inside && c != ']'; !inside {
			b.WriteRune(c)
		}
		inside = inside || c == '['
	}
	return b.String()
}

// Note adds a note about a line, 0 for the whole file.
func (r *Reader) Note(line int, format string, args ...any) {
	r.notes = append(r.notes, Note{r.File, line, fmt.Sprintf(format, args...)})
}

// Err is nil, or everything that is wrong as *Faults in the order of the lines.
func (r *Reader) Err() error {
	if len(r.faults.List) == 0 {
		return nil
	}
	r.faults.sort()
	return &r.faults
}

// Notes returns the notes; keys that nobody asked for make one of them.
func (r *Reader) Notes() []Note {
	if len(r.foreign) == 0 {
		return r.notes
	}
	const most = 12
	var names []string
	for _, f := range r.foreign[:min(len(r.foreign), most)] {
		names = append(names, clip(f.name))
	}
	text := "keys that hsim does not read: " + strings.Join(names, ", ")
	if n := len(r.foreign) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return append(slices.Clone(r.notes), Note{r.File, int(r.foreign[0].line), text})
}

// Root is the top of a tree; known lists the keys that have a meaning there.
func (r *Reader) Root(v *Value, known ...string) *Object {
	o := &Object{r: r, v: v}
	o.know(known)
	return o
}
