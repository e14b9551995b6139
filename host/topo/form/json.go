package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseJSON reads one JSON document whose top is an object; file names it in
// faults. What it refuses it refuses with code EI0004 and the line: comments,
// trailing commas, a second value, duplicate keys, invalid UTF-8, more than
// MaxBytes bytes, 64 levels, 4096 keys of one object or four million values.
func ParseJSON(file string, data []byte) (*Value, error) {
	if len(data) > MaxBytes {
		return nil, &Faults{List: []*Fault{tooLarge(file, len(data), MaxBytes)}}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p := &parser{file: file, data: data, line: 1, names: map[string]string{}}
	if f := p.invalidText(); f != nil {
		return nil, &Faults{List: []*Fault{f}}
	}
	p.dec = json.NewDecoder(bytes.NewReader(data))
	p.dec.UseNumber()
	v, err := p.document()
	if err != nil {
		return nil, &Faults{List: []*Fault{err}}
	}
	return &v, nil
}

// parser turns the tokens of encoding/json into a tree with lines.
type parser struct {
	file  string
	data  []byte
	dec   *json.Decoder
	at    int // data[:at] is counted in line
	line  int32
	count int
	stack []Value // children of the open lists and maps
	keys  []Name
	names map[string]string
}

// fault is an error at the current line.
func (p *parser) fault(value, want, try string) *Fault {
	return &Fault{Code: Syntax, File: p.file, Line: int(p.line), Value: value, Want: want, Try: try}
}

func (p *parser) invalidText() *Fault {
	if utf8.Valid(p.data) {
		return nil
	}
	for i := 0; i < len(p.data); {
		r, n := utf8.DecodeRune(p.data[i:])
		if r == utf8.RuneError && n == 1 {
			p.advance(i)
			return p.fault(fmt.Sprintf("the byte 0x%02x", p.data[i]), "UTF-8", "")
		}
		i += n
	}
	return nil
}

// advance counts the lines up to an offset.
func (p *parser) advance(to int) {
	if to > p.at {
		p.line += int32(bytes.Count(p.data[p.at:to], []byte{'\n'}))
		p.at = to
	}
}

func (p *parser) token() (json.Token, *Fault) {
	t, err := p.dec.Token()
	if err != nil {
		return nil, p.explain(err)
	}
	p.advance(int(p.dec.InputOffset()))
	return t, nil
}

func (p *parser) document() (Value, *Fault) {
	t, fault := p.token()
	if fault != nil {
		return Value{}, fault
	}
	if t != json.Delim('{') {
		p.at = len(p.data) - len(bytes.TrimLeft(p.data, " \t\r\n"))
		return Value{}, p.fault(p.at0(), "an object: { ... }", "")
	}
	v, fault := p.value(t, 1)
	if fault != nil {
		return v, fault
	}
	rest := p.data[p.dec.InputOffset():]
	if skip := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")); skip < len(rest) {
		p.advance(len(p.data) - len(rest) + skip)
		return v, p.fault(p.at0(), "nothing after the closing brace", commentHint(rest[skip:]))
	}
	return v, nil
}

// value finishes the value that token t begins.
func (p *parser) value(t json.Token, depth int) (Value, *Fault) {
	if p.count++; p.count > maxValues {
		return Value{}, p.fault(fmt.Sprintf("more than %d values", maxValues), "fewer", "")
	}
	v := Value{Line: p.line}
	switch t := t.(type) {
	case nil:
		v.Kind = Null
	case bool:
		v.Kind, v.Text = Bool, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = Text, t
	case json.Delim:
		if depth > maxDepth {
			return v, p.fault(fmt.Sprintf("more than %d levels of lists and objects", maxDepth), "fewer", "")
		}
		if t == '{' {
			v.Kind = Map
		} else {
			v.Kind = List
		}
		fault := p.children(&v, depth)
		return v, fault
	}
	return v, nil
}

func (p *parser) children(v *Value, depth int) *Fault {
	items, names := len(p.stack), len(p.keys)
	for {
		t, fault := p.token()
		if fault != nil {
			return fault
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			break
		}
		if v.Kind == Map {
			if len(p.keys)-names == maxKeys {
				return p.fault(fmt.Sprintf("more than %d keys of one object", maxKeys), "fewer", "")
			}
			p.keys = append(p.keys, Name{p.intern(t.(string)), p.line})
			if t, fault = p.token(); fault != nil {
				return fault
			}
		}
		child, fault := p.value(t, depth+1)
		if fault != nil {
			return fault
		}
		p.stack = append(p.stack, child)
	}
	v.Items = slices.Clone(p.stack[items:])
	v.Names = slices.Clone(p.keys[names:])
	p.stack, p.keys = p.stack[:items], p.keys[:names]
	return duplicate(p.file, v)
}

func (p *parser) intern(key string) string {
	if k, ok := p.names[key]; ok {
		return k
	}
	if len(p.names) < 4096 {
		p.names[key] = key
	}
	return key
}

// duplicate finds a key that a map has twice.
func duplicate(file string, v *Value) *Fault {
	bad := func(i, first int) *Fault {
		return &Fault{Code: Syntax, File: file, Line: int(v.Names[i].Line), Key: clip(v.Names[i].Text),
			Value: "the key a second time", Want: fmt.Sprintf("it once: line %d has it", v.Names[first].Line)}
	}
	if len(v.Names) <= 16 {
		for i := range v.Names {
			for j := range i {
				if v.Names[j].Text == v.Names[i].Text {
					return bad(i, j)
				}
			}
		}
		return nil
	}
	seen := make(map[string]int, len(v.Names))
	for i := range v.Names {
		if j, ok := seen[v.Names[i].Text]; ok {
			return bad(i, j)
		}
		seen[v.Names[i].Text] = i
	}
	return nil
}

// explain finds what stopped the decoder and says it in the words of a user.
func (p *parser) explain(err error) *Fault {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	last := byte('{') // what stands before the place, a space aside
	if before := bytes.TrimRight(p.data[:at], " \t\r\n"); len(before) > 0 {
		last = before[len(before)-1]
	}
	p.advance(at)
	if at == len(p.data) {
		return p.fault("the end of the file", "JSON that is complete", "")
	}
	rest := p.data[at:]
	hint := commentHint(rest)
	switch {
	case hint != "":
		return p.fault("the comment "+p.at0(), "JSON without comments", hint)
	case last == ',' && (rest[0] == '}' || rest[0] == ']'):
		return p.fault(fmt.Sprintf("a comma before %q", rest[0]), "no comma after the last entry", "")
	case rest[0] == '"' && strings.IndexByte(",:[{", last) < 0:
		return p.fault(p.at0()+" without a comma before it", "a comma between two entries", "")
	}
	var syntax *json.SyntaxError
	want := "JSON"
	if errors.As(err, &syntax) {
		want += ": " + syntax.Error()
	} else if !errors.Is(err, io.ErrUnexpectedEOF) {
		want += ": " + err.Error()
	}
	try := ""
	if p.at == len(p.data)-len(bytes.TrimLeft(p.data, " \t\r\n")) && bytes.IndexByte(rest, '{') > 0 {
		try = "the file from its first { on"
	}
	return p.fault(p.at0(), want, try)
}

// at0 is the text at the current place, up to the end of its line.
func (p *parser) at0() string {
	rest := p.data[p.at:]
	if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	s := string(rest[:min(len(rest), 40)])
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return quote(s)
}

// commentHint says how to get rid of a comment that the text begins with.
func commentHint(rest []byte) string {
	if bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) || rest[0] == '#' {
		return "a copy without the comments"
	}
	return ""
}
