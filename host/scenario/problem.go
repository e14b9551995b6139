package scenario

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one thing wrong with the input: where it is, what it says, what was expected and what to do.
type Problem struct {
	File  string // the file, or "--set" or a flag
	Line  int    // 0 when there is none
	Key   string // path of the key, "" when the file itself is the problem
	Value string // as written, "" when there is none
	Want  string // what is wrong and what was expected
	Try   string // remedy or nearest valid name, "" when there is none
}

// String is the paragraph a user reads: `sim.toml:12: run[0].dtype = "fp31": want one of ... (try fp32)`.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key)
		if p.Value != "" {
			b.WriteString(" = " + p.Value)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Want)
	if p.Try != "" {
		b.WriteString(" (try " + p.Try + ")")
	}
	return Printable(b.String())
}

// Printable writes control characters as Go does in quotes, so that what a file says can neither break a line nor speak to
// the terminal.
func Printable(s string) string {
	plain := func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if plain(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// InputError holds every problem found in one input, in the order of their lines.
type InputError struct{ Problems []Problem }

func (e *InputError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// problems collects; err returns nil when nothing was collected.
type problems []Problem

func (p *problems) add(x Problem) { *p = append(*p, x) }

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	sort.SliceStable(p, func(i, j int) bool { return p[i].Line < p[j].Line })
	// The same line may be seen once per variant; it is said once.
	out := p[:0:0]
	seen := map[string]bool{}
	for _, x := range p {
		if s := x.String(); !seen[s] {
			seen[s] = true
			out = append(out, x)
		}
	}
	return &InputError{Problems: out}
}

// nearest returns the name closest to got, or "" when none is close enough to be what was meant.
func nearest(got string, names []string) string {
	best, bestCost := "", max(len(got)/2, 2)+1
	for _, n := range names {
		if c := editCost(strings.ToLower(got), strings.ToLower(n)); c < bestCost {
			best, bestCost = n, c
		}
	}
	return best
}

// editCost is the number of insertions, deletions, replacements and swaps of neighbours that turn a into b.
func editCost(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		two, one, row := rows[(i-1)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}

// list writes names as "a, b or c".
func list(names []string) string {
	switch len(names) {
	case 0:
		return "nothing"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
