package replay_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"bestpick/checks"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// terms are settings of a study whose budget is never reached.
func terms() study.Settings {
	settings := studytest.Three()
	settings.Budget, settings.PerRespondent = 500, 400
	return settings
}

// peopled are terms with majority evidence that soon suffices.
func peopled() study.Settings {
	settings := terms()
	settings.PerRespondent = 4
	settings.Strategy.Assume, settings.Strategy.Epsilon, settings.Strategy.Delta = strategy.Majority, 1, 0.4
	settings.Strategy.Fakes = 1
	settings.Rules = checks.Rules{Reading: 1, Network: 2, Straight: true}
	return settings
}

// crowded lets three people of one network answer two questions each, the second one too fast. The third person is
// beyond the limit of [peopled].
func crowded(s *studytest.Stage, service *studytest.Service, planner *planning.Planner) {
	s.Helper()
	ctx := middleware.WithAddress(s.Context(), netip.MustParseAddr("192.0.2.7"))
	for _, who := range []string{"x1", "x2", "x3"} {
		s.Step(planner)
		for _, took := range []time.Duration{2 * time.Second, time.Second / 10} {
			lease, err := service.Ask(ctx, id, who, "")
			s.Must(err)
			s.Pass(took)
			s.Must(service.Answer(ctx, id, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
		}
	}
}

// informed are terms with a prior about the features of labelled arms.
func informed() study.Settings {
	settings := terms()
	settings.Strategy.Prior = &racing.Prior{
		Score:       []float64{3, 0.1, 0, -0.25},
		Information: []float64{2, 0.5, 0, 0, 1, 0, 0.1, 1, 0, 1}, Picks: 9,
	}
	return settings
}

// labelled creates an open study of five arms with labels and descriptions.
func labelled(t *testing.T, settings study.Settings) *studytest.Stage {
	t.Helper()
	s := studytest.Empty(t)
	const arms = "id,label,description,x,y,colour\na,Atlas,A tall one,1.5,0.5,red\nb,Brook,A flat one,-1,0.25,blue\nc,Comet,,0.25,-1,red\nd,Drift,A loud one,-0.5,-0.5,blue\ne,Ember,<b>,0.5,0.75,green\n"
	table, err := read.Table(strings.NewReader(arms), "arms.csv", catalogue.Options{})
	s.Must(err)
	encoded, err := archive.Encode(table, 0)
	s.Must(err)
	s.Saved, s.Arms = &encoded.Catalogue, encoded.Arms
	prefersX(s)
	s.Create(id, settings, study.Open)
	return s
}

// prefersX sets a crowd that prefers arms by their first feature.
func prefersX(s *studytest.Stage) {
	theta := make([]float64, s.Arms.Dim())
	theta[0] = 8
	s.Prefers(theta...)
}

// eventful runs a labelled study with every kind of event that a log can have, until it has a
// number of answers: an undo, a skip, a lost question, an added and a withdrawn arm, and without a
// prior an import.
func eventful(s *studytest.Stage, service *studytest.Service, planner *planning.Planner, answers int) {
	s.Helper()
	s.Step(planner)
	s.Must(service.Skip(s.Context(), id, s.Ask(service, "anna").Token))
	for range 2 {
		lease := s.Ask(service, "ben")
		s.Must(service.Answer(s.Context(), id, lease.Token, []int{0}))
		s.Must(service.Undo(s.Context(), id, lease.Token))
	}
	s.Step(planner)
	s.Ask(service, "cleo") // and never answers
	s.Answer(service, "anna")
	s.Pass(2 * time.Minute)
	s.Step(planner)
	if s.Study().Settings.Strategy.Prior == nil {
		s.Must(service.Import(s.Context(), id, "survey", s.Foreign(4)))
	}
	_, err := service.AddArms(s.Context(), id, owner.Any, func(saved *archive.Catalogue) (*archive.Catalogue, error) {
		const more = "id,label,description,x,y,colour\nf,Flint,A late one,1,1,red\n"
		added, err := saved.Add(read.Upload{Name: "more.csv", Contents: strings.NewReader(more), Size: int64(len(more))},
			catalogue.Options{})
		if err != nil {
			return nil, err
		}
		s.Arms = added.Arms
		prefersX(s)
		return &added.Catalogue, nil
	})
	s.Must(err)
	_, err = service.Withdraw(s.Context(), id, owner.Any, "d")
	s.Must(err)
	goOn(s, service, planner, answers)
}

// goOn has respondents answer until a number of answers is counted, or the study is over. Where people are counted, each
// answers a hand.
func goOn(s *studytest.Stage, service *studytest.Service, planner *planning.Planner, answers int) {
	s.Helper()
	people, each, pause := 20, 1, 11*time.Second
	if settings := s.Study().Settings; settings.Strategy.CountsPeople() {
		people, each, pause = 1000, settings.HandSize(), study.HandIdle+11*time.Second
	}
	for round := 0; s.Step(planner) && s.Answered() < answers; round++ {
		if round > 200 {
			s.Fatal("the study does not end")
		}
		for i := range 8 * each {
			lease, err := service.Ask(s.Context(), id, fmt.Sprint("r", (8*round+i/each)%people), "")
			if errors.Is(err, study.ErrEnough) { // in an earlier call
				continue
			} else if errors.Is(err, study.ErrNoQuestion) {
				break
			}
			s.Must(err)
			s.Must(service.Answer(s.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, 1)))
		}
		s.Pass(pause)
	}
}

// certified runs an eventful study until it is certified. On the way a respondent may be erased,
// and the owner changes a setting. One outcome arrives too late to count.
func certified(t *testing.T, settings study.Settings, erase string) *studytest.Stage {
	t.Helper()
	s := labelled(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	eventful(s, service, planner, 12)
	if settings.Rules.Network > 0 {
		crowded(s, service, planner)
		_, err := service.Exclude(t.Context(), id, owner.Any, "x1")
		s.Must(err)
	}
	if erase != "" {
		s.Erase(service, erase)
	}
	_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
		st.Settings.Budget = 510
		return nil
	})
	s.Must(err)
	goOn(s, service, planner, 1000)
	if st := s.Study(); st.Reason != study.Certified {
		t.Fatalf("the study is %s, %s", st.State, st.Reason)
	}
	plans := s.Plans()
	last := plans[len(plans)-1]
	for p := last.First + study.Position(len(last.Questions)) - 1; p >= 0; p-- {
		refused, err := s.Store.Record(t.Context(), id, study.Terms{}, study.Outcome{Position: p, Kind: study.Lost, At: s.Clock()})
		if s.Must(err); refused[0] == nil {
			break
		}
	}
	return s
}
