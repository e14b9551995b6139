package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

var (
	setTwice  = regexp.MustCompile(`^Key '(.+)' (?:has already been defined|was already created as a hash|was already created and cannot be used as an array)\.$`)
	shortForm = regexp.MustCompile(`(?m)^\s*(?:cluster\s*\.\s*)?topology\s*=\s*["']([^"'\n]*)["']`)
)

// notTOML turns the decoder's error into a problem. What users meet is a key that is set twice, above all the short form
// of a table beside the table itself: TOML has no such thing, so the remedy is spelt out.
func notTOML(file, text string, err error) Problem {
	p := Problem{File: file, Want: "not TOML: " + err.Error()}
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return p
	}
	p.Line, p.Want = pe.Position.Line, "not TOML: "+pe.Message
	m := setTwice.FindStringSubmatch(pe.Message)
	if m == nil {
		return p
	}
	p.Key, p.Want, p.Try = m[1], "is set a second time; TOML takes a key once", "one of the two"
	name, isTransport := strings.CutPrefix(p.Key, "transport.")
	switch {
	case p.Key == "cluster.topology":
		kind := "star"
		if k := shortForm.FindStringSubmatch(text); k != nil {
			kind = k[1]
		}
		p.Want = fmt.Sprintf("is set a second time; topology = %q stands for the whole table", kind)
		p.Try = fmt.Sprintf("topology = { kind = %q, planes = 1 }, or kind = %q in [cluster.topology]", kind, kind)
	case isTransport && !strings.Contains(name, "."):
		p.Want = fmt.Sprintf("is set a second time; %s = \"...\" stands for the whole table", name)
		p.Try = name + ` = { plugin = "rdma", params = { mtu = "4KiB" } }`
	case p.Key == "run" || p.Key == "variant" || p.Key == "fault" || p.Key == "device":
		p.Want, p.Try = "is a table here and a list of tables elsewhere", "[["+p.Key+"]] in both places"
	case strings.HasPrefix(p.Key, "run.") || strings.HasPrefix(p.Key, "variant."):
		table, _, _ := strings.Cut(p.Key, ".")
		p.Try = "one of the two, or [[" + table + "]] above the second"
	}
	return p
}

// maxName is the longest name of a variant: it heads a group of columns.
const maxName = 40

// badName says what is wrong with a name that heads columns, "" when nothing is.
func badName(name string) string {
	switch {
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("got %d characters, want at most %d: it heads columns", utf8.RuneCountInString(name), maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "got a character that cannot be printed, want a name that heads the columns"
	}
	return ""
}
