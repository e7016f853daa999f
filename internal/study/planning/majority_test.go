package planning_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
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

// TestHandEnds tests when a hand ends: after its last question, or five minutes after the last answer, also
// if nothing else happens. An idle study writes no plan, and a late answer only guides.
func TestHandEnds(t *testing.T) {
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
	s.Pass(study.HandIdle - 20*time.Second)
	plans := len(s.Plans())
	s.Step(planner)
	complete(s, "before the end of the hand", 1)
	if len(s.Plans()) != plans {
		t.Error("a step without an event writes a plan")
	}
	s.Pass(30 * time.Second)
	s.Step(planner)
	complete(s, "after the end of the hand", 2)
	if plans++; len(s.Plans()) != plans {
		t.Errorf("%d plans, want %d", len(s.Plans()), plans)
	}
	s.Answer(service, "ben")
	s.Pass(study.HandIdle + time.Minute)
	s.Step(planner)
	complete(s, "a late answer", 2)
	if v := s.Agreed(); v.Answered != 4 {
		t.Errorf("%d answers are counted, want 4", v.Answered)
	}
}

// TestHand tests that a person is dealt one hand, ever, which is one entry of the log before the first answer,
// and gets its questions one after the other, in any process.
func TestHand(t *testing.T) {
	s := studytest.Begin(t, byMajority(3))
	planner := s.Service("one").Planner(id)
	s.Step(planner)
	shown := map[string]bool{}
	for i := range 3 {
		service := s.Service(fmt.Sprint("process ", i%2))
		lease := s.Ask(service, "anna")
		if elsewhere := s.Ask(s.Service("another"), "anna"); elsewhere.Position != lease.Position {
			t.Errorf("question %d is open, but question %d is asked", lease.Position, elsewhere.Position)
		}
		if ahead := s.Ask(service, "anna"); i < 2 && ahead.Position == lease.Position {
			t.Errorf("question %d is asked twice", lease.Position)
		}
		shown[fmt.Sprint(lease.Position)] = true
		s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
	}
	if _, err := s.Service("one").Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrEnough) || len(shown) != 3 {
		t.Errorf("after %d questions: %v", len(shown), err)
	}
	log := s.Outcomes()
	if log[0].Kind != study.Arrived || len(log[0].Hand.Cards) != 3 || log[0].Respondent != "anna" || len(log) != 4 {
		t.Errorf("the log is %+v", log)
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	s.Agreed()
}

// TestHandsRepeatLittle: before the first answer, no option is in more than half of a person's questions.
func TestHandsRepeatLittle(t *testing.T) {
	s := studytest.Begin(t, byMajority(10))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	for i := range 40 {
		s.Ask(service, fmt.Sprint("person ", i))
		s.Pass(time.Second)
		s.Step(planner)
	}
	for _, o := range s.Outcomes() {
		shown := map[int]int{}
		for _, card := range o.Hand.Cards {
			for _, arm := range card {
				shown[arm]++
			}
		}
		if most := slices.Max(slices.Collect(maps.Values(shown))); most > len(o.Hand.Cards)/2 {
			t.Errorf("%s: one option is in %d of %d questions", o.Respondent, most, len(o.Hand.Cards))
		}
	}
}

