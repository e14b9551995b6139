package abi

import (
	"embed"
	"path"
)

//go:embed include/hsim.h
var header string

//go:embed guest/*.go
var guest embed.FS

// Header returns the C header hsim.h, for tools that compile guests outside the repository.
func Header() string { return header }

// GuestSources returns the files of the Go guest package by name, for the same purpose.
func GuestSources() map[string]string {
	out := map[string]string{}
	files, err := guest.ReadDir("guest")
	if err != nil {
		return nil
	}
	for _, f := range files {
		if text, err := guest.ReadFile(path.Join("guest", f.Name())); err == nil {
			out[f.Name()] = string(text)
		}
	}
	return out
}
