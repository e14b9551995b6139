// Package clusteryaml reads the cluster descriptions of the vendor's virtual
// machine for collectives: a cluster of servers, the ports and cables of one kind
// of server, and the ranks of a run (topo_meta).
//
// It owns those three formats and the step to a cluster. The loader calls it. It
// must never know the virtual machine itself.
package clusteryaml
