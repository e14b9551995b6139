// Command compile compiles the plugins of the repository whose sources have changed and writes plugins/SUMS. It is run in
// the root of the repository; -a compiles all of them, -check only compares.
package main

import (
	"flag"
	"fmt"
	"os"

	"hsim/plugins/build"
)

func main() {
	all := flag.Bool("a", false, "compile all, not only what has changed")
	check := flag.Bool("check", false, "compile all beside the tree and compare")
	flag.Parse()
	if *check {
		if err := build.Check("."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	done, err := build.Tree(".", *all)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, t := range done {
		fmt.Println(t.Module)
	}
}
