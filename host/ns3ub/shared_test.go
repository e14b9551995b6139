package ns3ub

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// shared is a case directory beside the repository; the test is skipped by name
// where there is none.
func shared(t testing.TB, name string) string {
	dir := filepath.Join("..", "..", "..", "shared", "cases", "ubsim", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no case %s beside the repository", name)
	}
	return dir
}

func runCase(t testing.TB, dir string, train int) *Result {
	c, err := Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	r, err := c.Run(context.Background(), Options{Train: train})
	require.NoError(t, err)
	require.Equal(t, sim.Done, r.Reason)
	require.Equal(t, len(c.Tasks), r.Done, "every task is complete")
	return r
}

// expected reads the times, in us, at which tasks were complete there, by task id.
func expected(t testing.TB, file string) (start, end map[int64]float64) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	at := func(name string) int { return slices.Index(rows[0], name) }
	start, end = map[int64]float64{}, map[int64]float64{}
	for _, r := range rows[1:] {
		id, err := strconv.ParseInt(r[at("taskId")], 10, 64)
		require.NoError(t, err)
		start[id], err = strconv.ParseFloat(r[at("taskStartTime(us)")], 64)
		require.NoError(t, err)
		end[id], err = strconv.ParseFloat(r[at("taskCompletesTime(us)")], 64)
		require.NoError(t, err)
	}
	return start, end
}

func micros(t sim.Time) float64 { return float64(t) / float64(sim.Microsecond) }

// medianError is the median over the tasks of how far their own time, from start
// to end, is from the expected one.
func medianError(t testing.TB, r *Result, file string) float64 {
	start, end := expected(t, file)
	var errs []float64
	for _, x := range r.Tasks {
		want := end[x.ID] - start[x.ID]
		errs = append(errs, math.Abs(micros(x.End-x.Start)-want)/want)
	}
	slices.Sort(errs)
	return errs[len(errs)/2]
}

func TestCasesOfNS3UB(t *testing.T) {
	for _, k := range []struct {
		name     string
		train    int
		makespan float64
		within   float64
		median   float64
	}{
		{"v1_ctp_single", 1, 180.55266, 0.001, 0.001},
		{"v2_ctp_4flows_serial", 1, 722.143, 0.0005, 0.0005},
		{"v3_ctp_bidirectional", 1, 195.872, 0.02, 0.02},
		{"v4_ubx16_a2a_matrix_16mib", 1, 69.830, 0.02, 0.03},
		{"v5_pod64_a2a_stepbarrier_16mib", 1, 44.596, 0.05, 0.03},
		{"v7_ubx16_a2a_ctp_128mib_alloc0", 1, 545.24, 0.005, 0.005},
		{"v4_ubx16_a2a_matrix_16mib", 0, 69.830, 0.02, 0.03},
		{"v5_pod64_a2a_stepbarrier_16mib", 0, 44.596, 0.05, 0.03},
		{"v7_ubx16_a2a_ctp_128mib_alloc0", 0, 545.24, 0.005, 0.005},
		{"v6_pod64_a2a_stepbarrier_1gib", 0, 2483.952, 0.01, 0.03},
	} {
		t.Run(k.name+"/"+strconv.Itoa(k.train), func(t *testing.T) {
			dir := shared(t, k.name)
			r := runCase(t, dir, k.train)
			median := medianError(t, r, filepath.Join(dir, "expected", FileName))
			t.Logf("makespan %.5f us, want %.5f: %+.3f %%; tasks %.3f %%; %d packets, %d packet-hops", micros(r.Makespan), k.makespan, 100*(micros(r.Makespan)/k.makespan-1), 100*median, r.Packets, r.Hops)
			require.InEpsilon(t, k.makespan, micros(r.Makespan), k.within)
			require.LessOrEqual(t, median, k.median)
		})
	}
}
