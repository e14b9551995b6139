package soc

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// MaxBytes bounds a file of a profile or a scenario; the embedded profiles have some
// 12 KiB and three levels.
const MaxBytes = 1 << 20

const maxDepth = 64

// ReadText reads a profile or a scenario, of one that is larger than MaxBytes a
// byte more than is allowed.
func ReadText(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	return string(b), err
}

// TooDeep finds where a TOML text nests brackets and braces deeper than most
// levels, or has a name of more than so many parts: the decoder is recursive, and
// slow by the square. It returns the line and what there is, 0 when nothing is.
func TooDeep(text string, most int) (line int, what string) {
	line = 1
	depth, dots := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line++
			dots = 0
		case '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1
			} else {
				i = len(text)
			}
		case '"', '\'':
			end := skipQuoted(text[i:], c)
			line += strings.Count(text[i:i+end], "\n")
			i += end - 1
		case '[', '{':
			dots = 0
			if depth++; depth > most {
				return line, fmt.Sprintf("brackets are nested more than %d deep", most)
			}
		case ']', '}':
			depth--
			dots = 0
		case ',', '=':
			dots = 0
		case '.':
			if dots++; dots >= most {
				return line, fmt.Sprintf("a name has more than %d parts", most)
			}
		}
	}
	return 0, ""
}

// skipQuoted is the length of the string that s begins with, up to the end of
// the line or of the text where it is not closed.
func skipQuoted(s string, quote byte) int {
	long := strings.Repeat(string(quote), 3)
	if strings.HasPrefix(s, long) {
		for i := 3; i < len(s); i++ {
			if s[i] == '\\' && quote == '"' {
				i++
			} else if strings.HasPrefix(s[i:], long) {
				return i + 3
			}
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			return i
		case s[i] == '\\' && quote == '"':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}
