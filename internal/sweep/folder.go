// Package sweep saves the runs of a sweep in a directory as they end ([Folder]), and has workers execute them ([Queue]). An
// interrupted sweep can continue, and machines can share the work.
package sweep

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
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// A Folder is a directory with runs of type R. Each shard appends to a file of JSON Lines of its own, whose header says
// which sweep it belongs to. Not safe for concurrent use.
type Folder[R any] struct {
	path   string
	header []byte
	valid  func(R) bool
	own    *lockedfile.File
	runs   []R
}

// The names of the files of runs.
const (
	wholeFile  = "runs.jsonl"
	shardFiles = "runs-*-of-*.jsonl"
)

// Open opens the directory of a sweep for a shard, or creates it. Two sweeps are the same if their headers have the same
// JSON. It rejects any other directory that is not empty, without changing it. If another process works on the same shard,
// Open waits for it to end.
func Open[R any](path string, header any, shard Shard, valid func(R) bool) (*Folder[R], error) {
	first, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, plainly(path, err)
	}
	f := &Folder[R]{path: path, header: first, valid: valid}
	others, alone, err := f.others(shard.file())
	if err != nil {
		return nil, err
	}
	if f.own, err = lockedfile.OpenFile(filepath.Join(path, shard.file()), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, plainly(path, err)
	}
	if err := f.load(others, alone); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// others returns the files of other shards, and whether the directory has runs alone. It returns an error if the directory
// has files, but no runs.
func (f *Folder[R]) others(own string) (names []string, alone bool, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, false, plainly(f.path, err)
	}
	runs := 0
	for _, entry := range entries {
		shard, _ := filepath.Match(shardFiles, entry.Name()) // the pattern is valid
		if !shard && entry.Name() != wholeFile {
			continue
		}
		runs++
		if entry.Name() != own {
			names = append(names, entry.Name())
		}
	}
	if runs == 0 && len(entries) > 0 {
		return nil, false, fmt.Errorf("%s: holds other files and no %s; choose an empty or a new directory", f.path, wholeFile)
	}
	return names, runs == len(entries), nil
}

// load reads the runs of all shards, truncates an incomplete last line of the own file, and prepares for more runs. Only
// in a directory with runs alone may all headers be incomplete.
func (f *Folder[R]) load(others []string, alone bool) error {
	known := alone
	for _, name := range others {
		content, err := os.ReadFile(filepath.Join(f.path, name))
		if err != nil {
			return plainly(f.path, err)
		}
		whole, err := f.take(name, content)
		if err != nil {
			return err
		}
		known = known || whole > 0
	}
	content, err := io.ReadAll(f.own)
	if err != nil {
		return plainly(f.path, err)
	}
	whole, err := f.take(filepath.Base(f.own.Name()), content)
	if err != nil {
		return err
	}
	if whole == 0 && !known {
		return fmt.Errorf("%s: not the runs of a sweep; choose another directory", f.own.Name())
	}
	if err := f.own.Truncate(int64(whole)); err != nil {
		return plainly(f.path, err)
	}
	if _, err := f.own.Seek(int64(whole), io.SeekStart); err != nil || whole > 0 {
		return err
	}
	_, err = f.own.Write(append(slices.Clone(f.header), '\n'))
	return plainly(f.path, err)
}

// take reads the complete lines of a file and returns their bytes.
func (f *Folder[R]) take(name string, content []byte) (whole int, err error) {
	path := filepath.Join(f.path, name)
	for number := 1; ; number++ {
		line, _, finished := bytes.Cut(content[whole:], []byte("\n"))
		if !finished {
			break
		}
		switch {
		case number > 1:
			err = f.takeRun(line)
		case !json.Valid(line):
			err = errors.New("not the runs of a sweep; choose another directory")
		case !bytes.Equal(line, f.header):
			err = fmt.Errorf("these are runs of %s, not of %s; choose another directory", line, f.header)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		whole += len(line) + 1
	}
	return whole, nil
}

func (f *Folder[R]) takeRun(line []byte) error {
	var run R
	if err := json.Unmarshal(line, &run); err != nil || !f.valid(run) {
		return fmt.Errorf("%.40q is not a run; choose another directory", line)
	}
	f.runs = append(f.runs, run)
	return nil
}

// Runs returns the saved runs of all shards, in no particular order. The caller must not change the result.
func (f *Folder[R]) Runs() []R { return f.runs }

// Save saves a run.
func (f *Folder[R]) Save(run R) error {
	f.runs = append(f.runs, run)
	return plainly(f.path, json.NewEncoder(f.own).Encode(run))
}

// Write writes another file of the directory atomically.
func (f *Folder[R]) Write(name string, content []byte) error {
	temporary := filepath.Join(f.path, "."+name+".new")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return plainly(f.path, err)
	}
	return plainly(f.path, os.Rename(temporary, filepath.Join(f.path, name)))
}

// Close closes the file of runs. Every run was written when it was saved.
func (f *Folder[R]) Close() { _ = f.own.Close() }

// plainly names the path in an error of the system, in place of the failed call.
func plainly(path string, err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, system.Err)
	}
	return err
}

// A Shard is a part of a sweep: every Count-th run, from run Index on. The zero value is the whole sweep.
type Shard struct{ Index, Count int }

// UnmarshalText reads an index, from 0 on, and a number of shards, such as 3/100.
func (s *Shard) UnmarshalText(text []byte) error {
	index, count, divided := strings.Cut(string(text), "/")
	i, err := strconv.Atoi(index)
	n, second := strconv.Atoi(count)
	if !divided || err != nil || second != nil || i < 0 || i >= n {
		return fmt.Errorf("a shard must be an index from 0 on and a larger number of shards, such as 3/100, got %q", text)
	}
	*s = Shard{i, n}
	return nil
}

// IsWhole reports whether the shard is the whole sweep.
func (s Shard) IsWhole() bool { return s.Count == 0 }

// Has reports whether the run with a number belongs to the shard.
func (s Shard) Has(number int) bool { return s.IsWhole() || number%s.Count == s.Index }

// file returns the name of the file of the shard's runs.
func (s Shard) file() string {
	if s.IsWhole() {
		return wholeFile
	}
	return fmt.Sprintf("runs-%d-of-%d.jsonl", s.Index, s.Count)
}
