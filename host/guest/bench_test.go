package guest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// BenchmarkCall is one call of the runtime from a program: what the wall clock says of a whole run, over its calls.
func BenchmarkCall(b *testing.B) {
	for _, what := range []string{"get", "query", "record", "wait", "notify", "memset", "copy", "upload", "kernel"} {
		for _, chip := range []string{"ideal", "a3"} {
			b.Run(what+"/"+chip, func(b *testing.B) {
				r := newRig(b, rigConfig{chip: chip})
				m := r.program("calls")
				b.ReportAllocs()
				b.ResetTimer()
				j, res := r.run(r.job(m, 1, what, strconv.Itoa(b.N)))
				b.StopTimer()
				require.Nil(b, res.Stall)
				code, _ := j.Processes()[0].Exit()
				require.Zero(b, code)
			})
		}
	}
}

// BenchmarkProcesses is 4096 processes of a trivial program that are all alive at once: time and resident memory of each.
func BenchmarkProcesses(b *testing.B) {
	const n = 4096
	for b.Loop() {
		r := newRig(b, rigConfig{chip: "ideal"})
		m := r.program("trivial")
		before := resident(b)
		spec := r.job(m, n, "100")
		j, err := r.prog.Start(spec)
		require.NoError(b, err)
		var during int64
		r.eng.Go("watch", func(p *sim.Proc) {
			p.Sleep(50 * sim.Microsecond)
			during = resident(b)
		})
		r.eng.Run(0)
		for _, p := range j.Processes() {
			_, ok := p.Exit()
			require.True(b, ok)
		}
		b.ReportMetric(float64(during-before)/n/1024, "KiB/process")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "us/process")
}

// resident is the memory of this process that is in use, in bytes.
func resident(b *testing.B) int64 {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("no /proc here")
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kb int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	return 0
}
