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

func runCase(t testing.TB, dir string, trains bool) *Result {
	c, err := Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	o := Options{Train: 1, Seed: 1}
	if trains {
		o = Options{PacketLevel: 1, Seed: 1}
	}
	r, err := c.Run(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, sim.Done, r.Reason)
	require.Equal(t, len(c.Tasks), r.Done, "every task is complete")
	require.NoError(t, r.audit)
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

// nightly runs what takes minutes.
var nightly = os.Getenv("HSIM_NIGHTLY") != ""

// The cases come with their results. Trains are compared with packet level as
// well, of the largest case at night.
func TestCasesOfNS3UB(t *testing.T) {
	for _, k := range []struct {
		name     string
		makespan float64
		within   float64 // of the makespan
		median   float64 // of the times of tasks
		large    bool
	}{
		{"v1_ctp_single", 180.55266, 0.001, 0.001, false},
		{"v2_ctp_4flows_serial", 722.1432, 0.0005, 0.0005, false},
		{"v3_ctp_bidirectional", 195.87198, 0.02, 0.02, false},
		{"v4_ubx16_a2a_matrix_16mib", 69.8297, 0.02, 0.03, false},
		{"v5_pod64_a2a_stepbarrier_16mib", 44.596, 0.05, 0.03, false},
		{"v6_pod64_a2a_stepbarrier_1gib", 2483.952, 0.01, 0.03, true},
		{"v7_ubx16_a2a_ctp_128mib_alloc0", 545.237, 0.005, 0.005, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			dir := shared(t, k.name)
			packets := sim.Time(0)
			for _, trains := range []bool{false, true} {
				if k.large && !trains && !nightly {
					continue
				}
				r := runCase(t, dir, trains)
				median := medianError(t, r, filepath.Join(dir, "expected", FileName))
				t.Logf("train %d: makespan %.5f us, want %.5f: %+.3f %%; tasks %.3f %%; %d packets, %d packet-hops",
					r.Train, micros(r.Makespan), k.makespan, 100*(micros(r.Makespan)/k.makespan-1), 100*median, r.Packets, r.Hops)
				if !trains || k.large {
					require.InEpsilon(t, k.makespan, micros(r.Makespan), k.within)
					require.LessOrEqual(t, median, k.median)
				}
				if packets > 0 {
					require.InEpsilon(t, micros(packets), micros(r.Makespan), 0.02, "trains against packets")
				}
				if !trains {
					packets = r.Makespan
				}
			}
		})
	}
}

// One way, allocation does not count: trains that are forced on such a case are true
// to packets.
func TestForcedTrains(t *testing.T) {
	for _, name := range []string{"v1_ctp_single", "v2_ctp_4flows_serial"} {
		dir := shared(t, name)
		c, err := Load(os.DirFS(dir), dir)
		require.NoError(t, err)
		r, err := c.Run(context.Background(), Options{Train: 16, Seed: 1})
		require.NoError(t, err)
		require.NoError(t, r.audit)
		require.InEpsilon(t, micros(runCase(t, dir, false).Makespan), micros(r.Makespan), 0.001)
		require.Equal(t, 16, r.Train)
	}
}

// Each step of a queue of tasks ends where it does there.
func TestStepsOfAQueue(t *testing.T) {
	dir := shared(t, "v2_ctp_4flows_serial")
	_, end := expected(t, filepath.Join(dir, "expected", FileName))
	for _, x := range runCase(t, dir, false).Tasks {
		require.InEpsilon(t, end[x.ID], micros(x.End), 0.0005)
	}
}

// A case that comes without a result of its own: planes by priority, channels on
// demand, several of them a task.
func TestSkewedCase(t *testing.T) {
	dir := shared(t, "u8_a2av_snake_skew_fixedplane")
	r := runCase(t, dir, false)
	require.InEpsilon(t, 151.86446, micros(r.Makespan), 0.03)
	require.LessOrEqual(t, medianError(t, r, filepath.Join(dir, FileName)), 0.03)
}
