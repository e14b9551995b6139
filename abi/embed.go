package abi

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed include/hsim.h
var header string

//go:embed include crt
var programs embed.FS

//go:embed guest/*.go guest/*/*.go
var guest embed.FS

// Header returns the C header hsim.h, for tools that compile guests outside the repository.
func Header() string { return header }

// ProgramFiles returns what C and C++ programs are compiled with, by path: headers in include, those of the C++ library in
// include/c++, and the sources in crt that are linked to every program.
func ProgramFiles() map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(programs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := programs.ReadFile(name)
		out[name] = string(text)
		return err
	})
	return out
}

// GuestSources returns the files of the Go guest packages by their path below guest, for the same purpose.
func GuestSources() map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(guest, "guest", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := guest.ReadFile(name)
		out[strings.TrimPrefix(name, "guest/")] = string(text)
		return err
	})
	return out
}
