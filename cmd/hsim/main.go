// Command hsim simulates clusters of Ascend NPUs: it runs a sim.toml and prints what a user of the real cluster would
// see, in virtual time and on real data. This package only reads flags and prints; host/scenario does the work.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
)

//go:generate sh -c "go run . config --reference > ../../docs/.sim-toml.md && mv ../../docs/.sim-toml.md ../../docs/sim-toml.md || { rm -f ../../docs/.sim-toml.md; exit 1; }"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	s := &session{}
	go func() {
		<-ctx.Done()
		stop() // a second signal kills
		if !s.finishes.Load() {
			fmt.Fprintln(os.Stderr, "hsim: interrupted")
			os.Exit(exitInterrupted)
		}
	}()
	os.Exit(run(context.WithValue(ctx, sessionKey{}, s), os.Args[1:], os.Stdout, os.Stderr))
}

// session is what the signal handler knows of the command that runs.
type session struct {
	finishes atomic.Bool // it ends by itself after a signal: there is a partial report to print, or something to clean up
}

type sessionKey struct{}

// finishAfterSignal says that the command ends by itself soon after a signal.
func finishAfterSignal(c *cobra.Command) {
	if s, ok := c.Context().Value(sessionKey{}).(*session); ok {
		s.finishes.Store(true)
	}
}
