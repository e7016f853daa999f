package study_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// TestReports: when a budget is spent, or the owner stops a study, the verdict has the smallest certified ε
// and a leaderboard that counts all answers. Replay, after a restart too, and a verified export agree.
func TestReports(t *testing.T) {
	for _, reason := range []study.Reason{study.Spent, study.Stopped} {
		t.Run(string(reason), func(t *testing.T) {
			settings := three()
			if reason == study.Spent {
				settings.Budget = 40
			}
			s := begin(t, settings)
			s.prefers(0.6, 0.3)
			service := s.service("one")
			s.run(service, service.Planner(id), 3, 8)
			if v := s.agreed(); v.Leaderboard == nil || v.Leaderboard.Answers < 10 || v.CertifiedEpsilon != nil {
				t.Errorf("before the end: %+v", v)
			}
			s.crash()
			service = s.service("two")
			planner := service.Planner(id)
			s.run(service, planner, 2, 8)
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.must(err)
			}
			s.pass(time.Minute)
			for s.step(planner) {
			}
			v := s.agreed()
			if st := s.study(); st.Reason != reason || v.Status != "asking" || v.Answered != 40 {
				t.Fatalf("the study is %s, %s, %s after %d answers", st.State, st.Reason, v.Status, v.Answered)
			}
			if v.CertifiedEpsilon == nil || !(*v.CertifiedEpsilon > 0) {
				t.Errorf("ε %v", v.CertifiedEpsilon)
			}
			if b := v.Leaderboard; b == nil || b.Answers != 40 || len(b.Ranks) != 8 {
				t.Errorf("the leaderboard is %+v", b)
			}
		})
	}
}

// TestStudyOfTop: a study of the two best arms ends with them, and counts only other arms as rivals.
func TestStudyOfTop(t *testing.T) {
	settings := three()
	settings.Strategy.Top, settings.Strategy.Epsilon = 2, 0.5
	s := begin(t, settings)
	service := s.service("one")
	planner := service.Planner(id)
	for round := 0; s.step(planner) && round < 100; round++ {
		for i := range 8 {
			lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
			if err != nil {
				break
			}
			s.must(service.Answer(t.Context(), id, lease.Token, s.crowd.Pick(lease.Shown, lease.Picks())))
		}
		s.pass(11 * time.Second)
	}
	v := s.agreed()
	if v.Status != "certified" || len(v.Top) != 2 {
		t.Fatalf("%+v", v)
	}
	for arm := range s.arms.Len() {
		for _, best := range v.Top {
			if !slices.Contains(v.Top, arm) && s.arms.Utility(arm, s.theta) > s.arms.Utility(best, s.theta)+0.5 {
				t.Errorf("arm %d is better than one of %v", arm, v.Top)
			}
		}
	}
	progress, err := service.Progress(t.Context(), id)
	s.must(err)
	if e := progress.Elimination(s.arms); e.Rivals != 0 || e.Eliminated != 6 {
		t.Errorf("%+v", e)
	}
}
