package owner_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy/racing"
)

// TestCreate: a study starts as a draft, with its settings spelled out and a random seed.
func TestCreate(t *testing.T) {
	s := studytest.Empty(t)
	service := s.Service("one")
	seeds := map[uint64]bool{}
	for range 3 {
		created, err := service.Create(t.Context(), "Lamps", "Which one?", study.Settings{}, s.Saved)
		s.Must(err)
		got, err := s.Store.Study(t.Context(), created.ID)
		s.Must(err)
		if !reflect.DeepEqual(got, created) {
			t.Errorf("created %+v, stored %+v", created, got)
		}
		if got.State != study.Draft || got.Arms != 8 || got.Version != 1 || got.Name != "Lamps" || got.Prompt != "Which one?" ||
			got.Settings.Lease != 5*time.Minute || got.Settings.Strategy.K != 3 {
			t.Errorf("%+v", got)
		}
		seeds[got.Settings.Strategy.Seed] = true
		arms, err := service.Live.Catalogue(t.Context(), created.ID)
		s.Must(err)
		if arms.Arms.Len() != 8 || arms.Arms.ID(3) != "a3" {
			t.Errorf("the catalogue is %+v", arms)
		}
	}
	if len(seeds) != 3 || seeds[0] {
		t.Errorf("the seeds are %v", seeds)
	}
	all, err := s.Store.List(t.Context(), "", 10)
	s.Must(err)
	if len(all) != 3 {
		t.Errorf("there are %d studies", len(all))
	}
}

// TestSettingsThatCannotBeRun: invalid settings are refused with the field and the problem.
func TestSettingsThatCannotBeRun(t *testing.T) {
	s := studytest.Empty(t)
	service := s.Service("one")
	draft, err := service.Create(t.Context(), "Lamps", "", study.Settings{}, s.Saved)
	s.Must(err)
	for _, test := range []struct {
		want  string
		spoil func(*study.Settings)
	}{
		{"settings.picks", func(s *study.Settings) { s.Picks = 3 }},
		{"settings.picks", func(s *study.Settings) { s.Picks = -1 }},
		{"settings.budget", func(s *study.Settings) { s.Budget = -1 }},
		{"settings.each", func(s *study.Settings) { s.PerRespondent = -1 }},
		{"settings.lease_seconds", func(s *study.Settings) { s.Lease = -1 }},
		{"settings.lease_seconds", func(s *study.Settings) { s.Lease = 1<<63 - 1 }}, // now minus the lease would overflow
		{"settings.grace_seconds", func(s *study.Settings) { s.Grace = 1<<63 - 1 }},
		{"settings.k", func(s *study.Settings) { s.Strategy.K = 9 }},
		{"settings.delta", func(s *study.Settings) { s.Strategy.Delta = 2 }},
	} {
		bad := study.Settings{}
		test.spoil(&bad)
		_, created := service.Create(t.Context(), "", "", bad, s.Saved)
		_, changed := service.Change(t.Context(), draft.ID, owner.Any,
			func(st *study.Study) error { test.spoil(&st.Settings); return nil })
		for _, err := range []error{created, changed} {
			if field, is := errors.AsType[*study.Error](err); !is || field.Field != test.want ||
				!strings.HasPrefix(err.Error(), test.want+": ") {
				t.Errorf("%s: %v", test.want, err)
			}
		}
	}
	after, err := s.Store.Study(t.Context(), draft.ID)
	s.Must(err)
	if !reflect.DeepEqual(after, draft) {
		t.Errorf("%+v became %+v", draft, after)
	}
}

