package soc

import "errors"

// Names lists the embedded profiles in the order of their generations.
func Names() []string {
	return []string{"910", "a2", "a3", "950dt", "950pr", "960", "ideal"}
}

// Load reads an embedded profile by name (910d is 950dt), or a profile file by
// its path when the argument ends in .toml. Errors name file, line, key, value,
// what was expected and the nearest valid name.
func Load(nameOrPath string) (*Profile, error) {
	return nil, errors.New("soc: load: not built yet")
}
