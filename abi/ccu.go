package abi

// MaxCCUChannels is the number of entries in a registration record's channels.
const MaxCCUChannels = 64

func ccuInterface() *Interface { return &Interface{Kind: CCU, Module: importModule(CCU)} }
