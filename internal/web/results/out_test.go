package results

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"bestpick/crowd"
	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
	"bestpick/internal/web/page"
	"bestpick/strategy"
)

// TestOutIsForGood: what the page marks as out stays out at every later look, whichever option leads then. The crowd changes
// its taste, so that the leader changes when options are out; by majority one of those leads in the end, and is not named. With a fallback the answers refute the model, and the majority
// chooses an option that is far behind under the model. Of the three best options none is out because one is better.
func TestOutIsForGood(t *testing.T) {
	majority, linear := studytest.Three(), studytest.Three()
	majority.PerRespondent, majority.Picks = 6, 4
	majority.Strategy.Assume, majority.Strategy.Epsilon, majority.Strategy.K,
		majority.Strategy.Delta = strategy.Majority, 0.01, 5, 0.2
	three, fallback := linear, linear
	three.Strategy.Top = 3
	fallback.PerRespondent, fallback.Strategy.Fallback = 6, 0.25
	for name, c := range map[string]struct {
		settings study.Settings
		turn     int // people with the first taste, in which a2 is best and not a3
		near     int // an option whose utility is by a lead above the largest one once the taste has changed; 0 for none
		lead     float64
		end      int // people
		ends     study.Reason
		leaders  int // at least, since an option is out
	}{
		"majority": {majority, 40, 5, 4, 200, study.Cyclic, 2},
		"linear":   {linear, 10, 0, 0, 20, "", 2},
		"three":    {three, 200, 0, 0, 200, study.Certified, 0},
		"fallback": {fallback, 20, 7, 2, 150, study.Certified, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, c.settings)
			service := s.Service("one")
			planner := service.Planner(studytest.ID)
			site := page.New(nil, nil, s.Clock, page.Options{})
			pages := &Pages{Site: site, Overview: service.Reader, Live: service.Live}
			rng := rand.New(rand.NewPCG(3, 3))
			var out, leaders []string
			s.Step(planner)
			for person := 0; person < c.end && s.Study().State != study.Done; person++ {
				likes := [][]float64{{-0.3, -4}, {-1.4, -3.8}}[min(person/c.turn, 1)]
				taste := &crowd.Person{Rng: rng}
				for arm := range s.Arms.Len() {
					taste.Utilities = append(taste.Utilities, s.Arms.Utility(arm, likes))
				}
				if c.near > 0 && person >= c.turn {
					taste.Utilities[c.near] = slices.Max(taste.Utilities) + c.lead
				}
				s.Crowd = taste
				for range 6 {
					s.Answer(service, fmt.Sprint("person ", person))
				}
				s.Pass(11 * time.Second)
				s.Step(planner)
				progress, err := service.Progress(t.Context(), studytest.ID)
				s.Must(err)
				v := View{OwnerView: page.OwnerView{Words: site.WordsIn(&http.Request{}, "en")}}
				s.Must(pages.setProgress(t.Context(), &v, progress))
				s.Must(pages.addCharts(t.Context(), &v, time.Minute))
				for _, row := range v.Ranking() {
					switch isOut := row.Standing == standingOut; {
					case !isOut && slices.Contains(out, row.ID):
						t.Fatalf("after %d people %s is %q, and was out before", person+1, row.ID, row.Standing)
					case isOut && !slices.Contains(out, row.ID):
						out = append(out, row.ID)
					}
				}
				if leader := v.Facts().Leader; len(out) > 0 && !slices.Contains(leaders, leader) {
					leaders = append(leaders, leader)
				}
			}
			if reason := s.Study().Reason; reason != c.ends || len(leaders) < c.leaders {
				t.Errorf("the study ends %q with %v out; after the first of them %v lead", reason, out, leaders)
			}
		})
	}
}
