package abi

import _ "embed"

//go:embed include/hsim.h
var header string

// Header returns the C header hsim.h, for tools that compile guests outside the repository.
func Header() string { return header }
