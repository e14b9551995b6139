package record

import (
	"cmp"
	"slices"
	"strings"
)

// appendNames writes what the viewer calls the groups and tracks, and in which order it shows them.
func (r *Recorder) appendNames(b []byte) []byte {
	shown := make([][]*track, len(r.groups))
	for i := range r.tracks {
		if t := &r.tracks[i]; t.used {
			shown[t.group] = append(shown[t.group], t)
		}
	}
	for g, tracks := range shown {
		if len(tracks) == 0 {
			continue
		}
		pid := r.base + int64(g)
		name := r.groups[g].name
		if r.label != "" {
			name = r.label + ": " + name
		}
		b = appendName(b, "process_name", pid, 0, name)
		b = appendOrder(b, "process_sort_index", pid, 0, pid)
		slices.SortStableFunc(tracks, r.compare)
		for i, t := range tracks {
			b = appendName(b, "thread_name", pid, t.tid, t.name)
			b = appendOrder(b, "thread_sort_index", pid, t.tid, int64(i+1))
		}
	}
	return b
}

func (r *Recorder) compare(a, b *track) int {
	return cmp.Or(cmp.Compare(r.place(a.name), r.place(b.name)), natural(a.name, b.name))
}

func (r *Recorder) place(name string) int {
	for i, w := range r.order {
		if strings.HasPrefix(name, w) {
			return i
		}
	}
	return len(r.order)
}

// natural compares names with the numbers in them as numbers: port 0/2 comes before port 0/10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			n, m := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func appendName(b []byte, kind string, pid, tid int64, name string) []byte {
	b = appendMeta(b, kind, pid, tid)
	b = append(b, `{"name":`...)
	b = appendString(b, name)
	return append(b, "}},\n"...)
}

func appendOrder(b []byte, kind string, pid, tid, index int64) []byte {
	b = appendMeta(b, kind, pid, tid)
	b = append(b, `{"sort_index":`...)
	b = appendInt(b, index)
	return append(b, "}},\n"...)
}
