package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hsim/plugins/build"
)

// newCompilerCommand makes hsim cc or hsim c++. Its arguments are the compiler's, so it reads no flags of its own.
func newCompilerCommand(l build.Lang) *cobra.Command {
	use, what, file, packages := "cc", "C", "main.c", build.Packages
	if l == build.LangCXX {
		use, what, file, packages = "c++", "C++", "main.cpp", build.PackagesCXX
	}
	return &cobra.Command{
		Use:   use + " [clang's arguments] FILES",
		Short: "Compile a " + what + " program into a .wasm that [[run]] program runs",
		Long: fmt.Sprintf(`Run clang with hsim's headers first (acl/acl.h, hccl/hccl.h, mpi.h, pthread.h and the threads of C++) and with
what a program needs at link time. All arguments are clang's own; without -o the program is named after its first source.
Libraries of the real system (-lascendcl, -lhccl, -lmpi, -pthread) are left out: they are what the program imports.

Needs Debian's %s.`, packages),
		Example:            fmt.Sprintf("  hsim %s -O2 %s -o main.wasm", use, file),
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("hsim %s: got no arguments, want sources (try `hsim help %s`)", use, use)
			}
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return c.Help()
			}
			finishAfterSignal(c) // the compiler gets the signal as well
			text, err := build.CC(l, args)
			if err != nil {
				return &exitError{exitFailed, fmt.Errorf("hsim %s: %w", use, err)}
			}
			if text != "" {
				fmt.Fprintln(c.ErrOrStderr(), text)
			}
			return nil
		},
	}
}
