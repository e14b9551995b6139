// Package topo is the cluster as a graph: devices, hosts and switches, their
// ports, the links between them, and the shortest routes over those links.
//
// It owns the graph, its generators and the look-up of next hops. The fabric
// routes packets by it, the software layers ask it which protocol joins two
// devices, and `hsim topo` and `hsim explain` print it. It must never know
// time passing, packets or plugins: a Graph is built once and then only read.
//
// Files are read and written by sub-packages: form (strict JSON and YAML),
// topofile, ranktable, clusteryaml, and load, which joins them; entity makes the
// rows of the data model and draw the pictures.
package topo
