// Package build compiles plugins: those of the repository, with a list of sums that tells stale ones, and those of
// users, from C with clang and from Go with the Go tool, outside the repository too.
//
// The command in plugins/internal/compile (make plugins) and `hsim plugin build` call it. It must never load a module.
package build
