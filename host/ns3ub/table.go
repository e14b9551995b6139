package ns3ub

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// column is what a table may hold. Names are its spellings over the versions of
// the simulator, the usual one first; they match without regard to case.
type column struct {
	names    []string
	required bool
}

// table is a file of comma-separated values with a head line.
type table struct {
	file  string
	path  string // as errors name it
	head  []string
	at    []int // per column: its place in a row, -1 = not in the file
	rows  []row
	cols  []column
	extra []string // columns of the file that nothing here uses
}

type row struct {
	line  int
	cells []string
}

// maxFile bounds a file: a case that needs more is a mistake.
const maxFile = 1 << 30

// readTable reads a file of the case. It returns nil when the file is not there
// or has faults of its own, which it adds to probs; a missing file is one unless
// optional.
func readTable(fsys fs.FS, dir, file string, cols []column, optional bool, probs *problems) *table {
	path := join(dir, file)
	text, err := fs.ReadFile(fsys, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !optional {
			probs.add(path, 0, "there is no such file, want one with the columns %s", columnNames(cols))
		}
		return nil
	case err != nil:
		probs.add(path, 0, "cannot be read: %v", err)
		return nil
	case len(text) > maxFile:
		probs.add(path, 0, "got %d bytes, want at most %d", len(text), maxFile)
		return nil
	}
	t := &table{file: file, path: path, cols: cols}
	if !t.parse(string(text), probs) {
		return nil
	}
	return t
}

// parse cuts the text into rows; false means that the head is of no use.
func (t *table) parse(text string, probs *problems) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	for n := 1; text != ""; n++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, ",")
		for i, c := range cells {
			cells[i] = unquote(strings.TrimSpace(c))
		}
		if t.head == nil {
			t.head = cells
			if !t.place(n, probs) {
				return false
			}
			continue
		}
		if len(cells) > len(t.head) {
			probs.add(t.path, n, "got %d cells, want at most %d, one a column", len(cells), len(t.head))
			continue
		}
		t.rows = append(t.rows, row{n, cells})
	}
	if t.head == nil {
		probs.add(t.path, 0, "got no head line, want one with the columns %s", columnNames(t.cols))
		return false
	}
	return true
}

// place finds the columns in the head line.
func (t *table) place(line int, probs *problems) bool {
	t.at = make([]int, len(t.cols))
	for i := range t.at {
		t.at[i] = -1
	}
	ok := true
	for k, name := range t.head {
		i := find(t.cols, name)
		switch {
		case i < 0:
			if name != "" {
				t.extra = append(t.extra, name)
			}
		case t.at[i] >= 0:
			probs.add(t.path, line, "column %q: got it twice, want it once", name)
			ok = false
		default:
			t.at[i] = k
		}
	}
	for i, c := range t.cols {
		if c.required && t.at[i] < 0 {
			probs.add(t.path, line, "column %q: is missing, want the columns %s", c.names[0], columnNames(t.cols))
			ok = false
		}
	}
	return ok
}

// cell is the text of column i in a row, "" when the row or file has none.
func (t *table) cell(r *row, i int) string {
	if k := t.at[i]; k >= 0 && k < len(r.cells) {
		return r.cells[k]
	}
	return ""
}

func find(cols []column, name string) int {
	for i, c := range cols {
		for _, n := range c.names {
			if plain(n) == plain(name) {
				return i
			}
		}
	}
	return -1
}

// plain is a column's name without what the spellings differ in.
func plain(s string) string {
	s, _, _ = strings.Cut(s, "(")
	return strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(s))
}

func columnNames(cols []column) string {
	var names []string
	for _, c := range cols {
		if c.required {
			names = append(names, c.names[0])
		}
	}
	return strings.Join(names, ", ")
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

func join(dir, file string) string {
	if dir == "" || dir == "." {
		return file
	}
	return fmt.Sprintf("%s/%s", strings.TrimRight(dir, "/"), file)
}
