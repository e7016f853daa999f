package planning_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// byMajority are settings with majority evidence and a limit of questions per respondent.
func byMajority(each int) study.Settings {
	settings := studytest.Limited(each)
	settings.Strategy.Assume, settings.Strategy.Epsilon = strategy.Majority, 0.2
	return settings
}

// complete checks how many respondents are complete, as of the last plan.
func complete(s *studytest.Stage, what string, want int) {
	s.Helper()
	if v := s.Agreed(); v.Respondents != want || v.Assumption != strategy.Majority {
		s.Errorf("%s: %d respondents are complete, want %d: %+v", what, v.Respondents, want, v)
	}
}

// TestRespondentIsComplete tests when the answers of a respondent count: after their last question, or
// when their session is over, also if nothing else happens. An idle study writes no plan.
func TestRespondentIsComplete(t *testing.T) {
	s := studytest.Begin(t, byMajority(3))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	s.Answer(service, "anna")
	s.Must(service.Skip(t.Context(), id, s.Ask(service, "anna").Token))
	s.Answer(service, "ben")
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "two questions", 0)
	s.Answer(service, "anna")
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "three questions", 1)
	s.Pass(study.MinSession - 20*time.Second)
	plans := len(s.Plans())
	s.Step(planner)
	complete(s, "before the end of the session", 1)
	if len(s.Plans()) != plans {
		t.Error("a step without an event writes a plan")
	}
	s.Pass(30 * time.Second)
	s.Step(planner)
	complete(s, "after the end of the session", 2)
	if plans++; len(s.Plans()) != plans {
		t.Errorf("%d plans, want %d", len(s.Plans()), plans)
	}
	s.Answer(service, "ben")
	s.Pass(study.MinSession + time.Minute)
	s.Step(planner)
	complete(s, "a late answer", 2)
	if v := s.Agreed(); v.Answered != 4 {
		t.Errorf("%d answers are counted, want 4", v.Answered)
	}
}

// TestSessionsByTheLog tests that an answer after the end of a session is late even if one plan counts
// the whole log, and that an answer within it is not, however late the plan is.
func TestSessionsByTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		pause    time.Duration
		complete int // once both answers are counted, before the plan ends sessions
	}{"within": {study.MinSession, 0}, "after": {study.MinSession + time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, byMajority(study.NoLimit))
			catalogue, err := s.Store.Catalogue(t.Context(), id)
			s.Must(err)
			st := s.Study()
			r, err := replay.New(st, catalogue)
			s.Must(err)
			s.Must(r.Follow(st, &study.Plan{Number: 1}))
			questions, err := r.Ask(2)
			s.Must(err)
			var log []study.Outcome
			for i, q := range questions {
				log = append(log, study.Outcome{
					Number: int64(i + 1), Position: study.Position(i), Kind: study.Answered, Shown: q, Picks: []int{0}, Respondent: "anna", At: s.Clock(),
				})
				s.Pass(c.pause)
			}
			s.Pass(24 * time.Hour)
			_, err = r.Count(st, replay.Slice{Log: log}, s.Clock(), func() error { return nil })
			s.Must(err)
			if v := r.Verdict(); v.Answered != 2 || v.Respondents != c.complete {
				t.Errorf("%d answers are counted, %d respondents are complete, want %d", v.Answered, v.Respondents, c.complete)
			}
			ended, err := r.EndSessions(st, s.Clock(), false, false)
			if err != nil || ended != 1-c.complete || r.Verdict().Respondents != 1 {
				t.Errorf("%d sessions end, %d respondents are complete, %v", ended, r.Verdict().Respondents, err)
			}
		})
	}
}

// TestUndoneIsNotSettled tests that an answer that was taken back does not complete a respondent.
func TestUndoneIsNotSettled(t *testing.T) {
	s := studytest.Begin(t, byMajority(2))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	lease := s.Ask(service, "anna")
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	s.Must(service.Undo(t.Context(), id, lease.Token))
	s.Answer(service, "anna")
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "one of two", 0)
	s.Answer(service, "anna")
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "two", 1)
}

// TestEndCompletes tests that all respondents are complete when the budget is spent or the deadline
// has passed, and none because the owner stops the study.
func TestEndCompletes(t *testing.T) {
	for reason, want := range map[study.Reason]int{study.Spent: 3, study.Expired: 3, study.Stopped: 0} {
		t.Run(string(reason), func(t *testing.T) {
			settings := byMajority(study.NoLimit)
			if reason == study.Spent {
				settings.Budget = 6
			}
			if reason == study.Expired {
				settings = until(settings, time.Second)
			}
			s := studytest.Begin(t, settings)
			service := s.Service("one")
			planner := service.Planner(id)
			s.Step(planner)
			for i := range 6 {
				s.Answer(service, fmt.Sprint("r", i%3))
			}
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.Must(err)
			}
			s.Pass(2 * study.MinSession)
			s.Finish(planner)
			if st := s.Study(); st.Reason != reason {
				t.Fatalf("the study is %s, %s", st.State, st.Reason)
			}
			complete(s, "at the end", want)
			s.Erase(service, "r0")
			complete(s, "without r0", max(0, want-1))
		})
	}
}

