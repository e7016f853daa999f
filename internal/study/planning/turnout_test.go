package planning_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// TestLeastPeople tests that a study goes on asking, and its verdict stays open, until enough people have
// answered on enough days, although its strategy has stopped. Replays and exports agree, also after skips, lost
// questions, an erasure and a crash.
func TestLeastPeople(t *testing.T) {
	const people, days = 40, 3
	for name, settings := range map[string]study.Settings{"majority": byMajority(8), "linear": studytest.Limited(8)} {
		t.Run(name, func(t *testing.T) {
			settings.Strategy.Delta, settings.Strategy.Epsilon = 0.4, 0.4 // a few people suffice
			answerAll := func(least, leastDays int) (answered, passed int) {
				settings.LeastPeople, settings.LeastDays = least, leastDays
				s := studytest.Begin(t, settings)
				s.Prefers(20, 10)
				service := s.Service("one")
				planner := service.Planner(id)
				for s.Step(planner) && s.Study().State == study.Open {
					if answered%6 == 5 {
						if v := s.Agreed(); v.Status != strategy.Asking.String() {
							t.Fatalf("after %d people the verdict is %s", answered, v.Status)
						}
					}
					who := fmt.Sprint("r", answered)
					for range 6 {
						s.Answer(service, who)
					}
					s.Must(service.Skip(t.Context(), id, s.Ask(service, who).Token))
					s.Ask(service, who) // is lost
					answered++
					s.Pass(study.HandIdle + 11*time.Second)
					switch {
					case answered == 10:
						s.Pass(24 * time.Hour)
						passed++
					case answered == 30 && least > 0:
						s.Erase(service, "r3")
						s.Crash()
						service = s.Service("one")
						planner = service.Planner(id)
					case answered > people:
						s.Pass(24 * time.Hour)
						passed++
					}
					if answered > 2*people {
						t.Fatal("the study does not end")
					}
				}
				if st, v := s.Study(), s.Agreed(); st.Reason != study.Certified || v.Status != strategy.Certified.String() {
					t.Errorf("the study is %s with the verdict %s", st.Reason, v.Status)
				}
				return answered, passed
			}
			if answered, _ := answerAll(0, 0); answered >= people/2 {
				t.Fatalf("without a minimum, %d people are needed", answered)
			}
			if answered, _ := answerAll(people, 0); answered < people || answered > people+2 {
				t.Errorf("%d people, want %d, and one who was erased", answered, people)
			}
			if _, passed := answerAll(0, days); passed < days-1 {
				t.Errorf("answers on %d days, want %d", passed+1, days)
			}
		})
	}
}

// TestClosingCountsNothing tests that closing a study, a budget and a deadline that are set while it is open
// change nothing about its evidence: the same answers lead to the same verdict.
func TestClosingCountsNothing(t *testing.T) {
	change := func(s *studytest.Stage, service *studytest.Service, edit func(*study.Settings)) {
		t.Helper()
		_, err := service.Change(t.Context(), id, s.Study().Version, func(st *study.Study) error {
			edit(&st.Settings)
			return nil
		})
		s.Must(err)
	}
	verdicts := map[string]study.Verdict{}
	for name, end := range map[string]func(*studytest.Stage, *studytest.Service){
		"goes on": func(*studytest.Stage, *studytest.Service) {},
		"closed": func(s *studytest.Stage, service *studytest.Service) {
			_, err := service.SetState(t.Context(), id, s.Study().Version, study.Done)
			s.Must(err)
		},
		"budget": func(s *studytest.Stage, service *studytest.Service) {
			change(s, service, func(settings *study.Settings) { settings.Budget = 3 })
		},
		"deadline": func(s *studytest.Stage, service *studytest.Service) {
			change(s, service, func(settings *study.Settings) { settings.Deadline = s.Clock().Add(5 * time.Second) })
		},
	} {
		s := studytest.Begin(t, byMajority(5))
		service := s.Service("one")
		planner := service.Planner(id)
		s.Step(planner)
		for i := range 12 { // finish, or leave after two answers
			for range 2 + i%2*3 {
				s.Answer(service, fmt.Sprint("r", i))
			}
			s.Step(planner)
		}
		end(s, service)
		s.Pass(11 * time.Second)
		s.Step(planner)
		v := s.Agreed()
		v.Ended, v.Settings, v.Digest, v.Catalogue = false, "", "", ""
		if v.Respondents != 6 || v.Answering != 6 {
			t.Errorf("%s: %d people are complete, and %d are answering", name, v.Respondents, v.Answering)
		}
		verdicts[name] = v
	}
	for name, v := range verdicts {
		if !reflect.DeepEqual(v, verdicts["goes on"]) {
			t.Errorf("%s: %+v, want %+v", name, v, verdicts["goes on"])
		}
	}
}
