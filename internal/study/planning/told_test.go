package planning_test

import (
	"errors"
	"fmt"
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
		_, err := service.AddArms(ctx, id, owner.Any, m.WithArm(fmt.Sprint("new ", m.Arms.Len()), float64(draw("x", 3)), float64(draw("y", 3))))
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
