package dispatch_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/answers"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// TestOffersLive: under every offer, none, ties and the worst arm are recorded, counted, replayed, verified and
// exported, also after a crash; answers that are not offered are refused.
func TestOffersLive(t *testing.T) {
	for name, c := range map[string]struct {
		offer  choice.Offer
		assume strategy.Assumption
	}{
		"outside":        {choice.Offer{Outside: true}, strategy.Linear},
		"best-worst":     {choice.Offer{BestWorst: true}, strategy.Linear},
		"ties":           {choice.Offer{Ties: true}, strategy.Linear},
		"all, majority":  {choice.Offer{Outside: true, BestWorst: true, Ties: true}, strategy.Majority},
		"all, by linear": {choice.Offer{Outside: true, BestWorst: true, Ties: true}, strategy.Linear},
	} {
		t.Run(name, func(t *testing.T) {
			settings := studytest.Three()
			settings.Strategy.Offer, settings.Strategy.Assume, settings.Strategy.Epsilon = c.offer, c.assume, 0.2
			settings.Strategy.Delta = 1e-9 // so that the study does not end
			settings.PerRespondent = 1
			s := studytest.Begin(t, settings)
			utility := func(arm int) float64 { return s.Arms.Utility(arm, []float64{1, 0.5}) }
			people := crowd.NewOffered(c.offer, crowd.Constants{Outside: -1, Tie: -1}, utility, rand.New(rand.NewPCG(1, 2)))
			service := s.Service("one")
			planner := service.Planner(id)
			for round := range 8 {
				s.Step(planner)
				for i := range 8 {
					lease := s.Ask(service, fmt.Sprint("r", round, "-", i))
					refusesOthers(s, service, lease, c.offer)
					s.Must(service.Answer(t.Context(), id, lease.Token, slices.Clone(people.Pick(lease.Shown, 1))))
				}
				s.Pass(11 * time.Second)
			}
			s.Step(planner)
			s.Crash()
			verdict := s.Agreed()
			if verdict.Answered != 64 {
				t.Errorf("%d answers are counted, want 64", verdict.Answered)
			}
			if offered := c.offer.Outside && c.assume == strategy.Linear; verdict.Outside.Offered != offered {
				t.Errorf("outside: %+v", verdict.Outside)
			}
			overview, err := s.Service("two").Overview(t.Context(), id)
			s.Must(err)
			if overview.Fitted == 0 {
				t.Error("nothing is estimated")
			}
			exportsKinds(s, c.offer)
		})
	}
}

// refusesOthers checks that answers that are not offered are refused.
func refusesOthers(s *studytest.Stage, service *studytest.Service, lease dispatch.Lease, o choice.Offer) {
	s.Helper()
	wrong := [][]int{{study.None, 0}, {0, study.Tie}, {0, 1, 2}, nil, {-3}}
	if !o.Outside {
		wrong = append(wrong, []int{study.None})
	}
	if !o.Ties {
		wrong = append(wrong, []int{study.Tie})
	}
	if o.BestWorst && len(lease.Shown) > 2 {
		wrong = append(wrong, []int{0}, []int{1, 1})
	}
	for _, picks := range wrong {
		if err := service.Answer(s.Context(), id, lease.Token, picks); !errors.Is(err, study.ErrInvalid) {
			s.Errorf("picks %v are accepted: %v", picks, err)
		}
	}
}

// exportsKinds checks that the exported answers are those of the log.
func exportsKinds(s *studytest.Stage, o choice.Offer) {
	s.Helper()
	want := map[string]int{}
	for _, out := range s.Outcomes() {
		if out.Kind != study.Answered {
			continue
		}
		switch out.Picks[0] {
		case study.None:
			want[answers.None]++
		case study.Tie:
			want[answers.Tie]++
		default:
			want["answered"]++
		}
	}
	if o.Outside && want[answers.None] == 0 || o.Ties && want[answers.Tie] == 0 {
		s.Errorf("the crowd answers %v", want)
	}
	file, err := s.Service("three").Parts.Overview.ExportAnswers(s.Context(), id, "csv")
	s.Must(err)
	var text bytes.Buffer
	s.Must(file.Write(io.Writer(&text)))
	for kind, count := range want {
		if got := strings.Count(text.String(), ","+kind+","); got != count {
			s.Errorf("%d rows are %s, want %d", got, kind, count)
		}
	}
}

// TestOfferedImports: answers cannot be imported where a file could not say all of them.
func TestOfferedImports(t *testing.T) {
	for name, c := range map[string]struct {
		offer   choice.Offer
		refused bool
	}{
		"none": {choice.Offer{Outside: true}, true}, "ties": {choice.Offer{Ties: true}, true},
		"best-worst": {choice.Offer{BestWorst: true}, false},
	} {
		settings := studytest.Three()
		settings.Strategy.Offer = c.offer
		s := studytest.Begin(t, settings)
		err := s.Service("one").Import(t.Context(), id, "batch", s.Foreign(5))
		if errors.Is(err, study.ErrInvalid) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
