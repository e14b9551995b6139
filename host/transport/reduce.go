package transport

import "hsim/host/mem"

// Reductions says what a device does with results outside their type, and hears of
// them.
type Reductions interface {
	OverflowOf(device int) mem.Overflow
	Overflowed(device int)
}

// SetReductions sets who is asked about reducing writes, by the device of the
// memory that they change; nil for Config.Overflow everywhere.
func (n *Net) SetReductions(r Reductions) { n.modes = r }

// reduce combines delivered bytes into memory.
func (n *Net) reduce(to, from mem.Addr, length int64, r *request) error {
	mode := n.Overflow
	device, ok := -1, false
	if n.modes != nil {
		if device, ok = n.Mem.DeviceOf(to); ok && device >= 0 {
			mode = n.modes.OverflowOf(device)
		}
	}
	over, err := n.Mem.Reduce(to, from, length, r.Dtype, r.Red, mode)
	if over && ok && device >= 0 {
		n.modes.Overflowed(device)
	}
	return err
}
