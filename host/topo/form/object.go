package form

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Object is a map of the tree with its place.
type Object struct {
	r      *Reader
	v      *Value
	parent *Object
	key    string
	index  int // in a list; -1 = not in one
}

func (o *Object) know(known []string) {
	for i := range o.v.Names {
		n := &o.v.Names[i]
		if slices.Contains(known, n.Text) {
			continue
		}
		at, ok := o.r.index[n.Text]
		if !ok {
			if len(o.r.foreign) >= 256 {
				continue
			}
			at = len(o.r.foreign)
			o.r.index[n.Text] = at
			o.r.foreign = append(o.r.foreign, foreign{name: n.Text, line: n.Line})
		}
		o.r.foreign[at].count++
	}
}

// Path is the place of a key, such as rank_list[3].local_id.
func (o *Object) Path(key string) string {
	if o.parent == nil {
		return key
	}
	at := o.parent.Path(o.key)
	if o.index >= 0 {
		at += "[" + strconv.Itoa(o.index) + "]"
	}
	if key == "" {
		return at
	}
	return at + "." + key
}

// Line is the line of a key, or of the object where the key is missing.
func (o *Object) Line(key string) int {
	if _, i := o.v.get(key); i >= 0 {
		return int(o.v.Names[i].Line)
	}
	return int(o.v.Line)
}

// Has reports whether the object has a key.
func (o *Object) Has(key string) bool {
	v, _ := o.v.get(key)
	return v != nil
}

// Kind is the kind of a key's value, Null without the key.
func (o *Object) Kind(key string) Kind {
	if v, _ := o.v.get(key); v != nil {
		return v.Kind
	}
	return Null
}

// Missing reports that a key must be there, with code EI0017.
func (o *Object) Missing(key, want, try string) {
	o.r.Fault(Fault{Code: Missing, Line: o.Line(key), Key: o.Path(key), Value: "no such key", Want: want, Try: try})
}

// Bad reports the value of a key, with code EI0014.
func (o *Object) Bad(key, want, try string) { o.Fault(Invalid, key, want, try, 0) }

// Fault reports the value of a key with a code and the library's result.
func (o *Object) Fault(code Code, key, want, try string, result int) {
	f := Fault{Code: code, Line: o.Line(key), Key: o.Path(key), Want: want, Try: try, Result: result}
	if v, _ := o.v.get(key); v != nil {
		f.Value = v.printed()
	}
	o.r.Fault(f)
}

// of returns the value of a key that must have the kind.
func (o *Object) of(key string, kind Kind, want string) *Value {
	v, _ := o.v.get(key)
	if v == nil {
		o.Missing(key, want, "")
		return nil
	}
	if v.Kind != kind {
		f := Fault{Code: Invalid, Line: o.Line(key), Key: o.Path(key), Value: v.printed(), Want: want}
		if v.Kind == Text || v.Kind == Number {
			f.Value += ", " + v.Kind.String()
		}
		switch {
		case v.Kind == Text && kind == Number && isDigits(v.Text):
			f.Try = v.Text + " without quotes"
		case v.Kind == Number && kind == Text:
			f.Try = strconv.Quote(v.Text)
		}
		o.r.Fault(f)
		return nil
	}
	return v
}

func isDigits(s string) bool {
	return s != "" && len(s) <= 18 && strings.Trim(s, "0123456789") == ""
}

// Text is a string of lo to hi characters.
func (o *Object) Text(key string, lo, hi int, want string) (string, bool) {
	v := o.of(key, Text, want)
	if v == nil {
		return "", false
	}
	if n := utf8.RuneCountInString(v.Text); n < lo || n > hi {
		if n > hi {
			want += fmt.Sprintf(": it has %d characters", n)
		}
		o.Fault(Invalid, key, want, "", Para)
		return "", false
	}
	return v.Text, true
}

// OneOf is a string out of a list.
func (o *Object) OneOf(key string, names ...string) (string, bool) {
	want := "one of " + strings.Join(names, ", ")
	if len(names) == 1 {
		want = strconv.Quote(names[0])
	}
	v := o.of(key, Text, want)
	if v == nil {
		return "", false
	}
	if !slices.Contains(names, v.Text) {
		o.Bad(key, want, "")
		return "", false
	}
	return v.Text, true
}

