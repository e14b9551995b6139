package topo

// joined is the nodes of a graph in sets: node n belongs with joined[n], the first
// node of a set with itself.
type joined []NodeID

// newJoined has every node in a set of its own.
func newJoined(nodes int) joined {
	j := make(joined, nodes)
	for i := range j {
		j[i] = NodeID(i)
	}
	return j
}

// root is the first node of the set of n.
func (j joined) root(n NodeID) NodeID {
	for j[n] != n {
		j[n] = j[j[n]]
		n = j[n]
	}
	return n
}

// join makes one set of those of a and b.
func (j joined) join(a, b NodeID) {
	a, b = j.root(a), j.root(b)
	j[max(a, b)] = min(a, b)
}
