package owner_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
	"bestpick/strategy/racing"
)

// TestErase: no data is left of a respondent with all kinds of outcomes, and the remaining answers
// lead to the verdict. Uncounted answers of others count, and can be undone until then.
func TestErase(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(1, 0.5)
	service := s.Service("one")
	planner := service.Planner(id)
	for range 10 {
		s.Work(service, planner, 1, 3)
		s.Answer(service, "anna")
	}
	answers := s.ForeignList(4)
	answers[2].Respondent = "anna"
	s.Must(service.Import(t.Context(), id, "survey", studytest.Yielding(answers...)))
	s.Must(service.Skip(t.Context(), id, s.Ask(service, "anna").Token))
	back, out, hers := s.Ask(service, "anna"), s.Ask(service, "ben"), s.Ask(service, "anna")
	s.Must(service.Answer(t.Context(), id, back.Token, []int{0}))
	s.Must(service.Undo(t.Context(), id, back.Token))
	lately, regretted := s.Ask(service, "cy"), s.Ask(service, "dee")
	for _, lease := range []dispatch.Lease{lately, regretted} {
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{1}))
	}
	before, plans := s.Study(), s.Plans()

	e := s.Erase(service, "anna")
	if e.Answers != 11 || e.Skips != 1 || e.TakenBack != 1 || e.Before.Plan != len(plans) || e.After.Plan != len(plans)+1 {
		t.Errorf("%+v", e)
	}
	if diff := cmp.Diff(s.Agreed(), e.After.Verdict); diff != "" {
		t.Error(diff)
	}
	after := s.Study()
	if diff := cmp.Diff(e.After.Study, after); diff != "" || after.RestartPlan != len(plans)+1 || after.Version != before.Version+1 {
		t.Errorf("the study became %+v; %s", after, diff)
	}
	if e.After.Verdict.Answered != 33 {
		t.Errorf("%d answers count", e.After.Verdict.Answered)
	}
	for _, lease := range []dispatch.Lease{out, hers, back} {
		s.Refused(service, lease)
	}
	s.Must(service.Answer(t.Context(), id, lately.Token, []int{1})) // the same answer again
	s.Must(service.Undo(t.Context(), id, regretted.Token))
	s.Pass(11 * time.Second)
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 34 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	if again := s.Erase(service, "anna"); again.Any() || again.After.Plan != again.Before.Plan ||
		s.Study().Version != after.Version {
		t.Errorf("erased again: %+v", again)
	}
	s.Work(service, planner, 3, 3)
	if verdict := s.Agreed(); verdict.Answered != 43 {
		t.Errorf("%d answers count", verdict.Answered)
	}
}

// TestEraseAndGoOn: after an erasure, a planner comes to the same state with or without a snapshot,
// in another process or in another store, and the study to its end. Another respondent may be
// erased as well.
func TestEraseAndGoOn(t *testing.T) {
	s, service := busy(t)
	for _, who := range []string{"f3", "bo", "nobody"} {
		s.Erase(service, who)
		s.Agreed()
	}
	s.Crash()
	before := s.Agreed()
	to := studytest.NewStore(t)
	_, err := owner.Transfer(t.Context(), s.Store, to, id)
	s.Must(err)
	s.Must(s.Store.Close())
	s.Store = to
	if diff := cmp.Diff(before, s.Agreed()); diff != "" {
		t.Error(diff)
	}
	later := s.Service("two")
	_, err = later.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	planner := later.Planner(id)
	s.Step(planner)
	s.Answer(later, "dee")
	s.Erase(later, "dee")
	for s.Step(planner) {
		s.Answer(later, "eve")
	}
	if verdict := s.Agreed(); verdict.Status != "certified" {
		t.Errorf("the verdict is %+v", verdict)
	}
}

// TestEraseUnderEveryModel: answers can be counted again also under models that do not allow
// imports.
func TestEraseUnderEveryModel(t *testing.T) {
	for name, model := range map[string]racing.Model{
		"slots": {Slots: true}, "clicks": {Clicks: true},
		"intercepts": {Intercepts: true},
	} {
		t.Run(name, func(t *testing.T) {
			settings := studytest.Three()
			settings.Strategy.Model = model
			s := studytest.Begin(t, settings)
			service := s.Service("one")
			planner := service.Planner(id)
			s.Work(service, planner, 5, 4)
			before := s.Agreed()
			s.Erase(service, "r2")
			if after := s.Agreed(); before.Answered != 20 || after.Answered != 15 {
				t.Errorf("%d answers became %d", before.Answered, after.Answered)
			}
			s.Work(service, planner, 1, 4)
			s.Agreed()
		})
	}
}