// Int is a whole number from lo to hi, written as a number.
func (o *Object) Int(key string, lo, hi int) (int, bool) {
	want := Range(lo, hi)
	v := o.of(key, Number, want)
	if v == nil {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil || n < lo || n > hi {
		o.Bad(key, want, "")
		return 0, false
	}
	return n, true
}

// Digits is a whole number from lo to hi, written as a string.
func (o *Object) Digits(key string, lo, hi int) (int, bool) {
	want := Range(lo, hi) + " as a string of digits"
	v := o.of(key, Text, want)
	if v == nil {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil || n < lo || n > hi || v.Text[0] == '+' {
		o.Bad(key, want, "")
		return 0, false
	}
	return n, true
}

// Range words the bounds of a number.
func Range(lo, hi int) string {
	if lo == hi {
		return fmt.Sprintf("the number %d", lo)
	}
	return fmt.Sprintf("a whole number from %d to %d", lo, hi)
}

// Objects are the objects of a list of lo to hi entries; known lists the keys
// that have a meaning in them.
func (o *Object) Objects(key string, lo, hi int, known ...string) ([]*Object, bool) {
	want := "a list of objects"
	v := o.of(key, List, want)
	if v == nil {
		return nil, false
	}
	ok := o.length(key, len(v.Items), lo, hi, "objects")
	objects := make([]Object, len(v.Items))
	out := make([]*Object, 0, len(v.Items))
	for i := range v.Items {
		objects[i] = Object{r: o.r, v: &v.Items[i], parent: o, key: key, index: i}
		if v.Items[i].Kind != Map {
			o.r.Fault(Fault{Code: Invalid, Line: int(v.Items[i].Line), Key: objects[i].Path(""), Value: v.Items[i].printed(), Want: "an object"})
			ok = false
			continue
		}
		objects[i].know(known)
		out = append(out, &objects[i])
	}
	return out, ok
}

// Object is the object of a key; known lists the keys that have a meaning in it.
func (o *Object) Object(key string, known ...string) (*Object, bool) {
	v := o.of(key, Map, "an object")
	if v == nil {
		return nil, false
	}
	out := &Object{r: o.r, v: v, parent: o, key: key, index: -1}
	out.know(known)
	return out, true
}

// Texts are the strings of a list of lo to hi entries.
func (o *Object) Texts(key string, lo, hi int, want string) ([]string, bool) {
	v := o.of(key, List, "a list of "+want)
	if v == nil {
		return nil, false
	}
	ok := o.length(key, len(v.Items), lo, hi, want)
	out := make([]string, 0, min(len(v.Items), hi))
	for i := range v.Items {
		if v.Items[i].Kind != Text {
			o.Item(key, i, want, "")
			return nil, false
		}
		if ok {
			out = append(out, v.Items[i].Text)
		}
	}
	return out, ok
}

// Ints are the whole numbers, each from lo to hi, of a list of at most most.
func (o *Object) Ints(key string, most, lo, hi int) ([]int, bool) {
	v := o.of(key, List, "a list of numbers")
	if v == nil || !o.length(key, len(v.Items), 0, most, "numbers") {
		return nil, false
	}
	out := make([]int, len(v.Items))
	for i := range v.Items {
		n, err := strconv.Atoi(v.Items[i].Text)
		if v.Items[i].Kind != Number || err != nil || n < lo || n > hi {
			o.Item(key, i, Range(lo, hi), "")
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

func (o *Object) length(key string, n, lo, hi int, what string) bool {
	if n >= lo && n <= hi {
		return true
	}
	want := fmt.Sprintf("%d to %d %s", lo, hi, what)
	if n < lo && lo == 1 {
		want = "at least one of " + what
	}
	o.r.Fault(Fault{Code: Invalid, Line: o.Line(key), Key: o.Path(key), Value: fmt.Sprintf("%d entries", n), Want: want, Result: Para})
	return false
}

// Item reports entry i of a list, with code EI0014.
func (o *Object) Item(key string, i int, want, try string) {
	v, _ := o.v.get(key)
	o.r.Fault(Fault{Code: Invalid, Line: int(v.Items[i].Line), Key: fmt.Sprintf("%s[%d]", o.Path(key), i), Value: v.Items[i].printed(), Want: want, Try: try})
}

// Bool is a truth value.
func (o *Object) Bool(key string) (bool, bool) {
	v := o.of(key, Bool, "true or false")
	return v != nil && v.Text == "true", v != nil
}

// Peek is a number written as a string or a number, without a fault when it is
// none.
func (o *Object) Peek(key string) (int, bool) {
	v, _ := o.v.get(key)
	if v == nil {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	return n, err == nil
}

// Peers are the strings under a key of the objects of a list, without faults:
// what a count needs before the objects are read.
func (o *Object) Peers(list, key string) []string {
	v, _ := o.v.get(list)
	if v == nil || v.Kind != List {
		return nil
	}
	var out []string
	for i := range v.Items {
		if s, _ := v.Items[i].get(key); s != nil && v.Items[i].Kind == Map {
			out = append(out, s.Text)
		}
	}
	return out
}

// Forget drops the foreign keys noted so far: a reader that looks at a document
// twice, first for its version, asks for the keys at the second time.
func (r *Reader) Forget() {
	r.foreign, r.index = nil, map[string]int{}
}

// Take adds the faults of another file that this one names.
func (r *Reader) Take(err error) {
	var all *Faults
	if errors.As(err, &all) {
		r.faults.List = append(r.faults.List, all.List...)
		r.faults.More += all.More
	}
}
