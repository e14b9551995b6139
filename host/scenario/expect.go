package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// expression computes what a kernel must leave in element i of its output, from whole numbers.
type expression func(e *operands) int64

// operands are what an expression may look at.
type operands struct {
	i, n int64
	in   func(k int, i int64) int64 // element i of input k
}

// ParseExpect reads the expectation of a kernel run: whole numbers, i, n, in0 .. in7 (element i of an input), + - *,
// parentheses, min(a, b) and max(a, b). inputs is how many inputs the kernel has.
func parseExpect(text string, inputs int) (expression, error) {
	p := &expectParser{text: text, inputs: inputs}
	e, err := p.sum()
	if err == nil && p.skip() < len(p.text) {
		err = p.wrong("an operator")
	}
	return e, err
}

type expectParser struct {
	text   string
	pos    int
	inputs int
	depth  int
}

func (p *expectParser) skip() int {
	for p.pos < len(p.text) && p.text[p.pos] == ' ' {
		p.pos++
	}
	return p.pos
}

func (p *expectParser) take(c byte) bool {
	if p.skip() < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *expectParser) wrong(want string) error {
	got := "the end"
	if p.skip() < len(p.text) {
		got = strconv.Quote(p.text[p.pos:])
	}
	return fmt.Errorf("got %s, want %s", got, want)
}

func (p *expectParser) sum() (expression, error) {
	if p.depth++; p.depth > 100 {
		return nil, fmt.Errorf("too many parentheses")
	}
	defer func() { p.depth-- }()
	left, err := p.product()
	for err == nil {
		var right expression
		a := left
		switch {
		case p.take('+'):
			if right, err = p.product(); err == nil {
				left = func(o *operands) int64 { return a(o) + right(o) }
			}
		case p.take('-'):
			if right, err = p.product(); err == nil {
				left = func(o *operands) int64 { return a(o) - right(o) }
			}
		default:
			return left, nil
		}
	}
	return nil, err
}

func (p *expectParser) product() (expression, error) {
	left, err := p.factor()
	for err == nil && p.take('*') {
		var right expression
		a := left
		if right, err = p.factor(); err == nil {
			left = func(o *operands) int64 { return a(o) * right(o) }
		}
	}
	return left, err
}

func (p *expectParser) factor() (expression, error) {
	switch {
	case p.take('-'):
		e, err := p.factor()
		return func(o *operands) int64 { return -e(o) }, err
	case p.take('('):
		e, err := p.sum()
		if err == nil && !p.take(')') {
			err = p.wrong(")")
		}
		return e, err
	}
	start := p.skip()
	for p.pos < len(p.text) && (p.text[p.pos] >= '0' && p.text[p.pos] <= '9' || p.text[p.pos] >= 'a' && p.text[p.pos] <= 'z') {
		p.pos++
	}
	word := p.text[start:p.pos]
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return func(*operands) int64 { return n }, nil
	}
	switch word {
	case "i":
		return func(o *operands) int64 { return o.i }, nil
	case "n":
		return func(o *operands) int64 { return o.n }, nil
	case "min", "max":
		return p.pair(word)
	}
	if digits, ok := strings.CutPrefix(word, "in"); ok {
		if k, err := strconv.Atoi(digits); err == nil && k >= 0 && k < p.inputs {
			return func(o *operands) int64 { return o.in(k, o.i) }, nil
		}
	}
	p.pos = start
	want := "a number, i, n, min, max"
	if p.inputs > 0 {
		want += fmt.Sprintf(" or in0 to in%d", p.inputs-1)
	}
	return nil, p.wrong(want)
}

// pair reads (a, b) of min and max.
func (p *expectParser) pair(word string) (expression, error) {
	if !p.take('(') {
		return nil, p.wrong("(")
	}
	a, err := p.sum()
	if err != nil {
		return nil, err
	}
	if !p.take(',') {
		return nil, p.wrong(",")
	}
	b, err := p.sum()
	if err != nil {
		return nil, err
	}
	if !p.take(')') {
		return nil, p.wrong(")")
	}
	if word == "min" {
		return func(o *operands) int64 { return min(a(o), b(o)) }, nil
	}
	return func(o *operands) int64 { return max(a(o), b(o)) }, nil
}
