package replay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
)

// TestReports: when a budget is spent, or the owner stops a study, the verdict has the smallest certified ε
// and a leaderboard that counts all answers. Replay, after a restart too, and a verified export agree.
func TestReports(t *testing.T) {
	for _, reason := range []study.Reason{study.Spent, study.Stopped} {
		t.Run(string(reason), func(t *testing.T) {
			settings := studytest.Three()
			if reason == study.Spent {
				settings.Budget = 40
			}
			s := studytest.Begin(t, settings)
			s.Prefers(0.6, 0.3)
			service := s.Service("one")
			s.Work(service, service.Planner(id), 4, 8)
			if v := s.Agreed(); v.Leaderboard == nil || v.Leaderboard.Answers < 10 || v.CertifiedEpsilon != nil {
				t.Errorf("before the end: %+v", v)
			}
			s.Crash()
			service = s.Service("two")
			planner := service.Planner(id)
			s.Work(service, planner, 1, 8)
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.Must(err)
			}
			s.Pass(time.Minute)
			s.Finish(planner)
			v := s.Agreed()
			if st := s.Study(); st.Reason != reason || v.Status != "asking" || v.Answered != 40 {
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
	settings := studytest.Three()
	settings.Strategy.Top, settings.Strategy.Epsilon = 2, 0.5
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	for round := 0; s.Step(planner) && round < 100; round++ {
		for i := range 8 {
			lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
			if err != nil {
				break
			}
			s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
		}
		s.Pass(11 * time.Second)
	}
	v := s.Agreed()
	if v.Status != "certified" || len(v.Top) != 2 {
		t.Fatalf("%+v", v)
	}
	for arm := range s.Arms.Len() {
		for _, best := range v.Top {
			if !slices.Contains(v.Top, arm) && s.Arms.Utility(arm, s.Theta) > s.Arms.Utility(best, s.Theta)+0.5 {
				t.Errorf("arm %d is better than one of %v", arm, v.Top)
			}
		}
	}
	progress, err := service.Progress(t.Context(), id)
	s.Must(err)
	if e := progress.Elimination(s.Arms); e.Rivals != 0 || e.Eliminated != 6 {
		t.Errorf("%+v", e)
	}
}
