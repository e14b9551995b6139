package wasm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

// Reason says why a guest's call ended early.
type Reason uint8

// The reasons of a Trap.
const (
	Other         Reason = iota
	Fuel                 // too many steps
	OutOfBounds          // memory access outside memory
	Unreachable          // the guest gave up: abort, panic, assertion
	DivideByZero         // integer division
	Overflow             // integer overflow in a division
	Conversion           // float to integer out of range
	IndirectCall         // through an empty, wrong or missing table entry
	StackOverflow        // recursion without end
	Aborted              // an import ended the call; Err says why
	Exit                 // proc_exit; Code is the status
	HostBug              // an import panicked
)

// String returns the reason in words.
func (r Reason) String() string {
	switch r {
	case Fuel:
		return "out of fuel"
	case OutOfBounds:
		return "access outside its memory"
	case Unreachable:
		return "unreachable instruction (the guest gave up)"
	case DivideByZero:
		return "integer division by zero"
	case Overflow:
		return "integer overflow"
	case Conversion:
		return "conversion of a float that does not fit an integer"
	case IndirectCall:
		return "call through a wrong function pointer"
	case StackOverflow:
		return "stack overflow"
	case Aborted:
		return "ended by the host"
	case Exit:
		return "exit"
	case HostBug:
		return "fault inside the host"
	}
	return "trap"
}

// Trap is the failure of one call into a guest. The module and its other instances are unaffected.
type Trap struct {
	Module string
	Func   string // the export that was called
	Reason Reason
	Code   uint32   // of Exit
	Text   string   // what happened, in one line
	Frames []string // functions of the guest, innermost first
	Err    error    // cause given to CallCtx.Abort, or the engine's error
}

// Error names plugin, function and what happened, with the innermost frames.
func (t *Trap) Error() string {
	s := fmt.Sprintf("wasm: plugin %s: function %s: %s", t.Module, t.Func, t.Text)
	if n := len(t.Frames); n > 0 && t.Reason != Exit {
		s += " in " + strings.Join(t.Frames[:min(n, 4)], " < ")
	}
	return s
}

// Unwrap returns the cause.
func (t *Trap) Unwrap() error { return t.Err }

// trap classifies what wazero reports. Its errors are texts: a first line and a list of frames.
func (in *Instance) trap(fn string, err error) *Trap {
	t := &Trap{Module: in.mod.name, Func: fn, Err: err}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	var cause *abort
	var exit *sys.ExitError
	switch {
	case errors.As(err, &cause):
		t.Reason, t.Err = Aborted, cause.err
		t.Text = cause.err.Error()
	case errors.As(err, &exit):
		t.Reason, t.Code = Exit, exit.ExitCode()
		t.Text = fmt.Sprintf("exit with status %d", t.Code)
	case in.fuel != nil && int64(in.fuel.Get()) < 0:
		t.Reason = Fuel
		t.Text = fmt.Sprintf("stopped after %d steps without an end (an endless loop, or raise the fuel)", in.cfg.Fuel)
	default:
		t.Reason = reasonOf(first)
		t.Text = t.Reason.String()
		if t.Reason == Other || t.Reason == HostBug {
			t.Text = first
		}
	}
	if in.err != nil && in.err.last != "" {
		t.Text += " (" + in.err.last + ")"
		in.err.last = ""
	}
	t.Frames = in.mod.frames(rest)
	return t
}

func reasonOf(line string) Reason {
	if strings.HasSuffix(line, "(recovered by wazero)") {
		return HostBug
	}
	for _, c := range []struct {
		text string
		r    Reason
	}{
		{"out of bounds memory access", OutOfBounds},
		{"unreachable", Unreachable},
		{"integer divide by zero", DivideByZero},
		{"integer overflow", Overflow},
		{"invalid conversion to integer", Conversion},
		{"invalid table access", IndirectCall},
		{"indirect call type mismatch", IndirectCall},
		{"stack overflow", StackOverflow},
	} {
		if strings.Contains(line, c.text) {
			return c.r
		}
	}
	return Other
}

// frames takes the function names from a wasm stack trace.
func (m *Module) frames(trace string) []string {
	var out []string
	trace, _, _ = strings.Cut(trace, "Go runtime stack trace:")
	for line := range strings.SplitSeq(trace, "\n") {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), ".")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "(")
		if index, err := strconv.ParseUint(strings.TrimPrefix(name, "$"), 10, 32); err == nil && uint32(index) >= m.info.refill {
			continue // added by the rewriter
		}
		out = append(out, name)
	}
	return out
}
