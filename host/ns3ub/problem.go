package ns3ub

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with a case, at a line of one of its files; Line 0
// is the file as a whole.
type Problem struct {
	File string
	Line int
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// InputError is a case that cannot be run. More counts the problems beyond
// those that are listed.
type InputError struct {
	Problems []Problem
	More     int
}

func (e *InputError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many are listed; the rest is counted.
const maxProblems = 20

// problems collects what is wrong.
type problems struct {
	list []Problem
	more int
}

func (p *problems) add(file string, line int, format string, args ...any) {
	if len(p.list) == maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, Problem{file, line, clip(fmt.Sprintf(format, args...))})
}

// clip takes the middle out of a message about a cell of megabytes: what is wanted stands at the end.
func clip(text string) string {
	const most, head, tail = 2000, 120, 400
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + " ... " + strings.ToValidUTF8(text[len(text)-tail:], "")
}

func (p *problems) any() bool { return len(p.list) > 0 }

func (p *problems) err() error {
	if !p.any() {
		return nil
	}
	return &InputError{Problems: p.list, More: p.more}
}