// TestErasedOrNeverThere: erasing a respondent leads to the same result as if they had never taken
// part, for random histories of a study.
func TestErasedOrNeverThere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := studytest.Begin(t, studytest.Three())
		s.Prefers(2, 1)
		service := s.Service("one")
		planner := service.Planner(id)
		who := rapid.SampledFrom([]string{"anna", "ben", "f0"})
		for range rapid.IntRange(1, 15).Draw(r, "steps") {
			s.Step(planner)
			switch lease := s.Ask(service, who.Draw(r, "who")); rapid.IntRange(0, 6).Draw(r, "what") {
			case 0:
				s.Must(service.Skip(t.Context(), id, lease.Token))
			case 1:
				s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
				s.Must(service.Undo(t.Context(), id, lease.Token))
			case 2:
				s.Must(service.Import(t.Context(), id, lease.Token, s.Foreign(3)))
			case 3: // the question stays open
			default:
				s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, 1)))
			}
			s.Pass(time.Duration(rapid.IntRange(0, 20).Draw(r, "seconds")) * time.Second)
		}
		s.Pass(time.Minute)
		gone := who.Draw(r, "gone")
		people := 1
		if e := s.Erase(service, gone); !e.Any() {
			people = 0
			s.Step(planner)
		}
		erased := s.Agreed()
		if erased.Erased != people {
			r.Errorf("the verdict counts %d erased people, want %d", erased.Erased, people)
		}

		extent, err := overview.ReadExtent(t.Context(), s.Store, id)
		s.Must(err)
		var others []owner.ImportedAnswer
		for o, err := range overview.Standing(t.Context(), s.Store, id, extent) {
			s.Must(err)
			if o.Kind != study.Skipped {
				others = append(others, s.Told(o))
			}
		}
		s.Create("other", studytest.Three(), study.Open)
		s.Must(service.Import(t.Context(), "other", "all", studytest.Yielding(others...)))
		s.Step(service.Planner("other"))
		progress, err := service.Progress(t.Context(), "other")
		s.Must(err)
		if diff := cmp.Diff(progress.Verdict, erased,
			cmpopts.IgnoreFields(study.Verdict{}, "Settings", "Digest", "Leaderboard", "From", "Until", "Erased"),
			cmpopts.EquateEmpty()); diff != "" {
			r.Errorf("%s was erased, %d answers are left: %s", gone, len(others), diff)
		}
	})
}

// TestEraseWhenDone: a done study gets the reason that holds without the erased answers. If none
// holds, it can be opened again, and comes to an end again.
func TestEraseWhenDone(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	for i := 0; s.Step(planner); i++ {
		s.Answer(service, fmt.Sprint("r", min(1, i%4))) // r1 gives three of four answers
	}
	if e := s.Erase(service, "nobody"); e.Any() || s.Study().Reason != study.Certified {
		t.Errorf("%+v", e)
	}
	e := s.Erase(service, "r1")
	if st := s.Study(); st.State != study.Done || st.Reason != study.Lapsed || e.Before.Verdict.Status != "certified" ||
		e.After.Verdict.Status != "asking" {
		t.Fatalf("%+v, %+v", st, e.After.Verdict)
	}
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Error(err)
	}
	s.Agreed()
	if s.Step(planner) {
		t.Error("the study is not done")
	}
	if _, err := service.SetState(t.Context(), id, owner.Any, study.Paused); err == nil {
		t.Error("the study was paused")
	}
	st, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	if st.Reason != "" {
		t.Errorf("%+v", st)
	}
	planner = service.Planner(id)
	for s.Step(planner) {
		s.Answer(service, "late")
	}
	if st := s.Study(); st.Reason != study.Certified || s.Agreed().Status != "certified" {
		t.Errorf("%+v", st)
	}
}

// TestEraseOneOfMany: a certified verdict may stay certified.
func TestEraseOneOfMany(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	answerUntilDone(s, service, planner)
	kept, lapsed := 0, 0
	for _, who := range []string{"r1", "r2", "r3", "r4"} {
		e := s.Erase(service, who)
		certified := e.After.Verdict.Status == "certified"
		if st := s.Study(); certified != (st.Reason == study.Certified) || !certified != (st.Reason == study.Lapsed) ||
			st.State != study.Done {
			t.Errorf("%+v, %+v", st, e.After.Verdict)
		}
		if certified {
			kept++
		} else {
			lapsed++
		}
		s.Agreed()
	}
	t.Logf("the verdict stayed %d times of %d", kept, kept+lapsed)
}

