package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes what f produces to path: through a temporary file beside it that is renamed at the end, so that path
// holds either its old content or the whole new one. An error of f or of the disk leaves path as it was.
func WriteFile(path string, f func(w io.Writer) error) (err error) {
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".hsim-"+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	w := bufio.NewWriterSize(tmp, 1<<16)
	if err = f(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	if err = tmp.Chmod(0o644); err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	if err = tmp.Close(); err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("record: write %s: %w", path, err)
	}
	return nil
}

// CheckPath refuses an output path that cannot become a file: it names a directory, or one of its directories is a file.
// Missing directories are fine, WriteFile makes them.
func CheckPath(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return fmt.Errorf("record: output file %s: got a directory, want a file name (try %s)", path, filepath.Join(path, "out.json"))
	}
	dir := existingDir(path)
	if info, err = os.Stat(dir); err != nil {
		return fmt.Errorf("record: output file %s: %w", path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("record: output file %s: %s is a file, want a directory", path, dir)
	}
	return nil
}

// existingDir returns the nearest directory above path that exists.
func existingDir(path string) string {
	dir := filepath.Dir(path)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}
