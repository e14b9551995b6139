package device

import (
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
)

// Class is who expands the tasks of a stream; it decides what a synchronising
// task costs.
type Class uint8

// The engine classes.
const (
	ClassHost Class = iota
	ClassAICPU
	ClassAIV
	ClassCCU
	numClasses
)

// costs is what the hot path needs of a chip.
type costs struct {
	dispatch  sim.Time
	sync      [numClasses]sim.Time
	hostAlpha sim.Time
	hostRate  units.Rate
}

func costsOf(c *soc.Chip) costs {
	k := costs{dispatch: c.TSDispatch, hostAlpha: c.SDMA.Alpha}
	k.sync = [numClasses]sim.Time{c.SyncHost, c.SyncAICPU, c.SyncAIV, c.SyncCCU}
	if g := c.Group(soc.HostPort); g != nil {
		k.hostRate, k.hostAlpha = g.Rate, k.hostAlpha+g.Latency
	}
	return k
}
