package soc

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed profiles/*.toml
var embedded embed.FS

// maxBases bounds a chain of base profiles, so that a cycle is an error.
const maxBases = 8

// Names lists the embedded profiles in the order of their generations.
func Names() []string {
	return []string{"910", "a2", "a3", "950dt", "950pr", "960", "ideal"}
}

// Aliases lists the other names of embedded profiles, name by name.
func Aliases() [][2]string { return [][2]string{{"910d", "950dt"}} }

// Load reads an embedded profile by name (910d is 950dt), or a profile file by
// its path when the argument ends in .toml. Errors name file, line, key, value,
// what was expected and the nearest valid name.
func Load(nameOrPath string) (*Profile, error) {
	p, err := load(nameOrPath, "", maxBases)
	if err != nil {
		return nil, fmt.Errorf("soc: %w", err)
	}
	return p, nil
}

// Parse reads the text of a profile file; file names it in errors, and bases
// given as paths are relative to its directory.
func Parse(file string, text []byte) (*Profile, error) {
	p, err := parse(file, string(text), maxBases)
	if err != nil {
		return nil, fmt.Errorf("soc: %w", err)
	}
	return p, nil
}

// load resolves one name or path, relative to dir, with at most depth bases
// below it.
func load(ref, dir string, depth int) (*Profile, error) {
	if depth == 0 {
		return nil, fmt.Errorf("profile %q: got a chain of more than %d bases, want one that ends (is a file its own base?)", ref, maxBases)
	}
	if strings.HasSuffix(ref, ".toml") {
		file := ref
		if dir != "" && !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		text, err := ReadText(file)
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", file, pathless(err))
		}
		return parse(file, text, depth)
	}
	name := ref
	for _, a := range Aliases() {
		if a[0] == name {
			name = a[1]
		}
	}
	for _, n := range Names() {
		if n != name {
			continue
		}
		text, err := embedded.ReadFile(path.Join("profiles", name+".toml"))
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", name, err)
		}
		p, err := parse("", string(text), depth, name)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	names := Names()
	for _, a := range Aliases() {
		names = append(names, a[0])
	}
	err := fmt.Errorf("profile %q: got no such name, want one of %s or a path to a .toml file", ref, strings.Join(names, ", "))
	if n := Nearest(ref, names); n != "" {
		err = fmt.Errorf("%w (try %q)", err, n)
	}
	return nil, err
}

// pathless drops the path from an error whose message already names it.
func pathless(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
