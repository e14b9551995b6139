package record

import "hsim/host/sim"

// TrackID names one line of the trace inside one Recorder; 0 is no track, and recording on it does nothing.
type TrackID int32

// Arg is one key and value shown when a span is clicked; Str wins over Int when it is not empty.
type Arg struct {
	Key string
	Str string
	Int int64
}

// Int returns an integer argument.
func Int(key string, v int64) Arg { return Arg{Key: key, Int: v} }

// Str returns a text argument.
func Str(key, v string) Arg { return Arg{Key: key, Str: v} }

// Recorder collects the spans and counters of one simulation. It is used by one goroutine at a time. The nil Recorder
// records nothing. Errors of the file underneath are kept and returned by Trace.Commit.
type Recorder struct {
	spool     spool
	label     string
	base      int64
	processes []string
	threads   []int32
	tracks    []track
	index     map[trackKey]TrackID
}

type track struct {
	pid, tid int64
	name     string
}

type trackKey struct{ process, name string }

// On reports whether spans are kept; callers ask it before they compute names or arguments that cost something.
func (r *Recorder) On() bool { return r != nil }

// Track returns the track called name in the group called process, and creates it on first use. Groups and tracks are
// shown in the order of their creation. A nil Recorder returns 0.
func (r *Recorder) Track(process, name string) TrackID {
	if r == nil {
		return 0
	}
	key := trackKey{process, name}
	if id, ok := r.index[key]; ok {
		return id
	}
	p := r.process(process)
	r.threads[p]++
	t := track{pid: r.base + int64(p), tid: int64(r.threads[p]), name: name}
	r.tracks = append(r.tracks, t)
	id := TrackID(len(r.tracks))
	r.index[key] = id
	r.meta("thread_name", t.pid, t.tid, name)
	r.order("thread_sort_index", t.pid, t.tid, t.tid)
	return id
}

func (r *Recorder) process(name string) int {
	for i, p := range r.processes {
		if p == name {
			return i
		}
	}
	r.processes = append(r.processes, name)
	r.threads = append(r.threads, 0)
	shown := name
	if r.label != "" {
		shown = r.label + ": " + name
	}
	i := len(r.processes) - 1
	r.meta("process_name", r.base+int64(i), 0, shown)
	r.order("process_sort_index", r.base+int64(i), 0, r.base+int64(i))
	return i
}

// Span records that name ran on track from start to end. Spans of one track may nest but not overlap; an end before the
// start is recorded as a span without length. The arguments are copied.
func (r *Recorder) Span(t TrackID, name string, start, end sim.Time, args ...Arg) {
	if r == nil || t <= 0 || int(t) > len(r.tracks) {
		return
	}
	if end < start {
		end = start
	}
	tr := &r.tracks[t-1]
	b := r.spool.event()
	b = append(b, `{"ph":"X","pid":`...)
	b = appendInt(b, tr.pid)
	b = append(b, `,"tid":`...)
	b = appendInt(b, tr.tid)
	b = append(b, `,"ts":`...)
	b = appendMicros(b, start)
	b = append(b, `,"dur":`...)
	b = appendMicros(b, end-start)
	b = append(b, `,"name":`...)
	b = appendString(b, name)
	b = appendArgs(b, args)
	r.spool.done(append(b, '}'))
}

// Mark records that something happened on track at one instant.
func (r *Recorder) Mark(t TrackID, name string, at sim.Time, args ...Arg) {
	if r == nil || t <= 0 || int(t) > len(r.tracks) {
		return
	}
	tr := &r.tracks[t-1]
	b := r.spool.event()
	b = append(b, `{"ph":"i","s":"t","pid":`...)
	b = appendInt(b, tr.pid)
	b = append(b, `,"tid":`...)
	b = appendInt(b, tr.tid)
	b = append(b, `,"ts":`...)
	b = appendMicros(b, at)
	b = append(b, `,"name":`...)
	b = appendString(b, name)
	b = appendArgs(b, args)
	r.spool.done(append(b, '}'))
}

// Count records the value that the counter name of a track has from at on; it is drawn as "track name".
func (r *Recorder) Count(t TrackID, name string, at sim.Time, value int64) {
	if r == nil || t <= 0 || int(t) > len(r.tracks) {
		return
	}
	tr := &r.tracks[t-1]
	b := r.spool.event()
	b = append(b, `{"ph":"C","pid":`...)
	b = appendInt(b, tr.pid)
	b = append(b, `,"ts":`...)
	b = appendMicros(b, at)
	b = append(b, `,"name":"`...)
	b = appendEscaped(b, tr.name)
	b = append(b, ' ')
	b = appendEscaped(b, name)
	b = append(b, `","args":{"value":`...)
	b = appendInt(b, value)
	r.spool.done(append(b, `}}`...))
}

func (r *Recorder) meta(kind string, pid, tid int64, name string) {
	b := r.spool.event()
	b = appendMeta(b, kind, pid, tid)
	b = append(b, `{"name":`...)
	b = appendString(b, name)
	r.spool.done(append(b, `}}`...))
}

func (r *Recorder) order(kind string, pid, tid, index int64) {
	b := r.spool.event()
	b = appendMeta(b, kind, pid, tid)
	b = append(b, `{"sort_index":`...)
	b = appendInt(b, index)
	r.spool.done(append(b, `}}`...))
}
