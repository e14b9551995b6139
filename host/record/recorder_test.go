package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

func TestMicrosAreExact(t *testing.T) {
	for _, c := range []struct {
		ps   sim.Time
		want string
	}{
		{0, "0"},
		{1, "0.000001"},
		{1_500_000, "1.5"},
		{1_000_000, "1"},
		{9_007_199_254_740_993, "9007199254.740993"}, // 2^53 + 1: no float64 has it
		{120_000, "0.12"},
		{-3, "-0.000003"},
	} {
		assert.Equal(t, c.want, string(appendMicros(nil, c.ps)), "%d ps", int64(c.ps))
	}
}

func TestTraceFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "trace.json")
	tr, err := NewTrace(path)
	require.NoError(t, err)
	a, b := tr.Recorder("rdma"), tr.Recorder("ub")
	// Recorded in turns; the file keeps the recorders apart.
	sa, sb := a.Track("device 0", "stream 0"), b.Track("device 0", "stream 0")
	a.Span(sa, "copy", 1_500_000, 3_000_001, Int("bytes", 4096), Str("to", `a "b"`))
	b.Span(sb, "wait", 0, 2)
	a.Count(a.Track("device 0", "port 0"), "queue", 7, 3)
	b.Mark(sb, "lost\n", 9)
	assert.Equal(t, sa, a.Track("device 0", "stream 0"), "a track is created once")
	require.NoError(t, tr.Commit())

	got, err := os.ReadFile(path)
	require.NoError(t, err)
	want := `{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"rdma: device 0"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"port 0"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"stream 0"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":1,"tid":1,"ts":1.5,"dur":1.500001,"name":"copy","args":{"bytes":4096,"to":"a \"b\""}},
{"ph":"C","pid":1,"ts":0.000007,"name":"port 0 queue","args":{"value":3}},
{"ph":"M","pid":1048577,"tid":0,"name":"process_name","args":{"name":"ub: device 0"}},
{"ph":"M","pid":1048577,"tid":0,"name":"process_sort_index","args":{"sort_index":1048577}},
{"ph":"M","pid":1048577,"tid":1,"name":"thread_name","args":{"name":"stream 0"}},
{"ph":"M","pid":1048577,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1048577,"tid":1,"ts":0,"dur":0.000002,"name":"wait"},
{"ph":"i","s":"t","pid":1048577,"tid":1,"ts":0.000009,"name":"lost\u000a"}
]}
`
	assert.Equal(t, want, string(got))
	assert.True(t, json.Valid(got))
}

// Two packages have two names for one device: one group holds the tracks of both, in an order that reads well. Groups and
// tracks on which nothing happened are not shown.
func TestGroupsAndOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tr, err := NewTrace(path)
	require.NoError(t, err)
	r := tr.Recorder("")
	r.Order("stream", "core", "port")
	for i := range 3 {
		r.Group(fmt.Sprintf("rank %d", i), fmt.Sprintf("npu%d", i))
	}
	r.Group("rank 9", "npu0") // taken: the first meaning stays
	for _, x := range [][2]string{{"switch", "port 0/0"}, {"npu1", "port 0/10"}, {"npu1", "port 0/2"}, {"npu0", "port 0/0"}, {"rank 1", "other"}, {"rank 1", "core 3"}, {"rank 1", "stream 11"}, {"rank 1", "stream 2"}} {
		r.Span(r.Track(x[0], x[1]), "s", 0, 1)
	}
	r.Track("npu2", "port 0/0")
	r.Track("rank 1", "stream 7")
	require.NoError(t, tr.Commit())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc struct {
		TraceEvents []struct {
			Name string
			Args struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	var got []string
	for _, e := range doc.TraceEvents {
		switch e.Name {
		case "process_name":
			got = append(got, e.Args.Name)
		case "thread_name":
			got = append(got, "- "+e.Args.Name)
		}
	}
	require.Equal(t, []string{"rank 0", "- port 0/0", "rank 1", "- stream 2", "- stream 11", "- core 3", "- port 0/2", "- port 0/10", "- other", "switch", "- port 0/0"}, got)
}

func TestNaturalOrder(t *testing.T) {
	sorted := []string{"", "a", "a1", "a2b", "a02c", "a10", "a10b", "b", "port 0/9", "port 0/10", "port 1/0"}
	for i, a := range sorted {
		for k, b := range sorted {
			require.Equal(t, cmp.Compare(i, k), natural(a, b), "%q %q", a, b)
		}
	}
}

func TestTraceLargerThanMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.json")
	tr, err := NewTrace(path)
	require.NoError(t, err)
	const n = 60_000 // about 5 MB: more than one spool buffer
	empty := tr.Recorder("nothing happens here")
	assert.True(t, empty.On())
	for range 2 {
		r := tr.Recorder("")
		id := r.Track("device", "stream")
		for i := range sim.Time(n) {
			r.Span(id, "a span with a name of some length, so that it adds up", i*10, i*10+5)
		}
	}
	require.NoError(t, tr.Commit())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc struct {
		TraceEvents []struct{ Ph string }
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	spans := 0
	for _, e := range doc.TraceEvents {
		if e.Ph == "X" {
			spans++
		}
	}
	assert.Equal(t, 2*n, spans)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays")
}

func TestNilRecorderDoesNothing(t *testing.T) {
	var tr *Trace
	r := tr.Recorder("x")
	assert.False(t, r.On())
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		id := r.Track("a", "b")
		r.Span(id, "s", 1, 2, Int("bytes", 1))
		r.Count(id, "c", 1, 2)
		r.Mark(id, "m", 1)
	}))
	require.NoError(t, tr.Commit())
}

