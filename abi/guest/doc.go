// Package guest is what Go plugins of every kind share: the room that the host writes to, and how a module describes
// itself. The packages below it are the kinds: kernel, ccu, transport and algorithm, each with the imports, constants and
// records of its interface. A plugin imports one of them, and is compiled to WebAssembly only:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm .
//
// which `hsim plugin build` does. Plugins and the packages below call it. It must never know more of the simulator than
// package abi says.
package guest
