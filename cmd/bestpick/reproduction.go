package main

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

// A reproduction is a directory with the paper's exhibits and the runs behind them. The runs are in an
// append-only file of JSON Lines with a header, so that an interrupted reproduction can continue.
type reproduction struct {
	path    string
	runs    *lockedfile.File
	records []paper.Record
}

// runsFile is the file of the runs.
const runsFile = "runs.jsonl"

// reproductionHeader is its first line.
type reproductionHeader struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// openReproduction opens a directory that was created by this version with this seed, or creates it. It rejects
// any other directory that is not empty, without changing it. If another process uses the directory,
// openReproduction waits for it to end.
func openReproduction(path string, seed uint64) (*reproduction, error) {
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
	r := &reproduction{path: path}
	if r.runs, err = lockedfile.OpenFile(filepath.Join(path, runsFile), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, plainly(path, err)
	}
	if err := r.load(reproductionHeader{release, seed}, len(entries) <= 1); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// load reads the existing runs, truncates an incomplete last line, and prepares for more. In a directory with
// nothing else it replaces an incomplete header.
func (r *reproduction) load(want reproductionHeader, alone bool) error {
	content, err := io.ReadAll(r.runs)
	if err != nil {
		return plainly(r.path, err)
	}
	whole := 0
	for number := 1; ; number++ {
		line, _, finished := bytes.Cut(content[whole:], []byte("\n"))
		if !finished {
			break
		}
		if err := r.take(number, line, want); err != nil {
			return err
		}
		whole += len(line) + 1
	}
	if whole == 0 && !alone {
		return fmt.Errorf("%s: not the runs of a reproduction; choose another directory", filepath.Join(r.path, runsFile))
	}
	if err := r.runs.Truncate(int64(whole)); err != nil {
		return plainly(r.path, err)
	}
	if _, err := r.runs.Seek(int64(whole), io.SeekStart); err != nil || whole > 0 {
		return err
	}
	return json.NewEncoder(r.runs).Encode(want)
}

// take reads a line.
func (r *reproduction) take(number int, line []byte, want reproductionHeader) error {
	place := fmt.Sprintf("%s:%d", filepath.Join(r.path, runsFile), number)
	if number == 1 {
		var h reproductionHeader
		if err := json.Unmarshal(line, &h); err != nil || h.Version == "" {
			return fmt.Errorf("%s: not the runs of a reproduction; choose another directory", place)
		}
		if h != want {
			return fmt.Errorf("%s: made by bestpick %s with seed %d, this is %s with seed %d; choose another directory",
				place, h.Version, h.Seed, want.Version, want.Seed)
		}
		return nil
	}
	var record paper.Record
	if err := json.Unmarshal(line, &record); err != nil || !record.Valid() {
		return fmt.Errorf("%s: %.40q is not a run; choose another directory", place, line)
	}
	r.records = append(r.records, record)
	return nil
}

// results returns the runs with numbers below a limit.
func (r *reproduction) results(runs int) paper.Results { return paper.NewResults(r.records, runs) }

// complete returns the number of runs that every cell of an exhibit has.
func (r *reproduction) complete(e paper.Exhibit) int {
	runs := 0
	for r.results(runs+1).Complete(e, runs+1) {
		runs++
	}
	return runs
}

// keep appends a run to the file.
func (r *reproduction) keep(record paper.Record) error {
	r.records = append(r.records, record)
	return json.NewEncoder(r.runs).Encode(record)
}

// write writes a file atomically.
func (r *reproduction) write(name string, content []byte) error {
	temporary := filepath.Join(r.path, "."+name+".new")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return plainly(r.path, err)
	}
	return plainly(r.path, os.Rename(temporary, filepath.Join(r.path, name)))
}

// Close closes the file of runs.
func (r *reproduction) Close() { _ = r.runs.Close() } // every run was written when it ended

// plainly names the path in an error of the system, in place of the failed call.
func plainly(path string, err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, system.Err)
	}
	return err
}
