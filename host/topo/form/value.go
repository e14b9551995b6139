package form

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"unicode/utf8"
)

// Kind is what a value is.
type Kind uint8

// The kinds of value.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Map
)

var kindNames = [...]string{"null", "a truth value", "a number", "a string", "a list", "an object"}

// String is the kind's name in faults.
func (k Kind) String() string { return kindNames[min(k, Map)] }

// Value is a node of the tree. Items are the elements of a list or the values
// of a map, Names the keys of a map.
type Value struct {
	Kind  Kind
	Line  int32
	Text  string // of a string, a number or a truth value
	Items []Value
	Names []Name
}

// Name is a key of a map and its line.
type Name struct {
	Text string
	Line int32
}

// The bounds of a file. A table of 65536 ranks with one address each is below
// them; what exceeds them is refused before it takes memory or minutes.
const (
	MaxBytes     = 64 << 20
	MaxYAMLBytes = 1 << 20
	maxValues    = 4 << 20
	maxDepth     = 64
	maxKeys      = 4096 // of one object
)

// ReadFile reads a file of at most MaxBytes. The error is a fault with code
// EI0004 and never repeats the path.
func ReadFile(file string) ([]byte, error) {
	fail := func(value, want string) error {
		return &Faults{List: []*Fault{{Code: Syntax, File: file, Value: value, Want: want}}}
	}
	f, err := os.Open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fail("no such file", "a file that exists")
		}
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fail(err.Error(), "a readable file")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fail("a directory", "a file")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fail(err.Error(), "a readable file")
	}
	if len(data) > MaxBytes {
		return nil, fail("more than 64 MiB", "a file of at most 64 MiB")
	}
	return data, nil
}

// get returns the value of a key, nil without it, and its position.
func (v *Value) get(key string) (*Value, int) {
	for i := range v.Names {
		if v.Names[i].Text == key {
			return &v.Items[i], i
		}
	}
	return nil, -1
}

// printed is a value as faults show it.
func (v *Value) printed() string {
	switch v.Kind {
	case Text:
		return quote(v.Text)
	case Number, Bool:
		return clip(v.Text)
	}
	return v.Kind.String()
}

// quote prints text, the long one shortened.
func quote(s string) string {
	if t := clip(s); t != s {
		return strconv.Quote(t) + "..."
	}
	return strconv.Quote(s)
}

func clip(s string) string {
	const most = 48
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tooLarge refuses text above the limit.
func tooLarge(file string, n, limit int) *Fault {
	return &Fault{Code: Syntax, File: file, Value: fmt.Sprintf("%d bytes", n), Want: fmt.Sprintf("at most %d", limit)}
}
