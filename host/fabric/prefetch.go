//go:build amd64 || arm64

package fabric

import "unsafe"

// fetch has the processor bring the memory at p into its cache while it goes on.
//
//go:noescape
func fetch(p unsafe.Pointer)
