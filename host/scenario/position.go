package scenario

import (
	"strconv"
	"strings"
)

// positions maps the path of every key, table and array element of a TOML text ("run[0].sizes", "cluster.dims[1]") to
// its line. The decoder gives no positions for what it has decoded, so that an unknown key in the first of three [[run]]
// could not be placed. The text must have been accepted by the decoder: the scanner checks nothing.
type positions map[string]int

func indexPositions(text string) positions {
	s := &scanner{text: text, line: 1, at: positions{}, count: map[string]int{}}
	s.document()
	return s.at
}

type scanner struct {
	text  string
	pos   int
	line  int
	at    positions
	count map[string]int // array of tables -> elements so far
}

func (s *scanner) document() {
	prefix := ""
	for {
		s.blank(true)
		if s.pos >= len(s.text) {
			return
		}
		if s.peek() == '[' {
			prefix = s.header()
			continue
		}
		s.keyValue(prefix)
	}
}

// header reads [a.b] or [[a.b]] and returns the path that the following keys belong to.
func (s *scanner) header() string {
	s.pos++
	array := s.peek() == '['
	if array {
		s.pos++
	}
	line := s.line
	parts := s.key()
	for s.peek() == ']' {
		s.pos++
	}
	path := ""
	for i, p := range parts {
		path = join(path, p)
		n := s.count[path]
		if array && i == len(parts)-1 {
			s.count[path] = n + 1
			s.note(path, line)
			path = element(path, n)
		} else if n > 0 {
			path = element(path, n-1)
		}
		s.note(path, line)
	}
	return path
}

func (s *scanner) keyValue(prefix string) {
	line := s.line
	path := prefix
	for _, p := range s.key() {
		path = join(path, p)
		s.note(path, line)
	}
	s.blank(false)
	if s.peek() == '=' {
		s.pos++
	} else {
		s.pos++ // not TOML: move on, so that a wrong text cannot loop
	}
	s.value(path)
}

// key reads a possibly dotted, possibly quoted key.
func (s *scanner) key() []string {
	var parts []string
	for {
		s.blank(false)
		switch c := s.peek(); c {
		case '"', '\'':
			parts = append(parts, s.quoted(c))
		default:
			start := s.pos
			for s.pos < len(s.text) && !strings.ContainsRune(" \t.=]\r\n", rune(s.text[s.pos])) {
				s.pos++
			}
			parts = append(parts, s.text[start:s.pos])
		}
		s.blank(false)
		if s.peek() != '.' {
			return parts
		}
		s.pos++
	}
}

func (s *scanner) value(path string) {
	s.blank(true)
	switch c := s.peek(); c {
	case '"', '\'':
		s.quoted(c)
	case '[':
		s.pos++
		for i := 0; ; i++ {
			s.blank(true)
			if c := s.peek(); c == ']' || c == 0 {
				s.pos++
				return
			}
			s.note(element(path, i), s.line)
			s.value(element(path, i))
			s.blank(true)
			if s.peek() == ',' {
				s.pos++
			}
		}
	case '{':
		s.pos++
		for {
			s.blank(true)
			if c := s.peek(); c == '}' || c == 0 {
				s.pos++
				return
			}
			s.keyValue(path)
			s.blank(true)
			if s.peek() == ',' {
				s.pos++
			}
		}
	default:
		for s.pos < len(s.text) && !strings.ContainsRune(",]}#\r\n", rune(s.text[s.pos])) {
			s.pos++
		}
	}
}

// quoted skips a string in any of the four forms and returns its raw inside, with \" and \\ undone: enough for keys.
func (s *scanner) quoted(q byte) string {
	mark := string(q)
	if strings.HasPrefix(s.text[s.pos:], strings.Repeat(mark, 3)) {
		mark = strings.Repeat(mark, 3)
	}
	s.pos += len(mark)
	start := s.pos
	for s.pos < len(s.text) {
		switch {
		case q == '"' && s.text[s.pos] == '\\':
			s.pos++
			if s.pos < len(s.text) && s.text[s.pos] == '\n' {
				s.line++
			}
			s.pos++
		case strings.HasPrefix(s.text[s.pos:], mark):
			inside := s.text[start:s.pos]
			s.pos += len(mark)
			for len(mark) == 3 && s.pos < len(s.text) && s.text[s.pos] == q {
				s.pos++ // a quote may touch the closing three
			}
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inside)
		default:
			if s.text[s.pos] == '\n' {
				s.line++
			}
			s.pos++
		}
	}
	return ""
}

// blank skips spaces and comments, and line ends where they mean nothing.
func (s *scanner) blank(lines bool) {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
		case c == '\n' && lines:
			s.line++
		case c == '#' && lines:
			for s.pos < len(s.text) && s.text[s.pos] != '\n' {
				s.pos++
			}
			continue
		default:
			return
		}
		s.pos++
	}
}

func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) note(path string, line int) {
	if _, seen := s.at[path]; !seen {
		s.at[path] = line
	}
}

// line returns the line of path, or of the nearest thing around it; 0 when nothing is known.
func (p positions) line(path string) int {
	for path != "" {
		if n, ok := p[path]; ok {
			return n
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 0
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
