package ccu

import "fmt"

// Status is how a mission ended: the class in the upper byte, as the mission
// context of the hardware has it.
type Status uint16

// The statuses that missions end with.
const (
	StatusOpcode  Status = 0x0100 // unknown instruction, or one that may not stand there
	StatusLocal   Status = 0x0200 // a local operation
	StatusRemote  Status = 0x0300 // a peer refused
	StatusRetry   Status = 0x0400 // retries exceeded
	StatusFlushed Status = 0x0600 // the connection had failed before
	StatusKey     Status = 0x0901 // mission key
	StatusKilled  Status = 0x0902 // killed
	StatusAccess  Status = 0x0a00 // token or permission
)

var statusNames = map[Status]string{StatusOpcode: "illegal instruction", StatusLocal: "local operation", StatusRemote: "remote operation",
	StatusRetry: "retries exceeded", StatusFlushed: "connection flushed", StatusKey: "mission key", StatusKilled: "killed", StatusAccess: "access"}

// String is the class in words and the number.
func (s Status) String() string { return fmt.Sprintf("%s (0x%04x)", statusNames[s], uint16(s)) }

// Fault is how a mission failed.
type Fault struct {
	Unit        string // device and die
	Mission     int
	Program     string
	Status      Status
	PC          int // of the instruction, -1 for none
	Instruction string
	Err         error
}

// Error names die, mission, program, instruction and reason.
func (f *Fault) Error() string {
	s := fmt.Sprintf("ccu: %s / mission %d, program %s", f.Unit, f.Mission, f.Program)
	if f.PC >= 0 {
		s += fmt.Sprintf(", instruction %d (%s)", f.PC, f.Instruction)
	}
	return fmt.Sprintf("%s: %v: %v", s, f.Status, f.Err)
}

// Unwrap gives the reason.
func (f *Fault) Unwrap() error { return f.Err }

// A token is a value in its lower 32 bits, an identifier of 20 bits, and a bit
// that says it is valid; two bits say how much wider results are than operands.
const (
	tokenValid  = 1 << 52
	tokenExpand = 53
	ownTokenID  = 0xfffff // the registers of a die
)
