// Package draw draws a topology: as dot text for Graphviz, and as an SVG picture.
//
// It owns what is shown of a graph at which size: single devices and switches of
// a small one, servers and tiers of a larger one, superpods of a large one, and
// what its ports carried in a run. `hsim topo` calls it. It must never know flags or
// files.
package draw
