package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/strategy/racing"
)

// exported returns the log of a study with answers, skips, undos and lost questions.
func exported(t *testing.T) []byte {
	t.Helper()
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	for round := range 6 {
		s.Step(planner)
		for i := range 10 {
			lease := s.Ask(service, fmt.Sprint("r", i))
			var err error
			answer := func() error {
				return service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, 1))
			}
			switch i {
			case 3:
				err = service.Skip(t.Context(), id, lease.Token)
			case 5: // never answered
			case 7:
				err = errors.Join(answer(), service.Undo(t.Context(), id, lease.Token), answer())
			case 8:
				err = errors.Join(answer(), service.Undo(t.Context(), id, lease.Token))
			default:
				err = answer()
			}
			s.Must(err)
		}
		s.Pass(time.Duration(20*round) * time.Second)
	}
	var text bytes.Buffer
	s.Must(replay.Export(t.Context(), s.Store, id, &text))
	return text.Bytes()
}

// TestExportIsVerified: an export leads to its recorded verdict, and an altered one does not: a
// pick, a time, a missing answer, a question, a verdict.
func TestExportIsVerified(t *testing.T) {
	text := exported(t)
	report, err := replay.Verify(bytes.NewReader(text))
	if err != nil || report.Plans < 5 || report.Outcomes < 60 || report.Verdict.Answered < 20 || report.Study.ID != id {
		t.Fatalf("%+v, %v", report, err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	told := report.Outcomes - report.Open
	altered := 0
	for i, line := range lines {
		var parsed struct {
			Outcome *study.Outcome `json:"outcome"`
		}
		if json.Unmarshal([]byte(line), &parsed) != nil || parsed.Outcome == nil || parsed.Outcome.Kind != study.Answered || int(parsed.Outcome.Number) > told {
			continue
		}
		undone := strings.Contains(strings.Join(lines[i+1:], ""), fmt.Sprintf(`"position":%d,"kind":"undone"`, parsed.Outcome.Position))
		if undone {
			continue // it is not counted
		}
		altered++
		other := fmt.Sprintf(`"picks":[%d]`, (parsed.Outcome.Picks[0]+1)%3)
		for _, changed := range []string{
			strings.Replace(line, fmt.Sprintf(`"picks":[%d]`, parsed.Outcome.Picks[0]), other, 1),
			strings.Replace(line, `"asked":"2026`, `"asked":"2025`, 1),
		} {
			_, err := replay.Verify(strings.NewReader(strings.Join(lines[:i], "") + changed + strings.Join(lines[i+1:], "")))
			if _, diverged := errors.AsType[*replay.DivergedError](err); !diverged || changed == line {
				t.Errorf("outcome %d was altered: %v", parsed.Outcome.Number, err)
			}
		}
	}
	if altered < 20 {
		t.Errorf("%d picks were altered", altered)
	}
	for name, forge := range map[string]func(string) string{
		"an outcome is missing": func(s string) string { return strings.Replace(s, lines[10], "", 1) },
		"a line is cut":         func(s string) string { return s[:len(s)-40] },
		"not an export":         func(string) string { return "id,price\na,1\n" },
		"empty":                 func(string) string { return "" },
		"no catalogue":          func(s string) string { return strings.Replace(s, `"catalogue":"UEsD`, `"catalogue":"AAAA`, 1) },
		"another leader":        func(s string) string { return strings.Replace(s, `"leader":`, `"leader":1`, 1) },
		"what was known then":   func(s string) string { return strings.Replace(s, `"known":`, `"known":9`, 1) },
		"an empty line":         func(s string) string { return s + "{}\n" },
	} {
		if _, err := replay.Verify(strings.NewReader(forge(string(text)))); err == nil {
			t.Errorf("%s: not detected", name)
		}
	}
}

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
	change(func(st *study.Study) { st.Settings.Each = 50 })
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
	for name, pair := range map[string][2]string{"each": {`"each":50`, `"each":60`}, "reason": {`"reason":"stopped"`, `"reason":"spent"`}} {
		altered := strings.Replace(strings.Join(lines(s.Exported())[:report.Plans+report.Outcomes+1], "\n"), pair[0], pair[1], 1)
		if _, err := replay.Verify(strings.NewReader(signed(strings.Split(altered, "\n"), attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lines splits a log into its lines. The last one is the closing line.
func lines(log string) []string { return strings.Split(strings.TrimSuffix(log, "\n"), "\n") }
