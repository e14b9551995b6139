// Package units parses and prints sizes, rates and times as sim.toml spells
// them, and turns bytes at a rate into exact virtual time.
//
// It owns the spelling of units and nothing else; everything that reads numbers
// from people calls it.
package units
