package abi

import "fmt"

// Status is what host imports and guest exports return: 0 is fine, a negative value is one of the named codes. A positive
// value from an export is the plugin's own failure number.
type Status int32

// The status codes.
const (
	OK          Status = 0
	Invalid     Status = -1
	Address     Status = -2
	Local       Status = -3
	Access      Status = -4
	Unsupported Status = -5
	Limit       Status = -6
	NotFound    Status = -7
	State       Status = -8
	Fault       Status = -9
	Timeout     Status = -10
	Aborted     Status = -11
	Short       Status = -12
	NoMemory    Status = -13
)

func statusEnum() Enum {
	return Enum{Name: "status", Doc: "Status codes of imports and exports; positive values are the plugin's own.", Consts: []Const{
		{"ok", int64(OK), "done"},
		{"invalid", int64(Invalid), "an argument is outside its range"},
		{"address", int64(Address), "a device address is not mapped, or the range leaves its buffer"},
		{"local", int64(Local), "a range is outside the module's own memory, or misaligned"},
		{"access", int64(Access), "the range may not be read or written by this device"},
		{"unsupported", int64(Unsupported), "this chip, data type or mode does not offer the operation"},
		{"limit", int64(Limit), "the hardware has no more of the resource"},
		{"not_found", int64(NotFound), "no such identifier"},
		{"state", int64(State), "not allowed in the present state"},
		{"fault", int64(Fault), "the peer or the link failed"},
		{"timeout", int64(Timeout), "waited too long"},
		{"aborted", int64(Aborted), "the task or the run is being stopped"},
		{"short", int64(Short), "a record is shorter than this version needs"},
		{"no_memory", int64(NoMemory), "the host grants no more memory"},
	}}
}

// String returns the name of a code.
func (s Status) String() string {
	for _, c := range statusEnum().Consts {
		if c.Value == int64(s) {
			return c.Name
		}
	}
	return fmt.Sprintf("status %d", int32(s))
}
