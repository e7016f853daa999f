package replay_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// writeKept makes TestKeptLog write the log anew.
var writeKept = flag.Bool("write-kept", false, "write the kept log to testdata")

const keptPath = "testdata/kept.jsonl.gz"

// TestKeptLog: a log that an earlier build wrote verifies to the bit. Its study has both kinds of
// evidence: linear, with direct comparisons, and majority's for the fallback. So a build whose plans
// differ, which other replicas would contradict, fails here. When plans or formats must change, run
//
//	go test ./internal/study/replay -run TestKeptLog -write-kept
func TestKeptLog(t *testing.T) {
	if *writeKept {
		writeLog(t)
	}
	report, err := replay.Verify(bytes.NewReader(keptLog(t)))
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Study.Settings.Strategy; got.Fallback != 0.25 || report.Plans < 6 {
		t.Errorf("%d plans of a study with %+v", report.Plans, got)
	}
}

// TestOtherVersion: logs of other versions are refused with one error that names both versions.
func TestOtherVersion(t *testing.T) {
	for _, version := range []string{"0", "2", "3"} {
		log := strings.Replace(string(keptLog(t)), `{"bestpick_study":1,`, `{"bestpick_study":`+version+`,`, 1)
		_, err := replay.Verify(strings.NewReader(log))
		want := "line 1: field bestpick_study: found " + version + ", expected 1: this program reads logs of this version only"
		if err == nil || err.Error() != want {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

// keptLog returns the kept log.
func keptLog(t testing.TB) []byte {
	t.Helper()
	file, err := os.Open(keptPath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	log, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// writeLog writes the log of a study with some answers.
func writeLog(t *testing.T) {
	t.Helper()
	settings := racing.Settings{K: 3, Seed: 1, Delta: 1e-9, Assume: strategy.Linear}
	settings.LinearOnly = racing.LinearOnly{Verify: 0.5, Fallback: 0.25}
	s := studytest.Empty(t)
	s.Prefers(3, 1.5)
	s.Create(id, study.Settings{Strategy: settings, PerRespondent: 1}, study.Open)
	service := s.Service("one")
	planner := service.Planner(id)
	for person := range 144 {
		if person%12 == 0 {
			s.Pass(11 * time.Second)
			s.Step(planner)
		}
		s.Answer(service, fmt.Sprint("r", person))
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	var kept bytes.Buffer
	packed := gzip.NewWriter(&kept)
	s.Must(replay.Export(t.Context(), s.Store, id, packed))
	s.Must(packed.Close())
	s.Must(os.WriteFile(keptPath, kept.Bytes(), 0o600))
}
