package wasm

import "fmt"

// nearest returns a remedy to append to a message: the candidate most like name, or nothing when none is close.
func nearest(name string, candidates []string) string {
	best, distance := "", len(name)/2+1
	for _, c := range candidates {
		if c == "" {
			continue
		}
		if d := editDistance(name, c); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// editDistance counts the insertions, deletions and replacements between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
