package replay_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestSettingsAreStoredWithoutOthers: a study stores only the settings of racing that are set.
func TestSettingsAreStoredWithoutOthers(t *testing.T) {
	race := racing.Settings{Epsilon: 0.1, Model: racing.Model{Slots: true}, LinearOnly: racing.LinearOnly{Verify: 0.5}}
	settings := study.Settings{Strategy: race}.WithDefaults()
	text, err := json.Marshal(settings.Strategy)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"k":3,"delta":0.05,"epsilon":0.1,"model":{"slots":true},"verify":0.5,"seed":0}`; string(text) != want {
		t.Errorf("%s", text)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(`{"bestpick_study":1,"study":{"id":"x"},"catalogue":"AAAA"}`))
	f.Add([]byte("{}\n"))
	f.Add(keptLog(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := replay.Verify(bytes.NewReader(data)); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

// TestChangedSettingsArePlanned: a change of settings, and a stop by the owner, each cause a plan
// even if nothing else happens. An edit without changes causes none.
func TestChangedSettingsArePlanned(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 1, 3)
	plans := len(s.Plans())
	change := func(edit func(st *study.Study)) {
		t.Helper()
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { edit(st); return nil })
		s.Must(err)
	}
	change(func(st *study.Study) { st.Settings.Budget = 5000 })
	report, err := replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || !strings.Contains(strings.Join(report.Notes, " "), "changed after it") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	s.Step(planner)
	change(func(st *study.Study) { st.Name = "Another name" })
	s.Step(planner)
	if got := len(s.Plans()); got != plans+1 {
		t.Errorf("the number of plans changed from %d to %d", plans, got)
	}
	_, err = service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	if _, final, err := service.Final(t.Context(), id); final || err != nil {
		t.Errorf("the study is final before a plan has seen the stop: %v", err)
	}
	report, err = replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || !strings.Contains(strings.Join(report.Notes, " "), "stopped after its last plan") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	for s.Step(planner) {
		t.Error("the study is not done")
	}
	if _, final, err := service.Final(t.Context(), id); !final || err != nil {
		t.Errorf("the study is not final: %v", err)
	}
	report, err = replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || strings.Contains(strings.Join(report.Notes, " "), "stopped") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	for name, pair := range map[string][2]string{
		"budget": {`"budget":5000`, `"budget":6000`},
		"reason": {`"reason":"stopped"`, `"reason":"spent"`},
	} {
		altered := strings.Replace(strings.Join(lines(s.Exported())[:report.Plans+report.Outcomes+1], "\n"), pair[0], pair[1], 1)
		if _, err := replay.Verify(strings.NewReader(signed(strings.Split(altered, "\n"), attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lines splits a log into its lines. The last one is the closing line.
func lines(log string) []string { return strings.Split(strings.TrimSuffix(log, "\n"), "\n") }

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
