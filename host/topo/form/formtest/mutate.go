package formtest

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Mutate changes a JSON document as a program says and writes it again: two
// bytes a step, a place and what to do there. The place counts values in the
// order of their keys.
func Mutate(text string, program []byte) []byte {
	var doc any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return []byte(text)
	}
	for i := 0; i+1 < len(program) && i < 64; i += 2 {
		var places []place
		collect(doc, &places)
		// A value copied into itself doubles the document.
		if len(places) == 0 || len(places) > 4096 {
			break
		}
		places[int(program[i])*len(places)/256].change(program[i+1], places)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return []byte(text)
	}
	return out
}

// place is a value in a map or a list.
type place struct {
	in    map[string]any
	key   string
	list  []any
	index int
}

func collect(v any, out *[]place) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			*out = append(*out, place{in: v, key: k})
			collect(v[k], out)
		}
	case []any:
		for i := range v {
			*out = append(*out, place{list: v, index: i})
			collect(v[i], out)
		}
	}
}

func (p place) get() any {
	if p.in != nil {
		return p.in[p.key]
	}
	return p.list[p.index]
}

func (p place) set(v any) {
	if p.in != nil {
		p.in[p.key] = v
	} else {
		p.list[p.index] = v
	}
}

// change replaces, removes, doubles or copies.
func (p place) change(op byte, all []place) {
	values := []any{nil, true, json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("2.5"), json.Number("64"), json.Number("65536"), json.Number("99999999999999999999"),
		"", "0", "1", "-1", "7", "8", "64", "10.0.0.9", "fe80::1", "1/0", "0/1", "d2h", "x", []any{}, map[string]any{}}
	switch {
	case int(op) < len(values):
		p.set(values[op])
	case op < 64:
		if p.in != nil {
			delete(p.in, p.key)
		} else {
			p.set(nil)
		}
	case op < 96:
		if list, ok := p.get().([]any); ok && len(list) > 0 && len(list) < 64 {
			p.set(append(slices.Clone(list), copyOf(list[int(op)%len(list)])))
		}
	case op < 128:
		if list, ok := p.get().([]any); ok && len(list) > 0 {
			p.set(slices.Clone(list[:len(list)-1]))
		}
	default:
		p.set(copyOf(all[int(op-128)*len(all)/128].get()))
	}
}

// copyOf is a value of its own: a document has no cycles.
func copyOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = copyOf(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = copyOf(x)
		}
		return out
	}
	return v
}

// Programs calls f with n programs that a seed gives.
func Programs(n int, seed uint64, f func(program []byte)) {
	for range n {
		var p [12]byte
		for i := range p {
			seed = seed*6364136223846793005 + 1442695040888963407
			p[i] = byte(seed >> 40)
		}
		f(p[:2+2*(int(p[0])%6)])
	}
}
