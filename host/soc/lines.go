package soc

import "strings"

// lineIndex maps the dotted keys of a TOML text to their lines, which the
// decoder does not report. It knows tables and keys at the start of a line,
// which is how profiles are written; anything else falls back to its table's
// line.
type lineIndex map[string]int

func indexLines(text string) lineIndex {
	ix := lineIndex{}
	table := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			if end := strings.IndexByte(line, ']'); end > 0 {
				table = cleanKey(strings.Trim(line[:end], "["))
				ix.add(table, i+1)
			}
		default:
			if key, _, found := strings.Cut(line, "="); found {
				key = cleanKey(key)
				if table != "" {
					key = table + "." + key
				}
				ix.add(key, i+1)
			}
		}
	}
	return ix
}

func (ix lineIndex) add(key string, line int) {
	if _, old := ix[key]; !old {
		ix[key] = line
	}
}

// line returns the line of the key or of its nearest parent, else 1.
func (ix lineIndex) line(key string) int {
	for key != "" {
		if n, ok := ix[key]; ok {
			return n
		}
		i := strings.LastIndexByte(key, '.')
		key = key[:max(i, 0)]
	}
	return 1
}

// cleanKey drops the blanks and quotes around the parts of a dotted key.
func cleanKey(key string) string {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(p), `"'`)
	}
	return strings.Join(parts, ".")
}
