package scenario

import (
	"context"
	"errors"
)

// Hooks let a caller watch a run. All may be nil. They are called from the goroutine that runs the simulation and must not
// change anything.
type Hooks struct {
	Progress func(Progress)    // before each row
	Log      func(line string) // what plugins print
}

// Progress says which row is being simulated.
type Progress struct {
	Variant string
	Run     string // name of the op or kernel
	Size    int64
	Done    int // rows finished
	Total   int
}

// Run executes a scenario.
func Run(ctx context.Context, sc *Scenario, h Hooks) (*Report, error) {
	return nil, errors.New("scenario: run: not built yet")
}
