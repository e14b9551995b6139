package scenario

import "errors"

// kernelSet is the kernels that the runs of a variant name.
type kernelSet struct{}

func (v *values) kernels(l *library, c *Config) *kernelSet { return &kernelSet{} }

func newLaunch(w *world, run *RunSpec, size int64) (job, error) {
	return nil, errors.New("scenario: kernel runs are not built yet")
}
