// Package soc holds the chips: every limit, rate, latency and cost of one kind
// of NPU, read from an embedded TOML profile or from a user's file that
// overrides one, each constant with its source and evidence class.
//
// It owns the profile format and the resolved Chip. The topology generators,
// the device model, the software layers and `hsim profiles` call it. It must
// never know simulations, graphs or plugins: a Chip is plain data that no one
// changes after Load.
package soc
