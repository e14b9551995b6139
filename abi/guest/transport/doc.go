// Package transport lets a Go program be a transport plugin: the protocol engine of a network port. The module exports the
// functions of the interface itself, among them its features:
//
//	//go:wasmexport hsim_abi_transport_v1
//	func features() uint32 { return transport.FeatureReliable | transport.FeatureNotifyWithWrite }
//
// Plugins of transports call it. It must never know more of the simulator than package abi says.
package transport
