package hccl

import (
	"errors"
	"fmt"
)

// Result is an HcclResult: what a public function returns.
type Result int32

// The results of HCCL.
const (
	Success         Result = 0
	ErrPara         Result = 1
	ErrPtr          Result = 2
	ErrMemory       Result = 3
	ErrInternal     Result = 4
	ErrNotSupport   Result = 5
	ErrNotFound     Result = 6
	ErrUnavail      Result = 7
	ErrSyscall      Result = 8
	ErrTimeout      Result = 9
	ErrOpenFile     Result = 10
	ErrTCPConnect   Result = 11
	ErrRoCEConnect  Result = 12
	ErrTCPTransfer  Result = 13
	ErrRoCETransfer Result = 14
	ErrRuntime      Result = 15
	ErrDriver       Result = 16
	ErrProfiling    Result = 17
	ErrCCE          Result = 18
	ErrNetwork      Result = 19
	ErrAgain        Result = 20
	ErrRemote       Result = 21
	ErrSuspending   Result = 22
	ErrOpRetryFail  Result = 23
	ErrOutOfMemory  Result = 24
)

const numResults = 25

var resultNames = [numResults]string{"SUCCESS", "E_PARA", "E_PTR", "E_MEMORY", "E_INTERNAL", "E_NOT_SUPPORT", "E_NOT_FOUND", "E_UNAVAIL",
	"E_SYSCALL", "E_TIMEOUT", "E_OPEN_FILE_FAILURE", "E_TCP_CONNECT", "E_ROCE_CONNECT", "E_TCP_TRANSFER", "E_ROCE_TRANSFER", "E_RUNTIME",
	"E_DRV", "E_PROFILING", "E_CCE", "E_NETWORK", "E_AGAIN", "E_REMOTE", "E_SUSPENDING", "E_OPRETRY_FAIL", "E_OOM"}

// String is the name in the public header.
func (r Result) String() string {
	if r >= 0 && r < numResults {
		return "HCCL_" + resultNames[r]
	}
	return "HCCL_E_RESERVED"
}

// Error is the failure of a call or of an operation under way.
type Error struct {
	Code Result
	ID   string // HCCL's own error id: EI0003, EI0005, ...; "" without one
	Call string // HcclAllReduce
	Rank int    // -1: the whole communicator
	Text string
	Err  error
}

// Error names the call, the code and the reason.
func (e *Error) Error() string {
	s := "hccl: " + e.Call
	if e.Rank >= 0 {
		s += fmt.Sprintf(" on rank %d", e.Rank)
	}
	s += fmt.Sprintf(": %v (%d)", e.Code, e.Code)
	if e.ID != "" {
		s += ", " + e.ID
	}
	s += ": " + e.Text
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf is the HcclResult of an error: Success for nil, ErrInternal for one
// that is not HCCL's.
func CodeOf(err error) Result {
	var e *Error
	switch {
	case err == nil:
		return Success
	case errors.As(err, &e):
		return e.Code
	}
	return ErrInternal
}
