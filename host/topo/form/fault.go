package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Code is the id under which the real system reports a kind of fault.
type Code string

// The codes of faults in files, as the documentation of the collective library
// lists them.
const (
	Family  Code = "EI0001" // addresses of different families
	Syntax  Code = "EI0004" // no such file, no permission, not JSON
	Planes  Code = "EI0010" // devices that no plane joins
	Invalid Code = "EI0014" // a bad value
	Missing Code = "EI0017" // a key is missing
)

// The results with which the real library returns on some faults; 0 where its
// documentation does not say.
const (
	Para    = 1 // HCCL_E_PARA
	Unavail = 7 // HCCL_E_UNAVAIL
)

// Fault is one thing that is wrong in a file.
type Fault struct {
	Code   Code
	File   string
	Line   int    // 0 = none
	Key    string // path of the key, such as server_list[0].device[1].device_ip
	Value  string // as printed: quoted text, a number, "a list"
	Want   string
	Try    string
	Result int // what the real library returns, 0 = not documented
}

// Error is "EI0014 rt.json:6: key: got VALUE, want WANT (try TRY)".
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(string(f.Code))
	b.WriteString(" " + f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	value := f.Value
	if value == "" {
		value = "nothing"
	}
	fmt.Fprintf(&b, ": got %s, want %s", value, f.Want)
	if f.Try != "" {
		fmt.Fprintf(&b, " (try %s)", f.Try)
	}
	return b.String()
}

// Bounds of what one file reports.
const (
	maxKept    = 64
	maxPrinted = 8
)

// Faults is everything that is wrong in a file, in the order of its lines.
type Faults struct {
	List []*Fault
	More int // further ones that were not kept
}

// Error prints the first faults, one a line.
func (f *Faults) Error() string {
	n := len(f.List) + f.More
	if n == 1 {
		return f.List[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d faults:", n)
	shown := f.List[:min(len(f.List), maxPrinted)]
	for _, one := range shown {
		b.WriteString("\n  " + one.Error())
	}
	if n > len(shown) {
		fmt.Fprintf(&b, "\n  and %d more", n-len(shown))
	}
	return b.String()
}

// Unwrap gives errors.As the single faults.
func (f *Faults) Unwrap() []error {
	out := make([]error, len(f.List))
	for i, one := range f.List {
		out[i] = one
	}
	return out
}

func (f *Faults) add(one *Fault) {
	if len(f.List) >= maxKept {
		f.More++
		return
	}
	f.List = append(f.List, one)
}

func (f *Faults) sort() {
	slices.SortStableFunc(f.List, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
}

// Note is something a user should know about a file that was accepted.
type Note struct {
	File string
	Line int // 0 = the whole file
	Text string
}

// String is "file:line: text".
func (n Note) String() string {
	if n.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)
	}
	return n.File + ": " + n.Text
}
