package abi

// WASIModule is the name of the WASI preview 1 import module, which modules of every kind may use. Its clock is virtual,
// its random numbers are seeded, there are no files, and standard output and error go to the log.
const WASIModule = "wasi_snapshot_preview1"
