//go:build wasip1

// Command algorithm-go is an algorithm plugin in Go: broadcast over a binomial tree. Build it with
// `hsim plugin build examples/algorithm-go`, or copy this directory, change it, and build the copy; then name the module
// and the algorithm in sim.toml:
//
//	[plugins]
//	algorithms = ["algorithm-go.wasm"]
//
//	[[run]]
//	op        = "broadcast"
//	algorithm = "tree"
//
// In every round each rank that has the vector sends it to one that has not: ceil(log2 N) rounds of the whole vector.
package main

import "hsim/abi/guest/algorithm"

func main() {} // not called: the module's functions are

// tree is called once for every rank; what it emits is that rank's part. Channel and stream are always 0.
//
//go:wasmexport hsim_algo_tree
func tree(op *algorithm.Op) int32 {
	if op.Operation != algorithm.OperationBroadcast {
		return algorithm.StatusUnsupported
	}
	n := op.Count * uint64(op.Elem)
	me := (op.Rank + op.Ranks - op.Root) % op.Ranks // the root is 0 of the tree
	rank := func(v uint32) uint32 { return (v + op.Root) % op.Ranks }

	if me == 0 {
		algorithm.Copy(algorithm.BufferOutput, 0, algorithm.BufferInput, 0, n, 0)
	}
	for d := uint32(1); d < op.Ranks; d *= 2 { // ranks below d have the vector
		switch {
		case me < d && me+d < op.Ranks:
			algorithm.Send(algorithm.BufferOutput, 0, n, rank(me+d), 0, 0)
		case me >= d && me < 2*d:
			algorithm.Receive(algorithm.BufferOutput, 0, n, rank(me-d), 0, 0)
		}
	}
	return algorithm.StatusOK
}
