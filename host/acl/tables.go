package acl

import (
	"iter"
	"reflect"
)

// Table is one table of the data model. Its rows are values of one plain struct
// type; a field's tag col is its column, its tag key says "pk", or the column of
// another table that it refers to; a reference of the value in its tag null (0
// without one) refers to nothing.
type Table struct {
	Name string
	Row  reflect.Type
	Rows iter.Seq[any]
}

// table makes a Table of rows that a function yields.
func table[T any](name string, rows func(yield func(T))) Table {
	return Table{Name: name, Row: reflect.TypeFor[T](), Rows: func(yield func(any) bool) {
		more := true
		rows(func(x T) {
			if more {
				more = yield(x)
			}
		})
	}}
}

// Rows lists the rows of one of the row types.
func Rows[T any](r *Runtime) (all []T) {
	want := reflect.TypeFor[T]()
	for _, t := range r.Tables() {
		if t.Row == want {
			for x := range t.Rows {
				all = append(all, x.(T))
			}
		}
	}
	return all
}

// Tables lists the tables that the runtime fills, in an order in which references
// point backwards where they can. Without Config.Rows they hold what lives now,
// and no tasks.
func (r *Runtime) Tables() []Table {
	all := []Table{
		table("device", r.deviceRows),
		table("device_status", r.statusRows),
		table("task_scheduler_device", r.schedulerRows),
		table("cpu_scheduler", r.cpuRows),
		table("scalar_scheduler", r.scalarRows),
		table("ccu", r.ccuRows),
		table("ccu_scheduler", r.ccuSchedulerRows),
		table("compute_die", r.computeRows),
		table("cube", r.cubeRows),
		table("vector", r.vectorRows),
		table("hybrid_compute_die", r.hybridRows),
		table("runner", r.runnerRows),
		table("context", r.contextRows),
		table("stream", r.streamRows),
		table("device_connection", r.connectionRows),
		table("report_channel", r.channelRows),
	}
	all = append(all, r.memoryTables()...)
	all = append(all, r.kernelTables()...)
	all = append(all, r.syncTables()...)
	all = append(all, r.taskTables()...)
	return append(all, r.dieTables()...)
}
