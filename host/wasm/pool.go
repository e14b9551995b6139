package wasm

type image struct{}
