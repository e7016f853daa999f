package owner_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// choices returns recorded choices of the stage's crowd.
func choices(s *studytest.Stage, n int) func(*choice.Catalogue, choice.Offer) (*choice.Tally, error) {
	return func(c *choice.Catalogue, _ choice.Offer) (*choice.Tally, error) {
		tally := choice.NewTally(c.Len())
		for i := range n {
			question := choice.Question{i % c.Len(), (i + 1 + i/c.Len()%(c.Len()-1)) % c.Len()}
			if err := tally.Add(choice.Answer{Question: question, Picks: s.Crowd.Pick(question, 1)}); err != nil {
				return nil, err
			}
		}
		return tally, nil
	}
}

// TestPrior: a study with a prior asks the questions of the strategy with that prior, which are others
// than without it. Replay, verification and a copy reproduce them.
func TestPrior(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	service := s.Service("one")
	set, err := service.SetPrior(t.Context(), id, owner.Any, choices(s, 500))
	s.Must(err)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	planner := service.Planner(id)
	s.Step(planner)
	asks := func(settings racing.Settings) (deck []choice.Question) {
		race, err := racing.New(s.Arms, settings)
		s.Must(err)
		for range s.Plans()[0].Questions {
			question, err := race.Ask()
			s.Must(err)
			deck = append(deck, question)
		}
		return deck
	}
	settings := set.Settings.Strategy
	planned := func(deck []choice.Question) bool {
		return slices.EqualFunc(s.Plans()[0].Questions, deck, func(a []int, b choice.Question) bool { return slices.Equal(a, b) })
	}
	if !planned(asks(settings)) {
		t.Errorf("the study asks %v, the strategy %v", s.Plans()[0].Questions, asks(settings))
	}
	if settings.Prior = nil; planned(asks(settings)) {
		t.Error("the prior does not change the questions")
	}
	s.Work(service, planner, 3, 5)
	s.Agreed()
	s.Crash()
	s.Work(s.Service("two"), s.Service("two").Planner(id), 2, 5)
	s.Agreed()
	copied, err := s.Service("three").Duplicate(t.Context(), id, "copy")
	s.Must(err)
	if !reflect.DeepEqual(copied.Settings.Strategy.Prior, set.Settings.Strategy.Prior) {
		t.Error("the copy has another prior")
	}
}

// TestPriorStays: changes of other settings keep the prior, which rules out majority; other arms remove it.
func TestPriorStays(t *testing.T) {
	s := studytest.Empty(t)
	settings := studytest.Three()
	settings.Strategy.Assume, settings.Strategy.Fallback = strategy.Linear, 0.25
	s.Create(id, settings, study.Draft)
	service, ctx := s.Service("one"), t.Context()
	set, err := service.SetPrior(ctx, id, owner.Any, choices(s, 50))
	s.Must(err)
	if set.Settings.Strategy.Fallback != 0 {
		t.Error("the study has a prior and a fallback")
	}
	changed, err := service.Change(ctx, id, owner.Any, func(st *study.Study) error {
		st.Settings = study.Settings{Strategy: racing.Settings{K: 2, Assume: strategy.Linear}}
		return nil
	})
	s.Must(err)
	if changed.Settings.Strategy.K != 2 || !reflect.DeepEqual(changed.Settings.Strategy.Prior, set.Settings.Strategy.Prior) {
		t.Errorf("%+v", changed.Settings.Strategy)
	}
	_, err = service.Change(ctx, id, owner.Any, func(st *study.Study) error {
		st.Settings.Strategy.Assume = strategy.Majority
		return nil
	})
	s.Wants(study.ErrInvalid, err)
	s.Wants(study.ErrInvalid, service.Import(ctx, id, "survey", s.Foreign(4)))
	for name, remove := range map[string]func() (study.Study, error){
		"removed":    func() (study.Study, error) { return service.RemovePrior(ctx, id, owner.Any) },
		"other arms": func() (study.Study, error) { return service.SetArms(ctx, id, owner.Any, s.Saved) },
	} {
		_, err := service.SetPrior(ctx, id, owner.Any, choices(s, 50))
		s.Must(err)
		if changed, err := remove(); err != nil || changed.Settings.Strategy.Prior != nil {
			t.Errorf("%s: %+v, %v", name, changed.Settings.Strategy.Prior, err)
		}
	}
}

// TestPriorRefused: settings and states that rule out a prior, and choices that cannot be read, change
// nothing.
func TestPriorRefused(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		alter func(*study.Settings)
		after func(context.Context, *studytest.Stage, *studytest.Service) error
		read  func(*choice.Catalogue, choice.Offer) (*choice.Tally, error)
		want  error
		says  string
	}{
		"majority": {
			alter: func(s *study.Settings) { s.Strategy.Assume = strategy.Majority }, want: study.ErrInvalid,
			says: "assumes linear",
		},
		"segments": {alter: func(s *study.Settings) {
			s.Strategy.Model.Segments = []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}}
		}, want: study.ErrInvalid, says: "segments"},
		"open": {after: func(ctx context.Context, _ *studytest.Stage, o *studytest.Service) error {
			_, err := o.SetState(ctx, id, owner.Any, study.Open)
			return err
		}, want: study.ErrStarted},
		"imported": {after: func(ctx context.Context, s *studytest.Stage, o *studytest.Service) error {
			return o.Import(ctx, id, "survey", s.Foreign(4))
		}, want: study.ErrStarted},
		"unreadable": {read: func(*choice.Catalogue, choice.Offer) (*choice.Tally, error) { return nil, broken }, want: broken},
		"empty": {read: func(c *choice.Catalogue, _ choice.Offer) (*choice.Tally, error) {
			return choice.NewTally(c.Len()), nil
		}, want: study.ErrInvalid, says: "at least one choice"},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Empty(t)
			settings := studytest.Three()
			if c.alter != nil {
				c.alter(&settings)
			}
			s.Create(id, settings, study.Draft)
			service := s.Service("one")
			if c.after != nil {
				s.Must(c.after(t.Context(), s, service))
			}
			read := c.read
			if read == nil {
				read = choices(s, 50)
			}
			_, err := service.SetPrior(t.Context(), id, owner.Any, read)
			if s.Wants(c.want, err); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if s.Study().Settings.Strategy.Prior != nil {
				t.Error("the study has a prior")
			}
		})
	}
}
