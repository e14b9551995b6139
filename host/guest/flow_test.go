package guest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/acl"
	"hsim/host/sim"
)

// TestFlow reads the times of the data model's flow back from the task table: the host queues and goes on, the device takes
// one task of a stream after the other, and the streams meet where the program says.
func TestFlow(t *testing.T) {
	for _, chip := range []string{"ideal", "a3"} {
		t.Run(chip, func(t *testing.T) {
			r := newRig(t, rigConfig{chip: chip, rows: true})
			require.Equal(t, []string{"0 0 wrong, callback 77"}, r.ran(r.job(r.program("flow"), 1)))
			var tasks []acl.TaskRow
			for _, x := range r.acl.Tasks() {
				if x.Stream != 0 && x.Parent == 0 && x.Seq > 0 {
					tasks = append(tasks, x)
				}
			}
			find := func(kind acl.TaskType, what string) acl.TaskRow {
				for _, x := range tasks {
					if x.Type == kind && x.What == what {
						require.Equal(t, acl.TaskDone, x.State)
						return x
					}
				}
				require.Fail(t, "no such task", "%v %v in %+v", kind, what, tasks)
				return acl.TaskRow{}
			}
			record, wait, kernel := find(acl.TypeEvent, "record"), find(acl.TypeEvent, "wait"), find(acl.TypeKernel, "matmul_fp32")
			told, heard, callback := find(acl.TypeNotify, "record"), find(acl.TypeNotify, "wait"), find(acl.TypeCallback, "callback")

			first := []acl.TaskRow{record, wait, kernel, told}
			for i, x := range first {
				require.Equal(t, first[0].Stream, x.Stream)
				require.EqualValues(t, i+1, x.Seq)
				require.LessOrEqual(t, x.Queued, x.Start)
				require.LessOrEqual(t, x.Start, x.End)
				if i > 0 {
					require.GreaterOrEqual(t, x.Start, first[i-1].End, "%s begins before %s has ended", x.What, first[i-1].What)
				}
			}
			require.Equal(t, record.Event, wait.Event)
			require.Equal(t, record.Seen, wait.Seen, "the wait is for the generation of the record")
			require.Equal(t, told.Register, heard.Register)
			require.NotEqual(t, told.Stream, heard.Stream)
			require.GreaterOrEqual(t, heard.End, told.End)
			require.GreaterOrEqual(t, callback.Start, heard.End)

			cost := r.sys.Devices()[0].Chip()
			require.Equal(t, 2*(cost.HostCall+cost.HostLaunch), kernel.Queued-record.Queued, "two calls lie between them")
			if chip != "ideal" {
				require.Less(t, told.Queued, kernel.End, "the host queues on while the kernel runs")
				return
			}
			require.Equal(t, sim.Time(0), record.End-record.Queued)
			require.Equal(t, kernel.End, told.End)
			require.Equal(t, told.End, callback.End)
		})
	}
}

// AI CPU functions of a program enqueue work on its streams and on channels between its devices.
func TestCPUFunctionsEnqueue(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3", devices: 2})
	require.Equal(t, []string{"0 refused: 107001 107000 107000 107017", "0 written 2 4 6 8, added 2 4 6 8", "0 read 1 2 3 4",
		"0 refused: 107000 107000", "0 not done within the device's time: 507046"},
		r.ran(r.job(r.program("cpu"), 1)))
}