// TestStates tests the allowed changes of state, and that a change to the current state does
// nothing.
func TestStates(t *testing.T) {
	states := []study.State{study.Draft, study.Open, study.Paused, study.Done}
	allowed := map[study.State]string{study.Draft: "open", study.Open: "paused done", study.Paused: "open done", study.Done: ""}
	s := studytest.Empty(t)
	service := s.Service("one")
	for _, from := range states {
		for _, to := range states {
			name := fmt.Sprintf("%s-%s", from, to)
			s.Create(name, studytest.Three(), from)
			before, err := s.Store.Study(t.Context(), name)
			s.Must(err)
			s.Pass(time.Second)
			after, err := service.SetState(t.Context(), name, 1, to)
			switch {
			case from == to:
				if err != nil || !reflect.DeepEqual(before, after) {
					t.Errorf("%s: %+v, %v", name, after, err)
				}
			case strings.Contains(allowed[from], string(to)):
				if err != nil || after.State != to || after.Version != 2 || !after.Changed.Equal(s.Clock()) ||
					(after.Reason == study.Stopped) != (to == study.Done) {
					t.Errorf("%s: %+v, %v", name, after, err)
				}
			default:
				if e := study.Coded(err); e.Code != study.CodeWrongState ||
					e.Message != fmt.Sprintf("a study in state %s cannot change to %s", from, to) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	if _, err := service.SetState(t.Context(), "open-paused", owner.Any, "broken"); err == nil {
		t.Error("an unknown state is accepted")
	}
}

// TestStatesAllow tests what may change in each state.
func TestStatesAllow(t *testing.T) {
	s := studytest.Empty(t)
	service := s.Service("one")
	for state, want := range map[study.State]map[string]error{
		study.Draft: {},
		study.Open: {
			"K": study.ErrStarted, "picks": study.ErrStarted, "plain": study.ErrStarted, "seed": study.ErrStarted,
			"segments": study.ErrStarted, "arms": study.ErrStarted, "prompt": study.ErrStarted, "each": study.ErrStarted,
		},
		study.Paused: {
			"K": study.ErrStarted, "picks": study.ErrStarted, "plain": study.ErrStarted, "seed": study.ErrStarted,
			"segments": study.ErrStarted, "arms": study.ErrStarted, "prompt": study.ErrStarted, "each": study.ErrStarted,
		},
		study.Done: {
			"K": study.ErrStarted, "picks": study.ErrStarted, "plain": study.ErrStarted, "seed": study.ErrStarted,
			"segments": study.ErrStarted, "arms": study.ErrStarted,
			"prompt": study.ErrStarted, "budget": study.ErrNotOpen, "each": study.ErrStarted, "lease": study.ErrNotOpen,
			"grace":     study.ErrNotOpen,
			"more arms": study.ErrNotOpen, "withdrawn": study.ErrNotOpen, "import": study.ErrNotOpen,
		},
	} {
		settings := studytest.Three()
		settings.Strategy.K = 4
		for name, edit := range map[string]func(*study.Study){
			"name":   func(st *study.Study) { st.Name = "new" },
			"prompt": func(st *study.Study) { st.Prompt = "new" },
			"K":      func(st *study.Study) { st.Settings.Strategy.K = 3 },
			"picks":  func(st *study.Study) { st.Settings.Picks = 2 },
			"seed":   func(st *study.Study) { st.Settings.Strategy.Seed = 7 },
			"segments": func(st *study.Study) {
				st.Settings.Strategy.Model.Segments = []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}}
			},
			"plain":  func(st *study.Study) { st.Settings.HideAttributes = true },
			"budget": func(st *study.Study) { st.Settings.Budget = 7 },
			"each":   func(st *study.Study) { st.Settings.PerRespondent = 7 },
			"lease":  func(st *study.Study) { st.Settings.Lease = 7 * time.Second },
			"grace":  func(st *study.Study) { st.Settings.Grace = 7 },
		} {
			of := fmt.Sprintf("%s %s", state, name)
			s.Create(of, settings, state)
			after, err := service.Change(t.Context(), of, 1, func(st *study.Study) error { edit(st); return nil })
			if !errors.Is(err, want[name]) || err == nil && after.Version != 2 {
				t.Errorf("%s: %+v, %v", of, after, err)
			}
		}
		for name, call := range map[string]func(id string) error{
			"arms": func(id string) error { _, err := service.SetArms(t.Context(), id, 1, s.Saved); return err },
			"more arms": func(id string) error {
				_, err := service.AddArms(t.Context(), id, 1, s.WithArm("new", 1, 1))
				return err
			},
			"withdrawn": func(id string) error { _, err := service.Withdraw(t.Context(), id, 1, "a0"); return err },
			"import":    func(id string) error { return service.Import(t.Context(), id, "batch", studytest.Yielding()) },
		} {
			of := fmt.Sprintf("%s %s", state, name)
			s.Create(of, settings, state)
			if err := call(of); !errors.Is(err, want[name]) {
				t.Errorf("%s: %v", of, err)
			}
		}
	}
}

// TestChangeOnlyWhatIsTheOwners: an edit cannot change state, arms, version and times. Without a
// seed the study keeps its seed. An edit that decodes into existing lists does not change the
// originals.
func TestChangeOnlyWhatIsTheOwners(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Seed = 77
	settings.Strategy.Model.Segments = []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}}
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	_, err := service.Withdraw(t.Context(), id, 1, "a0")
	s.Must(err)
	after, err := service.Change(t.Context(), id, 2, func(st *study.Study) error {
		st.Withdrawn[0] = 5
		*st = study.Study{Name: "new", Prompt: st.Prompt, Settings: st.Settings}
		st.Settings.Strategy.Seed = 0
		return nil
	})
	s.Must(err)
	want := s.Study()
	if !reflect.DeepEqual(after, want) || want.Name != "new" || want.ID != id || want.State != study.Open || want.Arms != 8 ||
		want.Version != 3 ||
		want.Settings.Strategy.Seed != 77 || !reflect.DeepEqual(want.Withdrawn, []int{0}) {
		t.Errorf("%+v, %+v", after, want)
	}
	_, err = service.Change(t.Context(), id, 3, func(st *study.Study) error {
		return json.Unmarshal([]byte(`[{"name":"c","share":1},{"name":"b","share":1}]`), &st.Settings.Strategy.Model.Segments)
	})
	if !errors.Is(err, study.ErrStarted) {
		t.Errorf("the segments of an open study changed: %v", err)
	}
	unwilling := errors.New("no")
	if _, err := service.Change(t.Context(), id, 3, func(*study.Study) error { return unwilling }); !errors.Is(err, unwilling) {
		t.Errorf("%v", err)
	}
	if same, err := service.Change(t.Context(), id, 3, func(*study.Study) error { return nil }); err != nil || same.Version != 3 {
		t.Errorf("an edit without changes: %+v, %v", same, err)
	}
}

