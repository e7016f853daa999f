package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestQuotaAttack: a hundred profiles without a question take no place. A hundred people with an open hand hold all
// places until their hands end; a person who was refused is then asked, and an answer that is too late is refused if
// others have the places.
func TestQuotaAttack(t *testing.T) {
	for name, settings := range map[string]study.Settings{
		"hands":     {PerRespondent: 2, Strategy: racing.Settings{K: 2, Assume: strategy.Majority}, Grace: time.Minute},
		"questions": {Strategy: racing.Settings{K: 2}, Grace: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, settings)
			setQuota(s, 50)
			planned(s, many(500)...)
			one, two := s.Service("one"), s.Service("two")
			admit := func(who string, answer string) error {
				_, err := one.Admit(t.Context(), id, dispatch.Who{Name: who}, false, map[string]string{"age": answer})
				return err
			}
			ask := func(p *studytest.Service, who string) (string, error) {
				lease, err := p.Ask(t.Context(), id, who, "")
				return lease.Token, err
			}
			robot := func(i int) (string, string) { return fmt.Sprint("robot ", i), []string{"young", "old"}[i%2] }
			for i := range 100 {
				s.Must(admit(robot(i)))
			}
			s.Must(admit("zoe", "young"))
			skipped, err := ask(one, "zoe")
			s.Must(err)
			s.Must(one.Skip(t.Context(), id, skipped))
			s.Wants(study.ErrConflict, one.Answer(t.Context(), id, skipped, []int{0}))
			s.Pass(study.HandIdle + time.Second) // the place was not kept

			s.Must(admit("anna", "young"))
			if _, err := ask(one, "anna"); err != nil {
				t.Fatalf("after a hundred profiles: %v", err)
			}
			var late []string
			for i := range 100 {
				who, _ := robot(i)
				if token, err := ask(two, who); err == nil {
					late = append(late, token)
				}
			}
			if len(late) != 99 {
				t.Errorf("%d robots are asked, want 99 beside anna", len(late))
			}
			s.Wants(study.ErrQuota, admit("ben", "young"))
			_, err = ask(one, "ben")
			s.Wants(study.ErrQuota, err)
			s.Pass(study.HandIdle + time.Second)
			for i := range 50 {
				who := fmt.Sprint("person ", i)
				s.Must(admit(who, "young"))
				token, err := ask(one, who)
				s.Must(err)
				s.Must(two.Answer(t.Context(), id, token, []int{0}))
			}
			s.Wants(study.ErrQuota, two.Answer(t.Context(), id, late[0], []int{0}))
			s.Pass(time.Hour)
			_, err = ask(one, "ben")
			s.Wants(study.ErrQuota, err)
			setQuota(s, 51)
			s.Pass(time.Second)
			if _, err = ask(one, "ben"); err != nil {
				t.Errorf("ben, with another place: %v", err)
			}
			progress, err := one.Progress(t.Context(), id)
			s.Must(err)
			want := study.Group{Question: "age", Answer: "young", Answered: 50, Reserved: 1, Quota: 51}
			if len(progress.Groups) != 2 || progress.Groups[0] != want {
				t.Errorf("%+v, want %+v first", progress.Groups, want)
			}
			s.Wants(study.ErrIneligible, admit("carl", "child"))
			_, err = ask(one, "carl")
			s.Wants(study.ErrIneligible, err)
		})
	}
}

// An impatient observer ends a request as soon as its answer is recorded.
type impatient struct {
	study.Observer

	leave context.CancelFunc
}

func (o *impatient) Recorded(study.Kind) { o.leave() }

// TestPlaceIsKeptByTheGone: a person who is gone before the reply to their first answer keeps their place, as it counts.
func TestPlaceIsKeptByTheGone(t *testing.T) {
	s := studytest.Begin(t, study.Settings{Strategy: racing.Settings{K: 2}, Grace: time.Minute})
	setQuota(s, 1)
	planned(s, many(9)...)
	ctx, leave := context.WithCancel(t.Context())
	service := s.ServiceOn(s.Store, wiring.Options{Name: "one", Clock: s.Clock, Observer: &impatient{leave: leave}})
	admit := func(who string) error {
		_, err := service.Admit(t.Context(), id, dispatch.Who{Name: who}, false, map[string]string{"age": "old"})
		return err
	}
	s.Must(admit("anna"))
	lease, err := service.Ask(t.Context(), id, "anna", "")
	s.Must(err)
	s.Must(service.Answer(ctx, id, lease.Token, []int{0}))
	s.Pass(study.HandIdle + time.Second)
	s.Wants(study.ErrQuota, admit("ben"))
}

