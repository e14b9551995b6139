package soc

import "strings"

// Nearest returns the name most like s, for the remedy part of an error: the
// smallest edit distance without regard to case, the first on a tie, "" when
// nothing is close enough to be meant.
func Nearest(s string, names []string) string {
	best, name := max(2, len(s)/2)+1, ""
	for _, n := range names {
		if d := distance(strings.ToLower(s), strings.ToLower(n)); d < best {
			best, name = d, n
		}
	}
	return name
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 30
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
