// Package scenario turns a sim.toml into simulations and simulations into a report.
//
// It owns the schema of sim.toml (one table that parsing, `hsim config` and docs/sim-toml.md share), the checked Config
// of each variant, the building of a cluster from it, the execution of its runs and the Report they produce. cmd/hsim
// calls Load, then Run, and prints; examples and tests call the same two.
//
// What it must never know: flags and terminals (cmd/hsim), and how any layer below works inside. It only wires packages
// together and asks them.
package scenario
