package main

import (
	"fmt"
	"os"
	"path/filepath"

	"hsim/abi/internal/gen"
)

func main() {
	for path, text := range gen.Files() {
		path = filepath.Join("..", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
