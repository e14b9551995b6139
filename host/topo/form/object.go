package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
