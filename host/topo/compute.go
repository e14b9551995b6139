package topo

func computeRoutes(g *Graph, ps []Protocol) (*Routes, error) { return nil, nil }

// Unreachable returns the first pair of devices without a route and how many
// ordered pairs there are.
func (r *Routes) Unreachable() (src, dst NodeID, pairs int64) { return None, None, 0 }

// Path is one shortest path from src to dst as the egress ports taken: at each
// node the first of the equal-cost ports. It is nil when there is no path.
func (r *Routes) Path(src, dst NodeID) []PortID { return nil }

// Info sums up the shortest paths from src to dst.
func (r *Routes) Info(src, dst NodeID) (PathInfo, error) { return PathInfo{}, nil }