// answerUntilDone has respondents answer one question each.
func answerUntilDone(s *studytest.Stage, service *studytest.Service, planner *planning.Planner) {
	s.Helper()
	for i := 0; s.Step(planner); i++ {
		s.Answer(service, fmt.Sprint("r", i))
	}
}

// TestEraseWhenStoppedOrSpent: an owner's stop stays; a budget that is no longer spent lapses.
func TestEraseWhenStoppedOrSpent(t *testing.T) {
	settings := studytest.Three()
	settings.Grace, settings.Budget = -1, 12
	s := studytest.Begin(t, settings)
	s.Prefers(0.1, 0.1)
	service := s.Service("one")
	answerUntilDone(s, service, service.Planner(id))
	s.Erase(service, "r5")
	if st := s.Study(); st.Reason != study.Lapsed {
		t.Errorf("the reason is %s", st.Reason)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	answerUntilDone(s, service, service.Planner(id))
	if st := s.Study(); st.Reason != study.Spent || s.Agreed().Answered != 12 {
		t.Errorf("%+v", st)
	}

	s = studytest.Begin(t, studytest.Three())
	service = s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 2, 5)
	s.Answer(service, "late")
	_, err = service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	s.Erase(service, "r1")
	if st := s.Study(); st.Reason != study.Stopped || s.Agreed().Answered != 9 { // the last ones are counted
		t.Errorf("%+v, %+v", st, s.Agreed())
	}
	s.Step(planner)
	s.Agreed()
}

// TestEraseInDraft: an erasure in a draft only changes the log.
func TestEraseInDraft(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	service := s.Service("one")
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(100)))
	e := s.Erase(service, "f7")
	if e.Answers != 2 || e.After.Plan != 0 || len(s.Plans()) > 0 || s.Study().State != study.Draft {
		t.Errorf("%+v", e)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	s.Work(service, service.Planner(id), 1, 3)
	if verdict := s.Agreed(); verdict.Answered != 101 {
		t.Errorf("%+v", verdict)
	}
}

// TestEraseMember: an erased member leaves the panel, with or without answers, and their old link
// no longer works.
func TestEraseMember(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	s.Step(service.Planner(id))
	members := invite(s, service, "anna", "ben")
	lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: members[0].Key}, "")
	s.Must(err)
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	for _, test := range []struct {
		name, sentence string
		answers        int
	}{{"anna", "", 1}, {"ben", "This respondent was in the panel, and had answered nothing: the verdict is the same.", 0}} {
		e := s.Erase(service, test.name)
		if said := e.Sentence(func(int) string { return "" }); !e.Member || e.Answers != test.answers ||
			test.sentence != "" && said != test.sentence {
			t.Errorf("%s: %+v, %s", test.name, e, said)
		}
	}
	for _, m := range members {
		_, err := service.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Wants(study.ErrKey, err)
	}
	if e := s.Erase(service, "ben"); e.Member || e.Any() {
		t.Errorf("again: %+v", e)
	}
}

// TestEraseAfterArmsChanged: a strategy that restarts the strategy gets the arms in the order in which they
// were added and withdrawn, after any number of erasures, because answers that may be the reason
// are counted again.
func TestEraseAfterArmsChanged(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0.5, 0.5)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 2, 4)
	_, err := service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5))
	s.Must(err)
	_, err = service.Withdraw(t.Context(), id, owner.Any, "a3")
	s.Must(err)
	s.Work(service, planner, 4, 3)
	seeds := map[uint64]bool{studytest.Three().Strategy.Seed: true}
	for i, who := range []string{"r1", "r2"} {
		s.Erase(service, who)
		s.Agreed()
		p := s.Plans()[0]
		if p.Restart == nil || p.Restart.Arms != 8 || p.Arms != 9 || !slices.Equal(p.Withdrawn, []int{3}) {
			t.Fatalf("the plan is %+v", p)
		}
		seeds[p.Restart.Seed] = true
		if len(seeds) != i+2 {
			t.Errorf("a seed is repeated: %v", seeds)
		}
	}
	s.Work(service, planner, 2, 3)
	s.Agreed()
}

// TestEraseRefuses: Erase returns an error without a valid respondent, and for an unknown study.
func TestEraseRefuses(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	for _, who := range []string{"", "\xff", "a\x00", strings.Repeat("x", 1001)} {
		_, err := service.Erase(t.Context(), id, who)
		if field, ok := errors.AsType[*study.Error](err); !ok || field.Field != "respondent" {
			t.Errorf("%.10q: %v", who, err)
		}
	}
	if _, err := service.Erase(t.Context(), "none", "anna"); !errors.Is(err, study.ErrNotFound) {
		t.Error(err)
	}
}
