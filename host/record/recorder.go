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
	spool  spool
	label  string
	base   int64
	groups []group
	byName map[string]int // group by each of its names
	order  []string
	tracks []track
	index  map[trackKey]TrackID
}

type group struct {
	name   string
	tracks int // so far
}

type track struct {
	group int
	tid   int64
	name  string
	used  bool
}

type trackKey struct {
	group int
	name  string
}

// On reports whether spans are kept; callers ask it before they compute names or arguments that cost something.
func (r *Recorder) On() bool { return r != nil }

// Group says that the groups called name and also are one, which is shown as name: what two packages record of one device
// stands together although each has its own name for it. Groups are shown in the order in which they were named here, then in
// that of their first tracks.
func (r *Recorder) Group(name string, also ...string) {
	if r == nil {
		return
	}
	g := r.group(name)
	for _, n := range also {
		if _, taken := r.byName[n]; !taken {
			r.byName[n] = g
		}
	}
}

// Order says how the tracks of each group follow each other: by the first of words that their names begin with, then by
// their numbers and names. Tracks that no word fits come last.
func (r *Recorder) Order(words ...string) {
	if r != nil {
		r.order = words
	}
}

// Track returns the track called name in the group called process, and creates it on first use. Only tracks on which
// something was recorded are shown. A nil Recorder returns 0.
func (r *Recorder) Track(process, name string) TrackID {
	if r == nil {
		return 0
	}
	key := trackKey{r.group(process), name}
	if id, ok := r.index[key]; ok {
		return id
	}
	g := &r.groups[key.group]
	g.tracks++
	r.tracks = append(r.tracks, track{group: key.group, tid: int64(g.tracks), name: name})
	id := TrackID(len(r.tracks))
	r.index[key] = id
	return id
}

func (r *Recorder) group(name string) int {
	if i, ok := r.byName[name]; ok {
		return i
	}
	r.groups = append(r.groups, group{name: name})
	i := len(r.groups) - 1
	r.byName[name] = i
	return i
}

// use returns a track on which something is recorded; nil when there is none.
func (r *Recorder) use(t TrackID) *track {
	if r == nil || t <= 0 || int(t) > len(r.tracks) {
		return nil
	}
	tr := &r.tracks[t-1]
	tr.used = true
	return tr
}

func (r *Recorder) pid(t *track) int64 { return r.base + int64(t.group) }

// Span records that name ran on track from start to end. Spans of one track may nest but not overlap; an end before the
// start is recorded as a span without length. The arguments are copied.
func (r *Recorder) Span(t TrackID, name string, start, end sim.Time, args ...Arg) {
	tr := r.use(t)
	if tr == nil {
		return
	}
	if end < start {
		end = start
	}
	b := r.spool.event()
	b = append(b, `{"ph":"X","pid":`...)
	b = appendInt(b, r.pid(tr))
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
	tr := r.use(t)
	if tr == nil {
		return
	}
	b := r.spool.event()
	b = append(b, `{"ph":"i","s":"t","pid":`...)
	b = appendInt(b, r.pid(tr))
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
	tr := r.use(t)
	if tr == nil {
		return
	}
	b := r.spool.event()
	b = append(b, `{"ph":"C","pid":`...)
	b = appendInt(b, r.pid(tr))
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
