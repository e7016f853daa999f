package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

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