func TestSpanDoesNotAllocate(t *testing.T) {
	tr, err := NewTrace(filepath.Join(t.TempDir(), "trace.json"))
	require.NoError(t, err)
	defer tr.Discard()
	r := tr.Recorder("")
	id := r.Track("a", "b")
	r.spool.buf = make([]byte, 0, 1<<20)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		r.Span(id, "copy", 1, 2_000_001, Int("bytes", 4096))
	}))
}

func TestWriteFileWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	broken := errors.New("half way")
	err := WriteFile(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "new")
		return broken
	})
	require.ErrorIs(t, err, broken)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(got))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)

	_, err = NewTrace(filepath.Join(path, "trace.json"))
	require.ErrorContains(t, err, "report.json is a file, want a directory")
	_, err = NewTrace(dir)
	require.ErrorContains(t, err, "got a directory, want a file name")
}

func BenchmarkSpan(b *testing.B) {
	tr, err := NewTrace(filepath.Join(b.TempDir(), "trace.json"))
	require.NoError(b, err)
	defer tr.Discard()
	r := tr.Recorder("")
	id := r.Track("device 0", "stream 0")
	b.ReportAllocs()
	for i := range sim.Time(b.N) {
		r.Span(id, "copy", i*100, i*100+50, Int("bytes", 4096))
	}
}

// What is no plain file is written in place: a device or a pipe that was replaced by a file would be lost to everybody.
func TestWriteFileKeepsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes with names here")
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(pipe)
		got <- string(b)
	}()
	require.NoError(t, CheckPath(pipe))
	require.NoError(t, WriteFile(pipe, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	require.Equal(t, "text", <-got)
	info, err := os.Lstat(pipe)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeNamedPipe)

	// A link is followed, also to a file that is not there yet.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "far"), 0o755))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("far/file", link))
	for _, text := range []string{"one", "two"} {
		require.NoError(t, CheckPath(link))
		require.NoError(t, WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
		b, err := os.ReadFile(filepath.Join(dir, "far", "file"))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		info, err = os.Lstat(link)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
	}
}

// What cannot become a file is refused before anything is simulated, and the check leaves nothing behind.
func TestCheckPath(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for path, want := range map[string]string{
		dir:                                  "got a directory",
		filepath.Join(dir, "new") + "/":      "got a directory, want a file name (try " + filepath.Join(dir, "new", "out.json") + ")",
		filepath.Join(dir, "file", "x.json"): "is a file, want a directory",
		filepath.Join(dir, strings.Repeat("n", 300)): "file name too long",
		filepath.Join(dir, "a\x00b"):                 "invalid argument",
	} {
		require.ErrorContains(t, CheckPath(path), want)
	}
	require.NoError(t, CheckPath(filepath.Join(dir, strings.Repeat("n", 255))), "the longest name there is")
	require.NoError(t, CheckPath(filepath.Join(dir, "a", "b", "c.json")))
	if os.Getuid() != 0 {
		closed := filepath.Join(dir, "closed")
		require.NoError(t, os.Mkdir(closed, 0o555))
		require.ErrorContains(t, CheckPath(filepath.Join(closed, "x")), "permission denied")
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, strings.HasPrefix(e.Name(), ".hsim"), e.Name())
	}
	name := filepath.Join(dir, strings.Repeat("n", 255))
	require.NoError(t, WriteFile(name, func(w io.Writer) error { return nil }))
}
