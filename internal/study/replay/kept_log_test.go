package replay_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// writeLogs makes TestKeptLog write the log if it is missing.
var writeLogs = flag.Bool("write-logs", false, "write the kept log to testdata if it is missing")

// TestKeptLog: a log that an earlier build wrote verifies to the bit. Its study has both kinds of
// evidence: linear, with direct comparisons, and majority's for the fallback. So a build whose plans
// differ, which other replicas would contradict, fails here. When plans or formats must change, delete
// the file and run this test with -write-logs.
func TestKeptLog(t *testing.T) {
	path := filepath.Join("testdata", "kept.jsonl.gz")
	if _, err := os.Stat(path); err != nil && *writeLogs {
		writeLog(t, path, racing.Settings{Assume: strategy.Linear, Verify: 0.5, Fallback: 0.25})
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := replay.Verify(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Study.Settings.Strategy; got.Fallback != 0.25 || report.Plans < 6 {
		t.Errorf("%d plans of a study with %+v", report.Plans, got)
	}
}

// writeLog writes the log of a study with some answers.
func writeLog(t *testing.T, path string, settings racing.Settings) {
	t.Helper()
	settings.K, settings.Seed, settings.Delta = 3, 1, 1e-9
	s := studytest.Empty(t)
	s.Prefers(3, 1.5)
	s.Create(id, study.Settings{Strategy: settings}, study.Open)
	service := s.Service("one")
	s.Work(service, service.Planner(id), 12, 12)
	var kept bytes.Buffer
	packed := gzip.NewWriter(&kept)
	s.Must(replay.Export(t.Context(), s.Store, id, packed))
	s.Must(packed.Close())
	s.Must(os.WriteFile(path, kept.Bytes(), 0o600))
}
