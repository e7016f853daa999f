package planning_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// A muddle is a study with random actions of respondents and processes.
type muddle struct {
	*studytest.Stage

	services []*studytest.Service
	planners []*planning.Planner
	leases   []dispatch.Lease
	batches  int
	slice    int           // maximum number of outcomes that one plan counts
	pace     time.Duration // of the clock
}

// do runs a random action.
func (m *muddle) do(draw func(string, int) int) {
	service := m.services[draw("service", 2)]
	lease := func() string {
		if len(m.leases) == 0 {
			return ""
		}
		return m.leases[max(0, len(m.leases)-1-draw("lease", 4))].Token
	}
	ctx := m.Context()
	switch draw("what", 12) {
	case 0, 1, 2:
		lease, err := service.Ask(ctx, id, fmt.Sprint("r", draw("respondent", 3)), "")
		if err == nil {
			m.leases = append(m.leases, lease)
		} else if !errors.Is(err, study.ErrNoQuestion) && !errors.Is(err, study.ErrEnough) {
			m.Fatal(err)
		}
	case 3, 4, 5:
		_ = service.Answer(ctx, id, lease(), []int{draw("pick", 3)})
	case 6:
		_ = service.Undo(ctx, id, lease())
	case 7:
		_ = service.Skip(ctx, id, lease())
	case 8:
		m.Pass(time.Duration(draw("seconds", 40)) * m.pace)
	case 9, 10:
		if _, err := m.planners[draw("planner", 2)].Step(ctx); err != nil {
			m.Fatal(err)
		}
	case 11:
		m.happens(service, draw)
	}
}

// happens runs a rare action.
func (m *muddle) happens(service *studytest.Service, draw func(string, int) int) {
	ctx := m.Context()
	switch draw("rare", 5) {
	case 0:
		m.batches++
		m.Must(service.Import(ctx, id, strconv.Itoa(m.batches), m.Foreign(1+draw("answers", 3))))
	case 1:
		_, err := service.Withdraw(ctx, id, owner.Any, m.Arms.ID(draw("arm", m.Arms.Len())))
		if err != nil && !errors.Is(err, study.ErrInvalid) {
			m.Fatal(err)
		}
	case 2:
		_, err := service.AddArms(ctx, id, owner.Any,
			m.WithArm(fmt.Sprint("new ", m.Arms.Len()), float64(draw("x", 3)), float64(draw("y", 3))))
		m.Must(err)
	case 3:
		m.Crash()
		m.start()
	case 4:
		m.Erase(service, fmt.Sprint("r", draw("erased", 3)))
		m.Agreed()
	}
}

// start starts processes.
func (m *muddle) start() {
	m.services, m.planners = nil, nil
	for _, name := range []string{"one", "two"} {
		service := slicing(m.Stage, m.Store, name, m.slice)
		m.services, m.planners = append(m.services, service), append(m.planners, service.Planner(id))
	}
}

// TestEverythingIsToldOnce: for random actions of respondents and processes, every standing answer
// is counted exactly once, no plan that knows of a withdrawal asks about the withdrawn arm, and the
// log leads to the verdict.
func TestEverythingIsToldOnce(t *testing.T) { everythingIsToldOnce(t, studytest.Three(), time.Second) }

// TestEverythingIsToldOnceByMajority: the same where people are counted and sessions end.
func TestEverythingIsToldOnceByMajority(t *testing.T) {
	everythingIsToldOnce(t, byMajority(4), time.Minute)
}

func everythingIsToldOnce(t *testing.T, settings study.Settings, pace time.Duration) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		m := &muddle{Stage: studytest.Begin(t, settings), slice: rapid.SampledFrom([]int{1, 2, 5, 100}).Draw(rt, "slice"), pace: pace}
		defer func() { m.Must(m.Store.Close()) }()
		m.start()
		draw := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
		for range rapid.IntRange(0, 60).Draw(rt, "events") {
			m.do(draw)
		}
		_, err := m.services[0].SetState(t.Context(), id, owner.Any, study.Done)
		m.Must(err)
		m.Pass(time.Minute)
		for i := 0; m.Step(m.planners[0]); i++ {
			if i > 5+len(m.Outcomes()) {
				rt.Fatal("the study never ends")
			}
		}
		stand, imported := map[study.Position]bool{}, 0
		for _, o := range m.Outcomes() {
			switch o.Kind { //nolint:exhaustive // other kinds are no answers
			case study.Answered:
				stand[o.Position] = true
			case study.Undone:
				delete(stand, o.Position)
			case study.Imported:
				imported++
			case study.Skipped, study.Lost, study.Erased:
			}
		}
		if verdict := m.Agreed(); verdict.Answered != len(stand)+imported {
			rt.Errorf("%d answers stand, %d were imported, %d are counted", len(stand), imported, verdict.Answered)
		}
		var withdrawn []int
		sliced(m.Stage, int64(m.slice))
		for _, p := range m.Plans() {
			if slices.ContainsFunc(p.Withdrawn, func(arm int) bool { return slices.Contains(withdrawn, arm) }) {
				rt.Errorf("plan %d withdraws %v, after %v", p.Number, p.Withdrawn, withdrawn)
			}
			withdrawn = append(withdrawn, p.Withdrawn...)
			for _, q := range p.Questions {
				if slices.ContainsFunc(q, func(arm int) bool { return slices.Contains(withdrawn, arm) }) {
					rt.Errorf("plan %d asks %v, but %v are withdrawn", p.Number, q, withdrawn)
				}
			}
		}
		if m.Failed() {
			rt.FailNow()
		}
	})
}

// TestLeastPeople tests that a study goes on asking, and its verdict stays open, until enough people have
// answered on enough days, although its strategy has stopped. Replays and exports agree, also after skips, lost
// questions, an erasure and a crash.
func TestLeastPeople(t *testing.T) {
	const people, days = 24, 3
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
					if answered%8 == 7 {
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
					case answered == 18 && least > 0:
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
