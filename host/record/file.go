package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// WriteFile writes what f produces to path: through a temporary file beside it that is renamed at the end, so that path
// holds either its old content or the whole new one. An error of f or of the disk leaves path as it was. A link is followed;
// what is no plain file, such as a device or a pipe, is written in place.
func WriteFile(path string, f func(w io.Writer) error) error {
	write := replaceFile
	if inPlace(path) {
		write = writeInPlace
	} else {
		path = target(path)
	}
	if err := write(path, f); err != nil {
		return fmt.Errorf("record: write %s: %w", path, plain(err))
	}
	return nil
}

// inPlace reports whether path is something that must not be replaced by a file: a device, a pipe, or an open file by its
// number.
func inPlace(path string) bool {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return false
	} else if !info.Mode().IsRegular() {
		return true
	}
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

func replaceFile(path string, f func(w io.Writer) error) (err error) {
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), tempPattern)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err = buffered(tmp, f); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// tempPattern names files that become the output; it does not depend on the output's name, which may be as long as names
// can be.
const tempPattern = ".hsim-*"

func writeInPlace(path string, f func(w io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = buffered(file, f)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

func buffered(file io.Writer, f func(w io.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<16)
	if err := f(w); err != nil {
		return err
	}
	return w.Flush()
}

// CheckPath refuses an output path that cannot become a file: it names a directory, one of its directories is a file, or
// the system does not let anybody write there. Missing directories are fine, WriteFile makes them. Nothing is left behind.
func CheckPath(path string) error {
	bad := func(text string, args ...any) error {
		return fmt.Errorf("record: output file %s: "+text, append([]any{path}, args...)...)
	}
	if strings.HasSuffix(path, string(filepath.Separator)) {
		return bad("got a directory, want a file name (try %s)", filepath.Join(path, "out.json"))
	}
	if inPlace(path) {
		return nil // opened when it is written
	}
	info, err := os.Stat(target(path))
	switch {
	case err == nil && info.IsDir():
		return bad("got a directory, want a file name (try %s)", filepath.Join(path, "out.json"))
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return bad("%w", plain(err))
	}
	dir := existingDir(target(path))
	if info, err = os.Stat(dir); err != nil {
		return bad("%w", plain(err))
	}
	if !info.IsDir() {
		return bad("%s is a file, want a directory", dir)
	}
	tmp, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return bad("nothing can be written to the directory %s: %w", dir, plain(err))
	}
	_ = tmp.Close()
	_ = os.Remove(tmp.Name())
	return nil
}

// target follows links to the file that path stands for, whether it exists or not.
func target(path string) string {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// plain takes operation and path off an error of the system: the message names the output, and temporary names help nobody.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
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
