package scenario

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hsim/host/sim"
)

// Outcome is how a report, a variant or a run ended.
type Outcome string

// The outcomes, from best to worst.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeFailed      Outcome = "failed"      // a check or a task failed
	OutcomeLimit       Outcome = "limit"       // sim.limit was reached
	OutcomeStalled     Outcome = "stalled"     // somebody waited for what nobody would do
	OutcomeInterrupted Outcome = "interrupted" // by the user
)

// The results of a check, as hccl_test prints them; Ran is a kernel whose result hsim does not know.
const (
	Success = "success"
	Failed  = "failed"
	NoCheck = "NULL"
	Ran     = "ran"
)

// Report is everything a scenario produced; its JSON is the file of output.json.
type Report struct {
	File     string           `json:"file"`
	Outcome  Outcome          `json:"outcome"`
	Variants []*VariantReport `json:"variants"`
	Notes    []string         `json:"notes,omitempty"` // of settings that no configuration uses
}

// VariantReport is the result of one simulation.
type VariantReport struct {
	Name       string            `json:"name"`
	Outcome    Outcome           `json:"outcome"`
	Chip       string            `json:"chip"`
	SocName    string            `json:"soc_name"`
	Topology   string            `json:"topology"`
	Servers    int               `json:"servers"`
	Devices    int               `json:"devices_per_server"` // 0 = servers of different sizes
	Ranks      int               `json:"ranks"`
	Data       string            `json:"data"`
	Seed       uint64            `json:"seed"`
	Transports []TransportReport `json:"transports"`
	Rows       []Row             `json:"rows"`
	EndUS      Micros            `json:"end_us"`
	Events     uint64            `json:"events"`
	Network    *NetworkReport    `json:"network,omitempty"`
	Stall      *StallReport      `json:"stall,omitempty"`
	Errors     []string          `json:"errors,omitempty"`
	Warnings   []string          `json:"warnings,omitempty"`
	Notes      []string          `json:"notes,omitempty"` // of what is set and has no effect
	runs       []RunSpec
}

