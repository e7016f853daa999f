package study_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// byMajority are settings with majority evidence and a limit of questions per respondent.
func byMajority(each int) study.Settings {
	settings := limited(each)
	settings.Strategy.Assume, settings.Strategy.Epsilon = strategy.Majority, 0.2
	return settings
}

// complete checks how many respondents are complete, as of the last plan.
func (s *stage) complete(what string, want int) {
	s.Helper()
	if v := s.agreed(); v.Respondents != want || v.Assumption != strategy.Majority {
		s.Errorf("%s: %d respondents are complete, want %d: %+v", what, v.Respondents, want, v)
	}
}

// TestRespondentIsComplete tests when the answers of a respondent count: after their last question, or
// when their session is over, also if nothing else happens. An idle study writes no plan.
func TestRespondentIsComplete(t *testing.T) {
	s := begin(t, byMajority(3))
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	s.answer(service, "anna")
	s.must(service.Skip(t.Context(), id, s.ask(service, "anna").Token))
	s.answer(service, "ben")
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("two questions", 0)
	s.answer(service, "anna")
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("three questions", 1)
	s.pass(study.MinSession - 20*time.Second)
	plans := len(s.plans())
	s.step(planner)
	s.complete("before the end of the session", 1)
	if len(s.plans()) != plans {
		t.Error("a step without an event writes a plan")
	}
	s.pass(30 * time.Second)
	s.step(planner)
	s.complete("after the end of the session", 2)
	if plans++; len(s.plans()) != plans {
		t.Errorf("%d plans, want %d", len(s.plans()), plans)
	}
	s.answer(service, "ben")
	s.pass(study.MinSession + time.Minute)
	s.step(planner)
	s.complete("a late answer", 2)
	if v := s.agreed(); v.Answered != 4 {
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
			s := begin(t, byMajority(study.NoLimit))
			catalogue, err := s.store.Catalogue(t.Context(), id)
			s.must(err)
			st := s.study()
			r, err := replay.New(st, catalogue, nil)
			s.must(err)
			s.must(r.Follow(st, &study.Plan{Number: 1}))
			questions, err := r.Ask(2)
			s.must(err)
			var log []study.Outcome
			for i, q := range questions {
				log = append(log, study.Outcome{
					Number: int64(i + 1), Position: study.Position(i), Kind: study.Answered, Shown: q, Picks: []int{0}, Respondent: "anna", At: s.clock(),
				})
				s.pass(c.pause)
			}
			s.pass(24 * time.Hour)
			_, err = r.Count(st, replay.Slice{Log: log}, s.clock(), func() error { return nil })
			s.must(err)
			if v := r.Verdict(); v.Answered != 2 || v.Respondents != c.complete {
				t.Errorf("%d answers are counted, %d respondents are complete, want %d", v.Answered, v.Respondents, c.complete)
			}
			ended, err := r.EndSessions(st, s.clock(), false, false)
			if err != nil || ended != 1-c.complete || r.Verdict().Respondents != 1 {
				t.Errorf("%d sessions end, %d respondents are complete, %v", ended, r.Verdict().Respondents, err)
			}
		})
	}
}

// TestUndoneIsNotSettled tests that an answer that was taken back does not complete a respondent.
func TestUndoneIsNotSettled(t *testing.T) {
	s := begin(t, byMajority(2))
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	lease := s.ask(service, "anna")
	s.must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	s.must(service.Undo(t.Context(), id, lease.Token))
	s.answer(service, "anna")
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("one of two", 0)
	s.answer(service, "anna")
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("two", 1)
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
			s := begin(t, settings)
			service := s.service("one")
			planner := service.Planner(id)
			s.step(planner)
			for i := range 6 {
				s.answer(service, fmt.Sprint("r", i%3))
			}
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.must(err)
			}
			s.pass(2 * study.MinSession)
			for s.step(planner) {
			}
			if st := s.study(); st.Reason != reason {
				t.Fatalf("the study is %s, %s", st.State, st.Reason)
			}
			s.complete("at the end", want)
			s.erase(service, "r0")
			s.complete("without r0", max(0, want-1))
		})
	}
}

// TestAnonymous tests that each answer without a name is a respondent, and that imported answers are
// none.
func TestAnonymous(t *testing.T) {
	s := begin(t, byMajority(2))
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	claim, err := s.store.Claim(t.Context(), id, 2, s.clock())
	s.must(err)
	for i := range claim.Questions {
		refused, err := s.store.Record(t.Context(), id, study.NoLimit, study.Outcome{
			Position: claim.First + study.Position(i), Kind: study.Answered, Shown: claim.Questions[i], Picks: []int{0}, Plan: 1, Asked: s.clock(), At: s.clock(),
		})
		s.must(err)
		s.must(refused[0])
	}
	s.must(service.Import(t.Context(), id, "survey", s.foreign(20)))
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("two without a name", 2)
	s.pass(2 * study.MinSession)
	s.step(planner)
	s.complete("imported answers", 2)
}

