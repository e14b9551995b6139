package form

import (
	"errors"
	"fmt"
	"strconv"
)

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
