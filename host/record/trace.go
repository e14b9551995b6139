package record

import (
	"fmt"
	"io"
	"os"
)

// pidsPerRecorder keeps the process numbers of several simulations in one trace apart.
const pidsPerRecorder = 1 << 20

// Trace is one Chrome trace-event file that several simulations write. It appears under its name at Commit, whole, or
// never. Recorders of one Trace may be used in parallel; the file holds them in the order of their creation.
type Trace struct {
	path      string
	recorders []*Recorder
}

// NewTrace returns a Trace that Commit writes to path (JSON object format; open it in ui.perfetto.dev or
// chrome://tracing). It refuses a path that cannot become a file, before anything is simulated.
func NewTrace(path string) (*Trace, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	return &Trace{path: path}, nil
}

// Recorder returns a new recorder of one simulation; label, when not empty, is put before its process names.
// A nil Trace returns the nil Recorder.
func (t *Trace) Recorder(label string) *Recorder {
	if t == nil {
		return nil
	}
	r := &Recorder{
		label:  label,
		base:   int64(len(t.recorders))*pidsPerRecorder + 1,
		index:  make(map[trackKey]TrackID),
		byName: make(map[string]int),
		spool:  spool{dir: existingDir(t.path)},
	}
	t.recorders = append(t.recorders, r)
	return r
}

// Commit writes the file and frees the recorders. On an error nothing is left behind.
func (t *Trace) Commit() error {
	if t == nil {
		return nil
	}
	defer t.Discard()
	return WriteFile(t.path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"); err != nil {
			return err
		}
		first := true
		for _, r := range t.recorders {
			if err := r.copyTo(w, &first); err != nil {
				return fmt.Errorf("record: write trace %s: %w", t.path, err)
			}
		}
		_, err := io.WriteString(w, "\n]}\n")
		return err
	})
}

func (r *Recorder) copyTo(w io.Writer, first *bool) error {
	if r.spool.empty() {
		return r.spool.err
	}
	names := r.appendNames(nil)
	if !*first {
		names = append([]byte(",\n"), names...)
	}
	*first = false
	if _, err := w.Write(names); err != nil {
		return err
	}
	return r.spool.copyTo(w)
}

// Discard drops everything that was recorded; the file is not written.
func (t *Trace) Discard() {
	if t == nil {
		return
	}
	for _, r := range t.recorders {
		r.spool.discard()
	}
	t.recorders = nil
}

// spoolLimit is how many bytes of events a recorder keeps in memory before it moves them to a file without a name.
const spoolLimit = 4 << 20

// spool is an append-only store of events, separated by ",\n", in memory first and then in a temporary file.
type spool struct {
	dir  string
	buf  []byte
	file *os.File
	err  error
}

func (s *spool) event() []byte {
	if len(s.buf) > 0 || s.file != nil {
		s.buf = append(s.buf, ",\n"...)
	}
	return s.buf
}

func (s *spool) done(b []byte) {
	s.buf = b
	if len(s.buf) >= spoolLimit {
		s.flush()
	}
}

func (s *spool) flush() {
	if s.err == nil && s.file == nil {
		s.file, s.err = os.CreateTemp(s.dir, ".hsim-trace-*")
		if s.err == nil {
			// The name is not needed: without it a killed run leaves nothing behind (where the system allows that).
			_ = os.Remove(s.file.Name())
		}
	}
	if s.err == nil {
		_, s.err = s.file.Write(s.buf)
	}
	s.buf = s.buf[:0]
}

func (s *spool) empty() bool { return len(s.buf) == 0 && s.file == nil }

func (s *spool) copyTo(w io.Writer) error {
	if s.err != nil {
		return s.err
	}
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(w, s.file); err != nil {
			return err
		}
	}
	_, err := w.Write(s.buf)
	return err
}

func (s *spool) discard() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
	*s = spool{dir: s.dir, err: s.err}
}
