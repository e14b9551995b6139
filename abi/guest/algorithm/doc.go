// Package algorithm lets a Go program be an algorithm plugin: collective schedules. One is an exported function, called once
// for every rank, that emits the rank's steps through the functions of this package:
//
//	//go:wasmexport hsim_algo_tree
//	func tree(op *algorithm.Op) int32
//
// Plugins of algorithms call it. It must never know more of the simulator than package abi says.
package algorithm
