// Package ranktable reads, checks and writes rank tables: 1.0 in both templates,
// 1.1 (node_list), 1.2 (superpods) and 2.0, and root info files, which are 2.0
// for one server.
//
// It owns the formats, the rules of the collective library about them with its
// codes (EI0001, EI0004, EI0010, EI0014, EI0017), and the step from a table to a
// cluster and back. The loader and the communicators call it. It must never know
// how a file was named on a command line.
package ranktable