// TestSmallestEach tests that a respondent is complete after the smallest limit that the study has
// had, also when all answers are counted again.
func TestSmallestEach(t *testing.T) {
	s := begin(t, byMajority(4))
	service := s.service("one")
	planner := service.Planner(id)
	limit := func(each int) {
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Each = each; return nil })
		s.must(err)
		s.step(planner)
	}
	s.step(planner)
	s.answer(service, "eve")
	limit(2)
	limit(5)
	limit(study.NoLimit)
	for range 2 {
		s.answer(service, "anna")
	}
	s.pass(11 * time.Second)
	s.step(planner)
	s.complete("after two", 1)
	s.answer(service, "anna")
	s.pass(11 * time.Second)
	s.step(planner)
	s.erase(service, "eve")
	s.step(planner)
	s.complete("counted again", 1)
	if got := s.agreed().Sessions; got == nil || got.Each != 2 || got.Length != study.MinSession {
		t.Errorf("the rule is %+v", got)
	}
}

// TestMajorityStudy runs studies to their ends with two planners, crashes and an erasure, under both
// assumptions that count people. Logs, snapshots and exports lead to the same verdict.
func TestMajorityStudy(t *testing.T) {
	fallback := three()
	fallback.Each, fallback.Strategy.Fallback, fallback.Strategy.Epsilon = 3, 0.25, 0.2
	for name, settings := range map[string]study.Settings{"majority": byMajority(3), "fallback": fallback} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, settings)
			person := 0
			for round := 0; s.study().State != study.Done; round++ {
				service := s.service(fmt.Sprint("process ", round%2))
				planner := service.Planner(id)
				for step := 0; step < 4 && s.step(planner); step++ {
					for range 4 {
						for range 3 {
							s.answer(service, fmt.Sprint("r", person))
						}
						person++
					}
					s.pass(11 * time.Second)
				}
				s.must(planner.Leave(t.Context()))
				switch {
				case round == 1:
					s.erase(service, "r3")
				case round == 2:
					s.crash()
				case round > 60:
					t.Fatalf("not certified after %d people", person)
				}
				s.pass(3 * time.Second)
			}
			v := s.agreed()
			if v.Status != string(study.Certified) || v.Leader != s.best(0, 1, 2, 3, 4, 5, 6, 7) || v.Respondents == 0 || v.Assumption != settings.Strategy.Assume && v.Assumption != strategy.Linear {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestMajoritySnapshot tests that a study continues from a snapshot as from its log.
func TestMajoritySnapshot(t *testing.T) {
	s := begin(t, byMajority(study.NoLimit))
	s.prefers(0.5, 0.2)
	service := s.service("one")
	planner := service.Planner(id)
	for n := 0; n < 600; n += 12 {
		s.step(planner)
		for i := range 12 {
			s.answer(service, fmt.Sprint("r", (n+i)/3))
		}
		s.pass(time.Minute)
	}
	s.step(planner)
	s.must(planner.Leave(t.Context()))
	_, saved, err := s.store.Snapshot(t.Context(), id)
	s.must(err)
	catalogue, err := s.store.Catalogue(t.Context(), id)
	s.must(err)
	restored, err := replay.New(s.study(), catalogue, nil)
	s.must(err)
	s.must(restored.Restore(saved))
	if len(restored.State.Open) == 0 {
		t.Fatal("all respondents are complete")
	}
	replayed, err := replay.New(s.study(), catalogue, nil)
	s.must(err)
	for _, r := range []*replay.Replayer{restored, replayed} {
		s.must(r.CatchUp(t.Context(), s.store, id, len(s.plans()), replay.NewCores()))
		if _, err := r.EndSessions(s.study(), s.clock().Add(10*time.Minute), false, false); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(restored.State, replayed.State) || restored.Verdict().Text() != replayed.Verdict().Text() {
		t.Errorf("restored %+v\nreplayed %+v", restored.State, replayed.State)
	}
}

// TestOldStudyStaysLinear tests that settings without an assumption write the verdicts that they
// always did, but for the name of the assumption.
func TestOldStudyStaysLinear(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	s.run(service, service.Planner(id), 2, 4)
	v := s.agreed()
	if v.Sessions != nil || v.Respondents != 0 || v.RestsOn() != strategy.Linear || (racing.Settings{}).CountsPeople() {
		t.Errorf("%+v", v)
	}
}
