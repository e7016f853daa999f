package replay_test

import (
	"bytes"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

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