// TransportReport says what carried a protocol that the run used.
type TransportReport struct {
	Protocol string `json:"protocol"`
	Plugin   string `json:"plugin"` // rdma, ub, or the module's path as written
	Name     string `json:"name"`   // what the module calls itself
	Version  string `json:"version,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
}

// Row is one line of the table: one run at one size.
type Row struct {
	Run        int     `json:"run"`
	Op         string  `json:"op"`
	Dtype      string  `json:"dtype"`
	Reduce     string  `json:"reduce,omitempty"`
	Size       int64   `json:"size"`  // as asked for; labels the row
	Bytes      int64   `json:"bytes"` // rounded to whole elements
	Algorithm  string  `json:"algorithm,omitempty"`
	Expansion  string  `json:"expansion,omitempty"`
	Blocks     int     `json:"blocks,omitempty"`
	Iterations int     `json:"iterations"`
	TimeUS     Micros  `json:"time_us"`
	AlgGBps    Decimal `json:"alg_bandwidth_gbps"`
	BusGBps    Decimal `json:"bus_bandwidth_gbps"`
	Check      string  `json:"check"`
	Detail     string  `json:"detail,omitempty"` // why a check failed or was not made
	Partial    bool    `json:"partial,omitempty"`

	Busiest *Busiest `json:"busiest_port,omitempty"`

	Processes []ProcessReport `json:"processes,omitempty"` // of a program
}

// Micros is a virtual time that is written in microseconds with every picosecond.
type Micros sim.Time

// MarshalJSON writes the exact decimal.
func (m Micros) MarshalJSON() ([]byte, error) { return []byte(sim.Time(m).Micros()), nil }

// Float is the time in microseconds, for printing.
func (m Micros) Float() float64 { return float64(m) / float64(sim.Microsecond) }

// Decimal is a number that is written with five decimals, as hccl_test prints bandwidths.
type Decimal float64

// MarshalJSON writes five decimals.
func (d Decimal) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(d), 'f', 5, 64), nil
}

// StallReport says who waited for what when nothing was left that could have helped.
type StallReport struct {
	AtUS    Micros        `json:"at_us"`
	Waiting []WaitingLine `json:"waiting"`
	Cycle   []string      `json:"cycle,omitempty"`
	// AfterFailure: a task had failed before, so that the others waited for it in vain. The failure is the outcome then.
	AfterFailure bool `json:"after_failure,omitempty"`
	text         string
}

// WaitingLine is one waiter of a stall.
type WaitingLine struct {
	Who     string `json:"who"`
	For     string `json:"waits_for"`
	SinceUS Micros `json:"since_us"`
	Actor   string `json:"should_act,omitempty"`
}

// String is the report as text; of a stall that only followed a failure the first few who waited.
func (s *StallReport) String() string {
	if !s.AfterFailure {
		return s.text
	}
	head, rest, _ := strings.Cut(s.text, "\n")
	lines := strings.SplitAfter(strings.TrimSuffix(rest, "\n"), "\n")
	if len(lines) > fewWaiting+1 {
		lines = append(lines[:fewWaiting:fewWaiting], fmt.Sprintf("  ... and %d more (--json lists them)", len(s.Waiting)-fewWaiting))
	}
	return head + "\n" + strings.Join(lines, "") + "\n"
}

// fewWaiting is how many of those are shown who waited for what had failed.
const fewWaiting = 4

func newStallReport(s *sim.Stall) *StallReport {
	if s == nil {
		return nil
	}
	out := &StallReport{AtUS: Micros(s.At), Cycle: s.Cycle, text: s.String()}
	for _, w := range s.Waiting {
		out.Waiting = append(out.Waiting, WaitingLine{Who: w.Who, For: w.What, SinceUS: Micros(w.Since), Actor: w.Actor})
	}
	return out
}

// WriteJSON writes the report, indented, with a line end. The same report gives the same bytes.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// settle derives the outcome of the whole from those of the variants: the worst.
func (r *Report) settle() {
	rank := map[Outcome]int{OutcomeOK: 0, OutcomeFailed: 1, OutcomeLimit: 2, OutcomeStalled: 3, OutcomeInterrupted: 4}
	r.Outcome = OutcomeOK
	for _, v := range r.Variants {
		if rank[v.Outcome] > rank[r.Outcome] {
			r.Outcome = v.Outcome
		}
	}
}

// Stalled reports whether any variant recorded a stall, whatever ended it; one that only followed from a failed task
// does not count.
func (r *Report) Stalled() bool {
	for _, v := range r.Variants {
		if v.Stall != nil && !v.Stall.AfterFailure {
			return true
		}
	}
	return false
}

// Run returns the run with an index, as this variant has it.
func (v *VariantReport) Run(index int) *RunSpec { return &v.runs[index] }

// Row returns the finished row of a run at a size, nil when there is none.
func (v *VariantReport) Row(run int, size int64) *Row {
	for i := range v.Rows {
		if r := &v.Rows[i]; r.Run == run && r.Size == size && !r.Partial {
			return r
		}
	}
	return nil
}

// Sizes lists the sizes of a run.
func (v *VariantReport) Sizes(run int) []int64 { return v.runs[run].Sizes }

// Complete counts the finished rows.
func (v *VariantReport) Complete() int {
	n := 0
	for _, r := range v.Rows {
		if !r.Partial {
			n++
		}
	}
	return n
}

// How says by which algorithms and expansions the rows of a run were made, "ring on host"; empty for a kernel.
func (v *VariantReport) How(run int) string {
	var out []string
	for _, r := range v.Rows {
		how := r.Algorithm + " on " + r.Expansion
		if r.Algorithm == "" && r.Blocks == 0 {
			continue
		}
		if r.Blocks > 0 {
			how = strconv.Itoa(r.Blocks) + " blocks"
		}
		if r.Run == run && !contains(out, how) {
			out = append(out, how)
		}
	}
	return strings.Join(out, ", then ")
}

// RunIndexes lists the runs of which some variant has a row, in order.
func (r *Report) RunIndexes() []int {
	var out []int
	for _, v := range r.Variants {
		for i := range v.Rows {
			if n := v.Rows[i].Run; !v.Rows[i].Partial && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Extent says how large a cluster is: "2 x 8 devices", and for servers of different sizes, perServer 0, "6 ranks on 2 servers".
func Extent(servers, perServer, ranks int) string {
	if perServer == 0 {
		return fmt.Sprintf("%d ranks on %d servers", ranks, servers)
	}
	return fmt.Sprintf("%d x %d devices", servers, perServer)
}
