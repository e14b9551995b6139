package form

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var yamlLine = regexp.MustCompile(`line (\d+): `)

// ParseYAML reads one YAML document whose top is a mapping; file names it in
// faults. Beside what the syntax forbids it refuses, with code EI0004 and the
// line, aliases and merge keys, a second document, duplicate keys, invalid
// UTF-8, more than MaxYAMLBytes bytes or 64 levels.
func ParseYAML(file string, data []byte) (*Value, error) {
	v, fault := parseYAML(file, data)
	if fault != nil {
		return nil, &Faults{List: []*Fault{fault}}
	}
	return v, nil
}

func parseYAML(file string, data []byte) (*Value, *Fault) {
	bad := func(line int, value, want string) *Fault {
		return &Fault{Code: Syntax, File: file, Line: line, Value: value, Want: want}
	}
	if len(data) > MaxYAMLBytes {
		return nil, tooLarge(file, len(data), MaxYAMLBytes)
	}
	if !utf8.Valid(data) {
		p := &parser{file: file, data: data, line: 1}
		return nil, p.invalidText()
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, bad(0, "no document", "a mapping")
		}
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		line := 0
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = strings.Replace(text, m[0], "", 1)
		} else {
			line = max(deepLine(data), 1) // the decoder leaves the first line out
		}
		return nil, bad(line, "text that YAML does not allow", "YAML: "+clip(text))
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, bad(second.Line, "more after the first document", "one document")
	}
	y := yamlTree{file: file}
	v, fault := y.convert(&doc, 0)
	if fault == nil && v.Kind != Map {
		fault = bad(int(v.Line), v.printed(), "a mapping")
	}
	if fault != nil {
		return nil, fault
	}
	return &v, nil
}

// deepLine is the line where brackets are nested too deep, which the decoder does
// not name; 0 where they are not.
func deepLine(data []byte) int {
	depth, line := 0, 1
	for _, c := range data {
		switch c {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > maxDepth {
				return line
			}
		case ']', '}':
			depth--
		}
	}
	return 0
}

type yamlTree struct {
	file  string
	count int
}

func (y *yamlTree) convert(n *yaml.Node, depth int) (Value, *Fault) {
	line := n.Line
	bad := func(value, want string) *Fault {
		return &Fault{Code: Syntax, File: y.file, Line: line, Value: value, Want: want}
	}
	v := Value{Line: int32(n.Line)}
	if y.count++; y.count > maxValues {
		return v, bad(fmt.Sprintf("more than %d values", maxValues), "fewer")
	}
	if depth > maxDepth {
		return v, bad(fmt.Sprintf("more than %d levels", maxDepth), "fewer")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return v, bad("an empty document", "a mapping")
		}
		return y.convert(n.Content[0], depth)
	case yaml.AliasNode:
		return v, bad("the alias *"+clip(n.Value), "the value itself")
	case yaml.ScalarNode:
		v.Text = n.Value
		switch n.Tag {
		case "!!null":
			v.Kind = Null
		case "!!bool":
			v.Kind = Bool
		case "!!int", "!!float":
			v.Kind = Number
			v.Text = strings.ReplaceAll(v.Text, "_", "")
		default:
			v.Kind = Text
		}
		return v, nil
	case yaml.SequenceNode:
		v.Kind = List
		for _, c := range n.Content {
			item, fault := y.convert(c, depth+1)
			if fault != nil {
				return v, fault
			}
			v.Items = append(v.Items, item)
		}
		return v, nil
	case yaml.MappingNode:
		v.Kind = Map
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				line = key.Line
				return v, bad("a key that is not plain text", "a name")
			}
			item, fault := y.convert(n.Content[i+1], depth+1)
			if fault != nil {
				return v, fault
			}
			v.Items = append(v.Items, item)
			v.Names = append(v.Names, Name{key.Value, int32(key.Line)})
		}
		return v, duplicate(y.file, &v)
	}
	return v, bad("an unknown kind of node", "YAML")
}
