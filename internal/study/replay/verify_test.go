package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
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
		"another version":       func(s string) string { return strings.Replace(s, `"bestpick_study":2`, `"bestpick_study":9`, 1) },
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
	settings := study.Settings{Strategy: racing.Settings{Epsilon: 0.1, Verify: 0.5, Model: racing.Model{Slots: true}}}.WithDefaults()
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
	for _, name := range []string{"version-1-open", "version-2-certified"} {
		text, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := replay.Verify(bytes.NewReader(data)); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
