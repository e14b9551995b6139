package acl

import (
	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/soc"
)

// The kinds of task scheduler.
const (
	SchedulerScalar = "Scalar"
	SchedulerCCU    = "CCU"
	SchedulerCPU    = "CPU"
)

// The kinds of compute unit.
const (
	ComputeCube   = "Cube"
	ComputeVector = "Vector"
	ComputeHybrid = "Hybrid" // both in one
)

// scheduler is one task scheduler of a device: Scalar schedules the AI cores (0)
// and, where they are apart, the vector cores (1); then come the AI CPUs and the
// communication units.
type scheduler struct {
	kind string
	ts   int // number on its device
	die  int // of a communication unit
}

// schedulersOf lists the schedulers of a chip by number.
func schedulersOf(c *soc.Chip) []scheduler {
	list := []scheduler{{kind: SchedulerScalar}}
	if splitCores(c) {
		list = append(list, scheduler{kind: SchedulerScalar, ts: 1})
	}
	list = append(list, scheduler{kind: SchedulerCPU, ts: len(list)})
	if c.CCU.Version != 0 {
		for die := range c.CCU.Dies {
			list = append(list, scheduler{kind: SchedulerCCU, ts: len(list), die: die})
		}
	}
	return list
}

// computeUnits is the kind and number of the units that a Scalar schedules.
func computeUnits(c *soc.Chip, ts int) (kind string, n int) {
	switch {
	case !splitCores(c):
		return ComputeHybrid, c.CubeCores
	case ts == 1:
		return ComputeVector, c.VectorCores
	}
	return ComputeCube, c.CubeCores
}

// computeKind is who runs a kernel: the kind of unit and its scheduler.
func computeKind(c *soc.Chip, u kernel.Unit) (unit, kind string, ts int) {
	switch {
	case u == kernel.AICPU:
		for _, s := range schedulersOf(c) {
			if s.kind == SchedulerCPU {
				ts = s.ts
			}
		}
		return "AICPU", SchedulerCPU, ts
	case !splitCores(c):
		return ComputeHybrid, SchedulerScalar, 0
	case u == kernel.CubeCore:
		return ComputeCube, SchedulerScalar, 0
	}
	return ComputeVector, SchedulerScalar, 1
}

// unitTS is the scheduler of a die's communication unit.
func unitTS(c *soc.Chip, die int) int {
	for _, s := range schedulersOf(c) {
		if s.kind == SchedulerCCU && s.die == die {
			return s.ts
		}
	}
	return 0
}

// tsID is the number of a scheduler in the simulation.
func tsID(d *device.Device, ts int) int { return d.Index()*maxSchedulers + ts + 1 }

const maxSchedulers = 16
