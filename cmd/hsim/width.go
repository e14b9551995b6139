package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// defaultWidth is the width of a table that goes to a file or a pipe: two variants side by side under the heads of
// hccl_test.
const defaultWidth = 180

// widthOf is how many columns there are on w: of its terminal, else what COLUMNS says, else defaultWidth, so that piped
// output is always the same.
func widthOf(w io.Writer) int {
	if n := terminalWidth(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return defaultWidth
}

// terminalWidth is the width of the terminal behind w, 0 when there is none.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil || n <= 0 {
		return 80
	}
	return n
}

// wide are the characters that take two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// textWidth is how many columns a text takes on a terminal.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// pad fills a text up to n columns, and cuts one that is longer.
func pad(s string, n int) string {
	s = cut(s, n)
	return s + strings.Repeat(" ", n-textWidth(s))
}

// cut shortens a text to n columns; what is cut shows.
func cut(s string, n int) string {
	if textWidth(s) <= n {
		return s
	}
	used := 1
	for i, r := range s {
		if used += runeWidth(r); used > n {
			return s[:i] + "…"
		}
	}
	return s
}