// TestAnonymous tests that each answer without a name is a respondent, and that imported answers are
// none.
func TestAnonymous(t *testing.T) {
	s := studytest.Begin(t, byMajority(2))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	claim, err := s.Store.Claim(t.Context(), id, 2, s.Clock())
	s.Must(err)
	for i := range claim.Questions {
		refused, err := s.Store.Record(t.Context(), id, study.NoLimit, study.Outcome{
			Position: claim.First + study.Position(i), Kind: study.Answered, Shown: claim.Questions[i], Picks: []int{0}, Plan: 1, Asked: s.Clock(), At: s.Clock(),
		})
		s.Must(err)
		s.Must(refused[0])
	}
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(20)))
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "two without a name", 2)
	s.Pass(2 * study.MinSession)
	s.Step(planner)
	complete(s, "imported answers", 2)
}

// TestSmallestEach tests that a respondent is complete after the smallest limit that the study has
// had, also when all answers are counted again.
func TestSmallestEach(t *testing.T) {
	s := studytest.Begin(t, byMajority(4))
	service := s.Service("one")
	planner := service.Planner(id)
	limit := func(each int) {
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.PerRespondent = each; return nil })
		s.Must(err)
		s.Step(planner)
	}
	s.Step(planner)
	s.Answer(service, "eve")
	limit(2)
	limit(5)
	limit(study.NoLimit)
	for range 2 {
		s.Answer(service, "anna")
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "after two", 1)
	s.Answer(service, "anna")
	s.Pass(11 * time.Second)
	s.Step(planner)
	s.Erase(service, "eve")
	s.Step(planner)
	complete(s, "counted again", 1)
	if got := s.Agreed().Sessions; got == nil || got.PerRespondent != 2 || got.Length != study.MinSession {
		t.Errorf("the rule is %+v", got)
	}
}

// TestMajorityStudy runs studies to their ends with two planners, crashes and an erasure, under both
// assumptions that count people. Logs, snapshots and exports lead to the same verdict.
func TestMajorityStudy(t *testing.T) {
	fallback := studytest.Three()
	fallback.PerRespondent, fallback.Strategy.Fallback, fallback.Strategy.Epsilon = 3, 0.25, 0.2
	for name, settings := range map[string]study.Settings{"majority": byMajority(3), "fallback": fallback} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, settings)
			person := 0
			for round := 0; s.Study().State != study.Done; round++ {
				service := s.Service(fmt.Sprint("process ", round%2))
				planner := service.Planner(id)
				for step := 0; step < 4 && s.Step(planner); step++ {
					for range 4 {
						for range 3 {
							s.Answer(service, fmt.Sprint("r", person))
						}
						person++
					}
					s.Pass(11 * time.Second)
				}
				s.Must(planner.Leave(t.Context()))
				switch {
				case round == 1:
					s.Erase(service, "r3")
				case round == 2:
					s.Crash()
				case round > 60:
					t.Fatalf("not certified after %d people", person)
				}
				s.Pass(3 * time.Second)
			}
			v := s.Agreed()
			if v.Status != string(study.Certified) || v.Leader != s.Best(0, 1, 2, 3, 4, 5, 6, 7) || v.Respondents == 0 || v.Assumption != settings.Strategy.Assume && v.Assumption != strategy.Linear {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestMajoritySnapshot tests that a study continues from a snapshot as from its log.
func TestMajoritySnapshot(t *testing.T) {
	s := studytest.Begin(t, byMajority(study.NoLimit))
	s.Prefers(0.5, 0.2)
	service := s.Service("one")
	planner := service.Planner(id)
	for n := 0; n < 600; n += 12 {
		s.Step(planner)
		for i := range 12 {
			s.Answer(service, fmt.Sprint("r", (n+i)/3))
		}
		s.Pass(time.Minute)
	}
	s.Step(planner)
	s.Must(planner.Leave(t.Context()))
	restored, replayed, err := studytest.States(t.Context(), s.Store, id)
	s.Must(err)
	if !bytes.Equal(restored, replayed) || !bytes.Contains(restored, []byte(`"open":{"r`)) {
		t.Errorf("restored %s\nreplayed %s", restored, replayed)
	}
}
