package sweep_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/internal/sweep"
	"bestpick/internal/testsupport"
)

type run struct{ Number int }

func open(t *testing.T, path, header string, shard sweep.Shard) (*sweep.Folder[run], error) {
	t.Helper()
	f, err := sweep.Open(path, header, shard, func(r run) bool { return r.Number > 0 })
	if err == nil {
		t.Cleanup(f.Close)
	}
	return f, err
}

// TestFolder: a shard sees the complete runs of all shards, appends to its own file, and leaves the others alone even if
// they are being written.
func TestFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "sweep")
	first, err := open(t, path, "h", sweep.Shard{Index: 0, Count: 2})
	testsupport.NoError(t, err)
	testsupport.NoError(t, first.Save(run{1}))
	file := filepath.Join(path, "runs-0-of-2.jsonl")
	before, err := os.ReadFile(file)
	testsupport.NoError(t, err)
	before = append(before, `{"Num`...)
	writing, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	testsupport.NoError(t, err)
	if _, err := writing.WriteString(`{"Num`); err != nil {
		t.Fatal(err)
	}
	_ = writing.Close()
	whole, err := open(t, path, "h", sweep.Shard{})
	testsupport.NoError(t, err)
	testsupport.NoError(t, whole.Save(run{2}))
	if runs := whole.Runs(); len(runs) != 2 || runs[0] != (run{1}) || runs[1] != (run{2}) {
		t.Errorf("got runs %v", runs)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file of the other shard became %q, %v", after, err)
	}
	first.Close()
	again, err := open(t, path, "h", sweep.Shard{Index: 0, Count: 2})
	testsupport.NoError(t, err)
	testsupport.NoError(t, again.Save(run{3}))
	if after, err := os.ReadFile(file); err != nil || string(after) != strings.TrimSuffix(string(before), `{"Num`)+"{\"Number\":3}\n" {
		t.Errorf("the own file became %q, %v", after, err)
	}
	if _, err := open(t, path, "other", sweep.Shard{Index: 1, Count: 2}); err == nil || !strings.Contains(err.Error(), `these are runs of "h", not of "other"`) {
		t.Errorf("another sweep: %v", err)
	}
}

func TestShard(t *testing.T) {
	for _, text := range []string{"", "/", "1", "1/1", "-1/2", "2/2", "a/2", "0/0", "1/2/3", "0 /2"} {
		var s sweep.Shard
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	seen := map[int]int{}
	for _, text := range []string{"0/3", "1/3", "2/3"} {
		var s sweep.Shard
		testsupport.NoError(t, s.UnmarshalText([]byte(text)))
		for number := range 20 {
			if s.Has(number) {
				seen[number]++
			}
		}
	}
	for number := range 20 {
		if seen[number] != 1 || !(sweep.Shard{}).Has(number) {
			t.Errorf("run %d belongs to %d shards", number, seen[number])
		}
	}
}
