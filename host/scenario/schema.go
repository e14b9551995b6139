package scenario

import (
	"regexp"
	"strings"
)

// Kind is what sort of value a key takes.
type Kind uint8

// The kinds. Each has one conversion in value.go and one name in the documentation.
const (
	KindText      Kind = iota // a string
	KindInt                   // a whole number within Min..Max
	KindBool                  // true or false
	KindEnum                  // one of Values
	KindSize                  // "64MiB", or a number of bytes
	KindRate                  // "400Gbps", "56GB/s"
	KindTime                  // "1.5us", "0"
	KindTimes                 // a time, or a list of times
	KindSweep                 // "8KiB..64MiB x2", "1KiB..8KiB +1KiB", one size, or a list
	KindInts                  // a list of whole numbers within Min..Max
	KindTexts                 // a list of strings
	KindTrain                 // "auto" or a whole number
	KindHosts                 // a whole number within Min..Max, or "device", which is 0
	KindProcesses             // a whole number within Min..Max, or "per-rank", which is 0
	KindOutage                // a time, or true, which is for ever and 0
	KindShare                 // a part of the whole: 0.01, or "1%"; in parts in a million
	KindEnv                   // a variable's text that holds a whole number within Min..Max
	KindAny                   // whatever the plugin's own parameter says
)

var kindNames = [...]string{"text", "whole number", "true or false", "name", "size", "rate", "time", "time or list of times",
	"sizes", "list of whole numbers", "list of texts", "`\"auto\"` or a whole number", "whole number or `\"device\"`", "whole number or `\"per-rank\"`", "time or true", "share such as 0.01 or `\"1%\"`", "text with a whole number", "as the plugin says"}

func (k Kind) String() string { return kindNames[k] }

// Key is one key of sim.toml. The table in keys.go is the only place that knows them: parsing, `hsim config` and the
// reference page are made from it.
type Key struct {
	Path    string   // "run[].op"; [] stands for the elements of an array of tables, a last ".*" for any name
	Kind    Kind     //
	Default string   // as written in TOML; "" = not set
	Values  []string // of KindEnum
	Min     int64    // of KindInt and KindInts
	Max     int64    //
	Doc     string   // one or two sentences
	Later   string   // not "": refused as not supported yet when set to anything but the default; says what exists instead
}

var arrayIndex = regexp.MustCompile(`\[(\d+|\*)\]`)

// generic turns "run[2].op" and "run[*].op" into "run[].op".
func generic(path string) string { return arrayIndex.ReplaceAllString(path, "[]") }

// schema is the key table with its look-ups.
type schema struct {
	keys   []Key
	byPath map[string]int
	tables map[string][]string // table path -> names of its direct children
}

func newSchema(keys []Key) *schema {
	s := &schema{keys: keys, byPath: make(map[string]int, len(keys)), tables: map[string][]string{}}
	for i, k := range keys {
		s.byPath[k.Path] = i
		parent := ""
		for _, name := range strings.Split(k.Path, ".") {
			plain := strings.TrimSuffix(name, "[]")
			if !contains(s.tables[parent], plain) {
				s.tables[parent] = append(s.tables[parent], plain)
			}
			parent = join(parent, name)
		}
	}
	return s
}

// key returns the schema entry of a concrete path.
func (s *schema) key(path string) (Key, bool) {
	g := generic(path)
	if i, ok := s.byPath[g]; ok {
		return s.keys[i], true
	}
	if cut := strings.LastIndexByte(g, '.'); cut >= 0 {
		if i, ok := s.byPath[g[:cut]+".*"]; ok {
			return s.keys[i], true
		}
	}
	return Key{}, false
}

// children returns the names inside a table, nil when path is no table.
func (s *schema) children(path string) []string { return s.tables[generic(path)] }

// isArray reports whether path names an array of tables.
func (s *schema) isArray(path string) bool { return s.tables[generic(path)+"[]"] != nil }

// allPaths returns every generic path, for suggestions across tables.
func (s *schema) allPaths() []string {
	out := make([]string, 0, len(s.keys))
	for _, k := range s.keys {
		out = append(out, k.Path)
	}
	return out
}

// suggest returns the valid path nearest to an unknown one: the same name elsewhere, then what is alike beside it. The
// keys of all runs of a file look the same, so that an index is kept only where the path itself is meant.
func (s *schema) suggest(path string) string {
	cut := strings.LastIndexByte(path, '.')
	parent, name := "", path
	if cut >= 0 {
		parent, name = path[:cut], path[cut+1:]
	}
	if s.children(name) != nil {
		return "[" + name + "] on a line of its own"
	}
	if s.isArray(name) {
		return "[[" + name + "]] on a line of its own"
	}
	for _, p := range s.allPaths() {
		if p[strings.LastIndexByte(p, '.')+1:] == name && !strings.HasSuffix(p, ".name") {
			if list, _, _ := strings.Cut(p, "[]"); whole(list) {
				return strings.Replace(p, "[]", "[0]", 1)
			}
			return strings.ReplaceAll(p, "[]", "")
		}
	}
	n := nearest(name, s.children(parent))
	switch {
	case n == "" || n == "*":
		return ""
	case s.isArray(join(parent, n)):
		return "[[" + join(parent, n) + "]]"
	case parent == "":
		return "[" + n + "]"
	}
	return join(parent, n)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
