// Command hsim simulates clusters of Ascend NPUs: it runs a sim.toml and prints what a user of the real cluster would
// see, in virtual time and on real data. This package only reads flags and prints; host/scenario does the work.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

//go:generate sh -c "go run . config --reference > ../../docs/sim-toml.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the run at its next event; after that the usual meaning is back, so that a second one kills.
	go func() {
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