// TestTwoOwners: of two owners with the same version one wins, and edits of any version lose no
// concurrent change.
func TestTwoOwners(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	if _, err := service.Change(t.Context(), id, 7, func(*study.Study) error { return nil }); !errors.Is(err, study.ErrChanged) {
		t.Errorf("an unknown version: %v", err)
	}
	const owners, changes = 4, 5
	var working sync.WaitGroup
	for range owners {
		working.Go(func() {
			for range changes {
				_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Name += "."; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
	if st := s.Study(); len(st.Name) != len("Lamps")+owners*changes || st.Version != 1+owners*changes {
		t.Errorf("%+v", st)
	}
	version := s.Study().Version
	s.Must(inBetween(s, service, version))
	if err := service.Delete(t.Context(), id, version); !errors.Is(err, study.ErrChanged) {
		t.Errorf("a stale version: %v", err)
	}
	s.Must(service.Delete(t.Context(), id, version+1))
	for _, version := range []int{owner.Any, 1} {
		if err := service.Delete(t.Context(), id, version); !errors.Is(err, study.ErrNotFound) || errors.Is(err, study.ErrChanged) {
			t.Errorf("a deleted study: %v", err)
		}
	}
}

// inBetween lets one owner change a study during another owner's change, which is refused.
func inBetween(s *studytest.Stage, service *studytest.Service, version int) error {
	s.Helper()
	_, err := service.Change(s.Context(), id, version, func(st *study.Study) error {
		st.Name = "slow"
		_, err := service.Change(s.Context(), id, version, func(st *study.Study) error { st.Name = "quick"; return nil })
		return err
	})
	if !errors.Is(err, study.ErrChanged) {
		return fmt.Errorf("both changes succeeded: %w", err)
	}
	if name := s.Study().Name; name != "quick" {
		return fmt.Errorf("the name is %q", name)
	}
	return nil
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // unless the command line asks for more
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
