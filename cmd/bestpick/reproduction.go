package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bestpick/paper"
)

// A reproduction is a directory with the paper's exhibits and the runs behind them. The
// runs are in one file of JSON lines that only grows, the first line of which says who
// made it, so that an interrupted reproduction goes on where it was.
type reproduction struct {
	path    string
	runs    *os.File
	records []paper.Record
}

// runsFile is the file of the runs.
const runsFile = "runs.jsonl"

// reproductionHeader is its first line.
type reproductionHeader struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// openReproduction opens a directory that was made by this version with this seed, or
// makes it. It refuses any other that is not empty, and changes nothing in it.
func openReproduction(path string, seed uint64) (*reproduction, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, plainly(path, err)
	}
	r := &reproduction{path: path}
	content, err := os.ReadFile(filepath.Join(path, runsFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, r.begin(reproductionHeader{versionNumber, seed})
	case err != nil:
		return nil, plainly(path, err)
	case len(content) == 0: // cut off before the first line
		if err := os.Remove(filepath.Join(path, runsFile)); err != nil {
			return nil, plainly(path, err)
		}
		return r, r.begin(reproductionHeader{versionNumber, seed})
	}
	whole, err := r.read(content, reproductionHeader{versionNumber, seed})
	if err != nil {
		return nil, err
	}
	if r.runs, err = os.OpenFile(filepath.Join(path, runsFile), os.O_WRONLY, 0); err != nil {
		return nil, plainly(path, err)
	}
	// A last line that was cut off is written over.
	if err := r.runs.Truncate(int64(whole)); err != nil {
		return nil, plainly(path, err)
	}
	_, err = r.runs.Seek(int64(whole), io.SeekStart)
	return r, err
}

// begin starts the file of runs in an empty directory.
func (r *reproduction) begin(h reproductionHeader) error {
	entries, err := os.ReadDir(r.path)
	if err != nil {
		return plainly(r.path, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s: holds other files and no %s; choose an empty or a new directory", r.path, runsFile)
	}
	if r.runs, err = os.OpenFile(filepath.Join(r.path, runsFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return plainly(r.path, err)
	}
	return json.NewEncoder(r.runs).Encode(h)
}

// read takes in what is there and returns how many bytes of it are whole lines.
func (r *reproduction) read(content []byte, want reproductionHeader) (whole int, err error) {
	lines := bufio.NewReader(bytes.NewReader(content))
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && number > 1 {
			return whole, nil
		}
		place := fmt.Sprintf("%s:%d", filepath.Join(r.path, runsFile), number)
		if number == 1 {
			var h reproductionHeader
			if err := json.Unmarshal(line, &h); err != nil || h.Version == "" {
				return 0, fmt.Errorf("%s: not the runs of a reproduction; choose another directory", place)
			}
			if h != want {
				return 0, fmt.Errorf("%s: made by bestpick %s with seed %d, this is %s with seed %d; choose another directory",
					place, h.Version, h.Seed, want.Version, want.Seed)
			}
		} else {
			var record paper.Record
			if err := json.Unmarshal(line, &record); err != nil || record.Cell == "" || record.Run < 0 {
				return 0, fmt.Errorf("%s: %.40q is not a run; choose another directory", place, line)
			}
			r.records = append(r.records, record)
		}
		whole += len(line)
	}
}

// results returns the runs below a number.
func (r *reproduction) results(runs int) paper.Results { return paper.NewResults(r.records, runs) }

// keep puts a run on disk.
func (r *reproduction) keep(record paper.Record) error {
	r.records = append(r.records, record)
	return json.NewEncoder(r.runs).Encode(record)
}

// write makes a file, whole or not at all.
func (r *reproduction) write(name string, content []byte) error {
	temporary := filepath.Join(r.path, "."+name+".new")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return plainly(r.path, err)
	}
	return plainly(r.path, os.Rename(temporary, filepath.Join(r.path, name)))
}

// Close closes the file of runs.
func (r *reproduction) Close() { _ = r.runs.Close() } // every run was written when it ended

// plainly says of an error of the system what it is about, without the call that failed.
func plainly(path string, err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, system.Err)
	}
	return err
}
