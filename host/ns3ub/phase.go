package ns3ub

import (
	"slices"
	"strconv"
	"strings"
)

// checkPhases refuses phases that are not there and phases that wait for
// themselves, directly or over others.
func (c *Case) checkPhases(probs *problems) {
	file := c.path("traffic.csv")
	ids := make([]int64, 0, len(c.phases))
	for id := range c.phases {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		for _, q := range sortedKeys(c.phases[id].after) {
			if c.phases[q] == nil {
				probs.add(file, c.phases[id].after[q], "phase %d depends on phase %d, which no task is in", id, q)
			}
		}
	}
	if probs.any() {
		return
	}
	state := map[int64]uint8{}
	for _, id := range ids {
		if ring := c.ring(id, state); ring != nil {
			names := make([]string, len(ring))
			for i, q := range ring {
				names[i] = strconv.FormatInt(q, 10)
			}
			line := c.phases[ring[0]].after[ring[1]]
			if len(ring) == 2 {
				probs.add(file, line, "phase %d depends on itself, so it can never start", ring[0])
			} else {
				probs.add(file, line, "phase %d depends on itself (%s), so it can never start", ring[0], strings.Join(names, " waits for "))
			}
			return
		}
	}
}

// ring is a cycle of phases reachable from start, its first phase also last; nil
// without one. The walk keeps its own stack: chains of phases may be long.
func (c *Case) ring(start int64, state map[int64]uint8) []int64 {
	const open, done = 1, 2
	type frame struct {
		id   int64
		next []int64
	}
	if state[start] == done {
		return nil
	}
	stack := []frame{{start, sortedKeys(c.phases[start].after)}}
	state[start] = open
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.next) == 0 {
			state[f.id] = done
			stack = stack[:len(stack)-1]
			continue
		}
		q := f.next[0]
		f.next = f.next[1:]
		switch state[q] {
		case open:
			ring := []int64{q}
			for i := len(stack) - 1; stack[i].id != q; i-- {
				ring = append(ring, stack[i].id)
			}
			ring = append(ring, q)
			slices.Reverse(ring)
			return ring
		case done:
		default:
			state[q] = open
			stack = append(stack, frame{q, sortedKeys(c.phases[q].after)})
		}
	}
	return nil
}

func sortedKeys(m map[int64]int) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