// setQuota gives a study a profile question with a number of places for young and for old people.
func setQuota(s *studytest.Stage, quota int) {
	st := s.Study()
	st.Profile = []study.ProfileQuestion{{Name: "age", Text: "How old are you?", Choices: []study.ProfileChoice{
		{Text: "young", Quota: quota},
		{Text: "old", Quota: quota},
		{Text: "child", Excluded: true},
	}}}
	s.Must(st.CheckProfile())
	_, err := s.Store.Change(s.Context(), st, st.Version, nil)
	s.Must(err)
}

// TestProfileDecidesSegment: another segment than that of the profile is refused, in a request and in a later one.
func TestProfileDecidesSegment(t *testing.T) {
	settings := study.Settings{Strategy: racing.Settings{K: 2, Assume: strategy.Majority}, PerRespondent: 2}
	for _, name := range []string{"young", "old"} {
		settings.Strategy.Model.Segments = append(settings.Strategy.Model.Segments, racing.Segment{Name: name, Share: 1})
	}
	s := studytest.Begin(t, settings)
	st := s.Study()
	st.Profile = []study.ProfileQuestion{{
		Name: "age", Text: "How old are you?", Segment: true, Choices: []study.ProfileChoice{{Text: "young"}, {Text: "old"}},
	}}
	_, err := s.Store.Change(t.Context(), st, st.Version, nil)
	s.Must(err)
	planned(s, many(20)...)
	service := s.Service("one")
	_, err = service.Admit(t.Context(), id, dispatch.Who{Name: "anna"}, false, map[string]string{"age": "old"})
	s.Must(err)
	_, err = service.Ask(t.Context(), id, "anna", "young")
	if e := study.Coded(err); e.Code != study.CodeInvalid || !strings.Contains(e.Message, "profile") {
		t.Errorf("another segment: %v", err)
	}
	lease, err := service.Ask(t.Context(), id, "anna", "")
	s.Must(err)
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	outcomes := s.Outcomes()
	if last := outcomes[len(outcomes)-1]; last.Segment != "old" {
		t.Errorf("the answer is of segment %q", last.Segment)
	}
}

// A writtenStore counts the profiles that are written.
type writtenStore struct {
	study.Store

	profiles int
}

func (w *writtenStore) Admit(ctx context.Context, id, respondent string, answers map[string]string) error {
	w.profiles++
	return w.Store.Admit(ctx, id, respondent, answers)
}

// TestOneProfile: before the first question a person's profile is written once, in the answers of the first request, also if
// it makes them ineligible. Every request counts in the respondent's rate. None is written without a name, with a wrong
// answer, and after the deadline, even before a planner has ended the study.
func TestOneProfile(t *testing.T) {
	s := studytest.Begin(t, study.Settings{
		PerRespondent: 2, Strategy: racing.Settings{K: 2, Assume: strategy.Majority},
		Deadline: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC),
	})
	setQuota(s, 50)
	planned(s, many(500)...)
	store := &writtenStore{Store: s.Store}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock, Limiter: middleware.NewLimiter(1, 5)})
	admit := func(who, answer string) error {
		_, err := service.Admit(t.Context(), id, dispatch.Who{Name: who}, false, map[string]string{"age": answer})
		return err
	}
	for _, answer := range []string{"young", "young", "old", "child", "nonsense"} {
		s.Must(admit("anna", answer))
	}
	if err := admit("anna", "young"); study.Coded(err).Code != study.CodeTooMany {
		t.Errorf("the sixth profile within a second: %v", err)
	}
	for range 3 {
		s.Wants(study.ErrIneligible, admit("carl", "child"))
	}
	s.Wants(study.ErrIneligible, admit("carl", "old"))
	for who, answer := range map[string]string{"": "young", "dora": "nonsense"} {
		if err := admit(who, answer); study.Coded(err).Code != study.CodeInvalid {
			t.Errorf("%q says %q: %v", who, answer, err)
		}
	}
	s.Pass(24 * time.Hour)
	if err := admit("emil", "old"); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("after the deadline: %v", err)
	}
	profiles, err := s.Store.Profiles(t.Context(), id, "", 10)
	s.Must(err)
	if store.profiles != 2 || len(profiles) != 2 || profiles[0].Answers["age"] != "young" || profiles[1].Answers["age"] != "child" {
		t.Errorf("%d profiles were written: %+v", store.profiles, profiles)
	}
}
