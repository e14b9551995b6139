package soc

import (
	"math/bits"
	"strings"
)

// Protocol is what a port or link speaks between two nodes.
type Protocol uint8

// The protocols, named as in topology files; PCIE joins hosts and devices.
const (
	UB_CTP Protocol = iota
	UB_TP
	UB_MEM
	HCCS
	UBOE
	ROCE
	TCP
	PCIE
	NumProtocols
)

var protocolNames = [NumProtocols]string{"UB_CTP", "UB_TP", "UB_MEM", "HCCS", "UBOE", "ROCE", "TCP", "PCIE"}

// String is the protocol's name in files and reports.
func (p Protocol) String() string {
	if p < NumProtocols {
		return protocolNames[p]
	}
	return "protocol?"
}

// ParseProtocol returns the protocol of a name; ok is false for a name that is
// none of ProtocolNames.
func ParseProtocol(name string) (p Protocol, ok bool) {
	for i, n := range protocolNames {
		if n == name {
			return Protocol(i), true
		}
	}
	return 0, false
}

// ProtocolNames lists every protocol's name in the order of the constants.
func ProtocolNames() []string { return protocolNames[:] }

// ProtocolSet is a set of protocols, one bit each.
type ProtocolSet uint16

// AllProtocols is the set of every protocol, host links included.
const AllProtocols = ProtocolSet(1<<NumProtocols - 1)

// NetProtocols is what devices speak to each other: all but PCIE.
const NetProtocols = AllProtocols &^ (1 << PCIE)

// Protocols returns the set of its arguments.
func Protocols(ps ...Protocol) ProtocolSet {
	var s ProtocolSet
	for _, p := range ps {
		s |= 1 << p
	}
	return s
}

// Has reports whether p is in the set.
func (s ProtocolSet) Has(p Protocol) bool { return s>>p&1 != 0 }

// List returns the members in the order of the constants.
func (s ProtocolSet) List() []Protocol {
	out := make([]Protocol, 0, bits.OnesCount16(uint16(s)))
	for p := range NumProtocols {
		if s.Has(p) {
			out = append(out, p)
		}
	}
	return out
}

// String prints the members joined by commas.
func (s ProtocolSet) String() string {
	names := make([]string, 0, NumProtocols)
	for _, p := range s.List() {
		names = append(names, p.String())
	}
	return strings.Join(names, ",")
}