// TestHandsByTheLog tests that an answer after the end of a hand is late even if one plan counts the whole log,
// and that an answer before is not, however late the plan is.
func TestHandsByTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		pause    time.Duration
		complete int // once both answers are counted, before the plan ends hands
	}{"within": {study.HandIdle, 0}, "after": {study.HandIdle + time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, byMajority(study.NoLimit))
			catalogue, err := s.Store.Catalogue(t.Context(), id)
			s.Must(err)
			st := s.Study()
			r, err := replay.New(st, catalogue)
			s.Must(err)
			s.Must(r.Follow(st, &study.Plan{Number: 1}))
			questions, err := r.Ask(3)
			s.Must(err)
			log := []study.Outcome{{
				Number: 1, Position: study.OutsideDeck, Kind: study.Arrived, Respondent: "anna", At: s.Clock(),
				Hand: &study.Hand{Cards: questions},
			}}
			for i, q := range questions[:2] {
				log = append(log, study.Outcome{
					Number: int64(i + 2), Position: study.Position(i), Kind: study.Answered, Shown: q, Picks: []int{0}, Respondent: "anna",
					At: s.Clock(),
				})
				s.Pass(c.pause)
			}
			s.Pass(24 * time.Hour)
			_, err = r.Count(st, replay.Slice{Log: log}, s.Clock(), func() error { return nil })
			s.Must(err)
			if v := r.Verdict(); v.Answered != 2 || v.Respondents != c.complete {
				t.Errorf("%d answers are counted, %d respondents are complete, want %d", v.Answered, v.Respondents, c.complete)
			}
			ended, err := r.EndHands(st, s.Clock(), false)
			if err != nil || ended != 1-c.complete || r.Verdict().Respondents != 1 {
				t.Errorf("%d hands end, %d respondents are complete, %v", ended, r.Verdict().Respondents, err)
			}
		})
	}
}

// TestUndoneIsNotSettled tests that an answer that was taken back does not end a hand.
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

// TestEndSettlesNothing tests that the end of a study, by its budget, its deadline or its owner, ends no hand.
func TestEndSettlesNothing(t *testing.T) {
	for _, reason := range []study.Reason{study.Spent, study.Expired, study.Stopped} {
		t.Run(string(reason), func(t *testing.T) {
			settings := byMajority(4)
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
			if reason == study.Spent {
				_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
					st.Settings.Budget = 6
					return nil
				})
				s.Must(err)
			}
			s.Pass(11 * time.Second)
			s.Finish(planner)
			if st := s.Study(); st.Reason != reason {
				t.Fatalf("the study is %s, %s", st.State, st.Reason)
			}
			complete(s, "at the end", 0)
			s.Erase(service, "r0")
			complete(s, "without r0", 0)
		})
	}
}

// TestAnonymous tests that each answer without a name is a respondent, and that imported answers are
// none.
func TestAnonymous(t *testing.T) {
	s := studytest.Begin(t, byMajority(study.NoLimit))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	for range 2 {
		s.Answer(service, "")
	}
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(20)))
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "two without a name", 2)
	s.Pass(2 * study.HandIdle)
	s.Step(planner)
	complete(s, "imported answers", 2)
}

// TestJudges tests that in a study about judges every answer is an observation, with or without a name.
func TestJudges(t *testing.T) {
	settings := byMajority(4)
	settings.Judges = true
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	for range 4 {
		s.Answer(service, "anna")
	}
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrEnough) {
		t.Errorf("after four questions: %v", err)
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	complete(s, "four answers", 4)
}

// TestLateAnswersGuide tests that an answer after the end of a hand is no evidence, also of people without a name and of
// judges, whether or not a plan has ended the hand before.
func TestLateAnswersGuide(t *testing.T) {
	judges := byMajority(4)
	judges.Judges = true
	for name, settings := range map[string]study.Settings{"": byMajority(study.NoLimit), "anna": judges} {
		for _, planned := range []bool{true, false} {
			t.Run(fmt.Sprint(name, planned), func(t *testing.T) {
				s := studytest.Begin(t, settings)
				service := s.Service("one")
				planner := service.Planner(id)
				s.Step(planner)
				lease := s.Ask(service, name)
				s.Pass(study.HandIdle + time.Minute)
				if planned {
					s.Step(planner)
				}
				s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
				s.Pass(11 * time.Second)
				s.Step(planner)
				complete(s, "a late answer", 0)
				if v := s.Agreed(); v.Answered != 1 {
					t.Errorf("%d answers are counted, want 1", v.Answered)
				}
			})
		}
	}
}

