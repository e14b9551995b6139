// Package topofile reads, wires and writes topology files (topo.json 2.0): the
// cables of one group of devices by local id, to each other and to networks.
//
// It owns the format and its rules, and the step from a file and a list of
// members to a graph and back. The rank table package and the loader call it. It
// must never know ranks, addresses or versions of rank tables.
package topofile
