//go:build wasip1

package algorithm

import _ "hsim/abi/guest" // hsim_buffer

// version marks the module as an algorithm plugin of interface version 1 without feature bits.
//
//go:wasmexport hsim_abi_algorithm_v1
func version() uint32 { return 0 }
