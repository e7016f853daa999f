package api_test

import (
	"context"
	"reflect"
	"testing"

	"bestpick/wire"
)

// TestStates tries every transition from every state.
func TestStates(t *testing.T) {
	s := begin(t, setting{idle: true})
	verbs := map[string]func(context.Context, string) (wire.Study, error){"open": s.owner.Open, "pause": s.owner.Pause, "close": s.owner.Close}
	reach := map[string][]string{"draft": {}, "open": {"open"}, "paused": {"open", "pause"}, "done": {"open", "close"}}
	for from, steps := range reach {
		for verb, move := range verbs {
			study := s.draft(quick())
			for _, step := range steps {
				_, err := verbs[step](t.Context(), study.ID)
				s.must(err)
			}
			to := map[string]string{"open": "open", "pause": "paused", "close": "done"}[verb]
			allowed := from == to || map[string]bool{"draft open": true, "open pause": true, "open close": true, "paused open": true, "paused close": true, "done open": true}[from+" "+verb]
			after, err := move(t.Context(), study.ID)
			if !allowed {
				s.refused(err, 409, wire.WrongState, "")
				continue
			}
			if err != nil || after.State != to || (after.Reason == "stopped") != (to == "done") {
				t.Errorf("%s, then %s: %s %s, %v", from, verb, after.State, after.Reason, err)
			}
		}
	}
	_, err := s.owner.Open(t.Context(), "none")
	s.refused(err, 404, wire.NotFound, "")
}

// TestChanges: the state decides which settings can change.
func TestChanges(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	name := "Another"
	settings := study.Settings
	change := func(status int, kind string, c wire.Change) {
		t.Helper()
		now, err := s.owner.Study(t.Context(), study.ID)
		s.must(err)
		after, err := s.owner.Change(t.Context(), study.ID, now.Version, c)
		if status != 200 {
			s.refused(err, status, kind, "")
			return
		}
		s.must(err)
		if c.Settings != nil && !reflect.DeepEqual(after.Settings, *c.Settings) {
			t.Errorf("settings are %+v, want %+v", after.Settings, *c.Settings)
		}
	}
	settings.K = 2
	change(200, "", wire.Change{Settings: &settings})
	_, err := s.owner.Open(t.Context(), study.ID)
	s.must(err)
	settings.K = 4
	change(409, wire.Started, wire.Change{Settings: &settings})
	settings.K, settings.Budget, settings.Lease = 2, 70, 9.5
	change(200, "", wire.Change{Settings: &settings, Name: &name})
	_, err = s.owner.ReplaceArms(t.Context(), study.ID, 99, file("arms.csv", fruits), nil)
	s.refused(err, 412, wire.Changed, "")
	_, err = s.owner.Close(t.Context(), study.ID)
	s.must(err)
	settings.Budget = 80
	change(409, wire.StudyDone, wire.Change{Settings: &settings})
	change(200, "", wire.Change{Name: &name})
	_, err = s.owner.AddArms(t.Context(), study.ID, 0, file("arms.csv", "id,sweet,sour\nfig,1,2\n"), nil)
	s.refused(err, 409, wire.StudyDone, "")
	_, err = s.owner.Withdraw(t.Context(), study.ID, "apple")
	s.refused(err, 409, wire.StudyDone, "")
	prompt := "Which of these?"
	change(409, wire.StudyDone, wire.Change{Prompt: &prompt})
}
