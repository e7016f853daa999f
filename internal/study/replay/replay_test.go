package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

// TestForgedPlans: plans that no planner writes are detected, and cause no panic.
func TestForgedPlans(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 2, 5)
	var export bytes.Buffer
	s.Must(replay.Export(t.Context(), s.Store, id, &export))
	lines := strings.SplitAfter(strings.TrimSpace(export.String()), "\n")
	for name, forge := range map[string]func(*study.Plan){
		"number":    func(p *study.Plan) { p.Number++ },
		"first":     func(p *study.Plan) { p.First++ },
		"upto":      func(p *study.Plan) { p.LastCounted-- },
		"known":     func(p *study.Plan) { p.LastSeen = p.LastCounted - 1 },
		"no arms":   func(p *study.Plan) { p.Arms = -1 },
		"one arm":   func(p *study.Plan) { p.Arms = 1 },
		"few arms":  func(p *study.Plan) { p.Arms = 2 },
		"many arms": func(p *study.Plan) { p.Arms = 9 },
		"withdrawn": func(p *study.Plan) { p.Withdrawn = []int{8} },
		"question":  func(p *study.Plan) { p.Questions = append(p.Questions, []int{0, 1, 2}) },
	} {
		forged, plans := 0, 0
		for i, line := range lines {
			var parsed struct {
				Plan *study.Plan `json:"plan,omitempty"`
			}
			if err := json.Unmarshal([]byte(line), &parsed); err != nil {
				t.Fatal(err)
			}
			if parsed.Plan == nil {
				continue
			}
			plans++
			forge(parsed.Plan)
			text, err := json.Marshal(parsed)
			s.Must(err)
			_, err = replay.Verify(strings.NewReader(strings.Join(lines[:i], "") + string(text) + "\n" + strings.Join(lines[i+1:], "")))
			if _, diverged := errors.AsType[*replay.DivergedError](err); diverged {
				forged++
			} else if err == nil {
				t.Errorf("a forged %s of plan %d is accepted", name, plans)
			}
		}
		if forged == 0 {
			t.Errorf("%s: no replay diverged", name)
		}
	}
}

// TestExportWhileArmsCome: an export that starts before arms are added verifies, with any plans
// written meanwhile, and so does a replay.
func TestExportWhileArmsCome(t *testing.T) {
	for name, read := range map[string]func(*testing.T, study.Store) error{
		"export": func(t *testing.T, store study.Store) error {
			t.Helper()
			var export bytes.Buffer
			if err := replay.Export(t.Context(), store, id, &export); err != nil {
				return err
			}
			_, err := replay.Verify(&export)
			return err
		},
		"replay": func(t *testing.T, store study.Store) error {
			t.Helper()
			_, err := replay.Replay(t.Context(), store, id)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			service := s.Service("one")
			planner := service.Planner(id)
			s.Work(service, planner, 2, 5)
			store := &studytest.Later{Store: s.Store, Then: func() {
				_, err := service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5))
				s.Must(err)
				s.Work(service, planner, 2, 5)
			}}
			s.Must(read(t, store))
			s.Must(read(t, s.Store))
		})
	}
}
