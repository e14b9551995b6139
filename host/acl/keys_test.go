package acl

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// column is one column of a table: its name, its tag key, and the value that
// refers to nothing.
type column struct{ name, key, null string }

// columns lists the columns of a row type.
func columns(row reflect.Type) (all []column, at [][]int) {
	for _, f := range reflect.VisibleFields(row) {
		if name := f.Tag.Get("col"); name != "" {
			null := f.Tag.Get("null")
			if null == "" {
				null = "0"
			}
			all, at = append(all, column{name, f.Tag.Get("key"), null}), append(at, f.Index)
		}
	}
	return all, at
}

// text is a value as the tags write it.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	}
	return fmt.Sprint(v.Interface())
}

// checkKeys holds that every table has unique keys and that every reference finds
// its row; the tables of other packages (server, host) are left out.
func checkKeys(t testing.TB, r *Runtime) {
	t.Helper()
	values := map[string]map[string]bool{} // by table.column
	type ref struct{ from, to, value string }
	var refs []ref
	ours := map[string]bool{}
	for _, x := range r.Tables() {
		ours[x.Name] = true
		cols, at := columns(x.Row)
		for _, c := range cols {
			values[x.Name+"."+c.name] = map[string]bool{}
		}
		for row := range x.Rows {
			for i, c := range cols {
				v := text(reflect.ValueOf(row).FieldByIndex(at[i]))
				if c.key == "pk" && values[x.Name+"."+c.name][v] {
					assert.Fail(t, "key twice", "%s.%s = %s", x.Name, c.name, v)
				}
				values[x.Name+"."+c.name][v] = true
				if strings.Contains(c.key, ".") && v != c.null {
					refs = append(refs, ref{x.Name + "." + c.name, c.key, v})
				}
			}
		}
	}
	for _, f := range refs {
		table, _, _ := strings.Cut(f.to, ".")
		if ours[table] && !values[f.to][f.value] {
			assert.Fail(t, "reference to nothing", "%s = %s, which %s does not have", f.from, f.value, f.to)
		}
	}
}

// Every table has a name of its own, columns with different names, and references
// to columns that there are.
func TestTablesAreWellMade(t *testing.T) {
	b := newBench(t, testChip(), 1)
	known := map[string]bool{"server.server_id": true, "host.host_id": true}
	for _, x := range b.rt.Tables() {
		cols, _ := columns(x.Row)
		require.NotEmpty(t, cols, x.Name)
		for _, c := range cols {
			require.False(t, known[x.Name+"."+c.name], "%s.%s comes twice", x.Name, c.name)
			known[x.Name+"."+c.name] = true
		}
	}
	for _, x := range b.rt.Tables() {
		cols, _ := columns(x.Row)
		for _, c := range cols {
			if c.key != "" && c.key != "pk" {
				assert.True(t, known[c.key], "%s.%s refers to %s", x.Name, c.name, c.key)
			}
		}
	}
}

// one is the only row of a type that a condition holds for.
func one[T any](t testing.TB, b *bench, of func(T) bool) T {
	t.Helper()
	var got []T
	for _, x := range Rows[T](b.rt) {
		if of(x) {
			got = append(got, x)
		}
	}
	require.Len(t, got, 1)
	return got[0]
}

// taskOf is the row of a task in table task.
func taskOf(t testing.TB, b *bench, id uint64) TaskTableRow {
	t.Helper()
	return one(t, b, func(x TaskTableRow) bool { return x.TaskID == id })
}
