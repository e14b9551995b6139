// Package wasm loads and runs the plugins: it checks a module against the ABI, rewrites it so that every step is counted,
// instantiates it with limits and calls it. It is the only importer of wazero.
//
// It owns modules, instances, functions, fuel and traps. Transport, kernel, CCU and guest engines call it; tools inspect
// modules through it. It must never know what a plugin does with its records, or where simulated time comes from.
//
// Life of a plugin: Runtime.Load, once per module; Module.Instantiate, once per device, block or process; Instance.Func,
// once per function and concurrent call; Func.Call, as often as needed, without allocation.
package wasm