// TestWithdrawnInHand tests that questions of a hand that show a withdrawn option are not asked, and that the hand ends.
func TestWithdrawnInHand(t *testing.T) {
	s := studytest.Begin(t, byMajority(6))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	s.Answer(service, "anna")
	hand := s.Outcomes()[0].Hand
	withdrawn, without := hand.Cards[0][0], 0
	for _, card := range hand.Cards {
		if !slices.Contains(card, withdrawn) {
			without++
		}
	}
	_, err := service.Withdraw(t.Context(), id, owner.Any, s.Arms.ID(withdrawn))
	s.Must(err)
	asked := 0
	for ; asked <= len(hand.Cards); asked++ {
		lease, err := service.Ask(t.Context(), id, "anna", "")
		if errors.Is(err, study.ErrEnough) {
			break
		}
		s.Must(err)
		if slices.Contains(lease.Shown, withdrawn) {
			t.Errorf("%v shows option %d", lease.Shown, withdrawn)
		}
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	}
	if answered := len(s.Outcomes()) - 1; answered != asked+1 || asked > without || asked < without-1 {
		t.Errorf("%d of %d questions were asked after the first answer", asked, without)
	}
	s.Pass(study.HandIdle + time.Minute)
	s.Step(planner)
	complete(s, "the end of the hand", 1)
}

// TestWithdrawnInDeck tests that people are dealt hands after an option was withdrawn that many questions of the deck show.
func TestWithdrawnInDeck(t *testing.T) {
	s := studytest.Begin(t, byMajority(10))
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	_, err := service.Withdraw(t.Context(), id, owner.Any, s.Arms.ID(s.Plans()[0].Questions[15][0]))
	s.Must(err)
	for i := range 4 {
		s.Step(planner)
		s.Answer(service, fmt.Sprint("r", i))
	}
	s.Agreed()
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
			if v.Status != string(study.Certified) || v.Leader != s.Best(0, 1, 2, 3, 4, 5, 6, 7) || v.Respondents == 0 ||
				v.Assumption != settings.Strategy.Assume && v.Assumption != strategy.Linear {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestMajoritySnapshot tests that a study continues, or is closed, from a snapshot as from its log.
func TestMajoritySnapshot(t *testing.T) {
	s := studytest.Begin(t, byMajority(4))
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
	_, saved, err := s.Store.Snapshot(t.Context(), id)
	s.Must(err)
	catalogue, err := s.Store.Catalogue(t.Context(), id)
	s.Must(err)
	restored, err := replay.New(s.Study(), catalogue)
	s.Must(err)
	s.Must(restored.Restore(saved))
	if len(restored.State.Hands) == 0 {
		t.Fatal("all hands have ended")
	}
	replayed, err := replay.New(s.Study(), catalogue)
	s.Must(err)
	for _, r := range []*replay.Replayer{restored, replayed} {
		s.Must(r.CatchUp(t.Context(), s.Store, id, len(s.Plans()), replay.NewCores()))
		open, done := s.Study(), s.Study()
		done.State = study.Done
		for _, st := range []study.Study{done, open} {
			if _, err := r.EndHands(st, s.Clock().Add(10*time.Minute), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !reflect.DeepEqual(restored.State, replayed.State) || restored.Verdict().Text() != replayed.Verdict().Text() {
		t.Errorf("restored %+v\nreplayed %+v", restored.State, replayed.State)
	}
}

// TestMajorityLeaderboard tests that verdicts have a leaderboard once the leader is nominated, with the leader first.
func TestMajorityLeaderboard(t *testing.T) {
	s := studytest.Begin(t, byMajority(3))
	s.Prefers(2, 1)
	service := s.Service("one")
	planner := service.Planner(id)
	for person := range 60 {
		s.Step(planner)
		for range 3 {
			s.Answer(service, fmt.Sprint("person ", person))
		}
		s.Pass(11 * time.Second)
		if v := s.Agreed(); v.Leaderboard != nil {
			if b := v.Leaderboard; v.Early || len(b.Ranks) != 8 || b.Answers == 0 || b.Ranks[0].Share().Estimate != 0.5 {
				t.Errorf("the leaderboard is %+v", b)
			}
			return
		}
	}
	t.Error("there is no leaderboard after 180 answers")
}
