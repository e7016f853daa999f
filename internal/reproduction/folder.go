// Package reproduction reproduces the paper's exhibits in a directory. An interrupted reproduction can continue.
package reproduction

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"

	"bestpick/internal/paper"
)

// A Folder is a directory with the paper's exhibits and the runs behind them. The runs are in an append-only file of
// JSON Lines with a header. Not safe for concurrent use.
type Folder struct {
	path    string
	header  header
	runs    *lockedfile.File
	records []paper.Record
}

// runsFile is the file of the runs.
const runsFile = "runs.jsonl"

// header is its first line.
type header struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// Open opens a directory that was created by this version of the program with this seed, or creates it. It rejects
// any other directory that is not empty, without changing it. If another process uses the directory, Open waits for
// it to end.
func Open(path, version string, seed uint64) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, plainly(path, err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, plainly(path, err)
	}
	known := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == runsFile })
	if !known && len(entries) > 0 {
		return nil, fmt.Errorf("%s: holds other files and no %s; choose an empty or a new directory", path, runsFile)
	}
	f := &Folder{path: path, header: header{version, seed}}
	if f.runs, err = lockedfile.OpenFile(filepath.Join(path, runsFile), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, plainly(path, err)
	}
	if err := f.load(len(entries) <= 1); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// load reads the existing runs, truncates an incomplete last line, and prepares for more. In a directory with
// nothing else it replaces an incomplete header.
func (f *Folder) load(alone bool) error {
	content, err := io.ReadAll(f.runs)
	if err != nil {
		return plainly(f.path, err)
	}
	whole := 0
	for number := 1; ; number++ {
		line, _, finished := bytes.Cut(content[whole:], []byte("\n"))
		if !finished {
			break
		}
		if err := f.take(number, line); err != nil {
			return err
		}
		whole += len(line) + 1
	}
	if whole == 0 && !alone {
		return fmt.Errorf("%s: not the runs of a reproduction; choose another directory", filepath.Join(f.path, runsFile))
	}
	if err := f.runs.Truncate(int64(whole)); err != nil {
		return plainly(f.path, err)
	}
	if _, err := f.runs.Seek(int64(whole), io.SeekStart); err != nil || whole > 0 {
		return err
	}
	return json.NewEncoder(f.runs).Encode(f.header)
}

// take reads a line.
func (f *Folder) take(number int, line []byte) error {
	place := fmt.Sprintf("%s:%d", filepath.Join(f.path, runsFile), number)
	if number == 1 {
		var h header
		if err := json.Unmarshal(line, &h); err != nil || h.Version == "" {
			return fmt.Errorf("%s: not the runs of a reproduction; choose another directory", place)
		}
		if h != f.header {
			return fmt.Errorf("%s: made by bestpick %s with seed %d, this is %s with seed %d; choose another directory",
				place, h.Version, h.Seed, f.header.Version, f.header.Seed)
		}
		return nil
	}
	var record paper.Record
	if err := json.Unmarshal(line, &record); err != nil || !record.Valid() {
		return fmt.Errorf("%s: %.40q is not a run; choose another directory", place, line)
	}
	f.records = append(f.records, record)
	return nil
}

// write writes a file atomically.
func (f *Folder) write(name string, content []byte) error {
	temporary := filepath.Join(f.path, "."+name+".new")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return plainly(f.path, err)
	}
	return plainly(f.path, os.Rename(temporary, filepath.Join(f.path, name)))
}

// Close closes the file of runs.
func (f *Folder) Close() { _ = f.runs.Close() } // every run was written when it ended

// plainly names the path in an error of the system, in place of the failed call.
func plainly(path string, err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, system.Err)
	}
	return err
}
