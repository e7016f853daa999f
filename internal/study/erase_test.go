package study_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"bestpick/internal/exports"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
	"bestpick/strategy/racing"
)

// erase erases a respondent and returns the result.
func (s *stage) erase(service *instance, who string) owner.Erasure {
	s.Helper()
	e, err := service.Erase(s.Context(), id, who)
	s.must(err)
	s.unknown(who)
	return e
}

// unknown checks that neither the log nor an export has data of a respondent.
func (s *stage) unknown(who string) {
	s.Helper()
	var export bytes.Buffer
	s.must(replay.Export(s.Context(), s.store, id, &export))
	if strings.Contains(export.String(), `"`+who+`"`) {
		s.Errorf("the export contains %s", who)
	}
	for _, o := range s.log() {
		if o.Respondent == who || o.Kind == study.Erased && !cmp.Equal(o, study.Outcome{Number: o.Number, Position: o.Position, Kind: o.Kind, At: o.At}) {
			s.Errorf("the log has %+v", o)
		}
	}
	extent, err := exports.ReadExtent(s.Context(), s.store, id)
	s.must(err)
	for o, err := range exports.Standing(s.Context(), s.store, id, extent) {
		s.must(err)
		if o.Respondent == who || o.Kind == study.Erased {
			s.Errorf("the export has %+v", o)
		}
	}
}

// refused checks that an answer to a lost question is refused.
func (s *stage) refused(service *instance, lease dispatch.Lease) {
	s.Helper()
	if err := service.Answer(s.Context(), id, lease.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		s.Errorf("got %v", err)
	}
}

// TestErase: no data is left of a respondent with all kinds of outcomes, and the remaining answers
// lead to the verdict. Uncounted answers of others count, and can be undone until then.
func TestErase(t *testing.T) {
	s := begin(t, three())
	s.prefers(1, 0.5)
	service := s.service("one")
	planner := service.Planner(id)
	for range 10 {
		s.run(service, planner, 1, 3)
		s.answer(service, "anna")
	}
	answers := s.foreignList(4)
	answers[2].Respondent = "anna"
	s.must(service.Import(t.Context(), id, "survey", yielding(answers...)))
	s.must(service.Skip(t.Context(), id, s.ask(service, "anna").Token))
	back, out, hers := s.ask(service, "anna"), s.ask(service, "ben"), s.ask(service, "anna")
	s.must(service.Answer(t.Context(), id, back.Token, []int{0}))
	s.must(service.Undo(t.Context(), id, back.Token))
	lately, regretted := s.ask(service, "cy"), s.ask(service, "dee")
	for _, lease := range []dispatch.Lease{lately, regretted} {
		s.must(service.Answer(t.Context(), id, lease.Token, []int{1}))
	}
	before, plans := s.study(), s.plans()

	e := s.erase(service, "anna")
	if e.Answers != 11 || e.Skips != 1 || e.TakenBack != 1 || e.Before.Plan != len(plans) || e.After.Plan != len(plans)+1 {
		t.Errorf("%+v", e)
	}
	if diff := cmp.Diff(s.agreed(), e.After.Verdict); diff != "" {
		t.Error(diff)
	}
	after := s.study()
	if diff := cmp.Diff(e.After.Study, after); diff != "" || after.Afresh != len(plans)+1 || after.Version != before.Version+1 {
		t.Errorf("the study became %+v; %s", after, diff)
	}
	if e.After.Verdict.Answered != 33 {
		t.Errorf("%d answers count", e.After.Verdict.Answered)
	}
	for _, lease := range []dispatch.Lease{out, hers, back} {
		s.refused(service, lease)
	}
	s.must(service.Answer(t.Context(), id, lately.Token, []int{1})) // the same answer again
	s.must(service.Undo(t.Context(), id, regretted.Token))
	s.pass(11 * time.Second)
	s.step(planner)
	if verdict := s.agreed(); verdict.Answered != 34 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	if again := s.erase(service, "anna"); again.Any() || again.After.Plan != again.Before.Plan || s.study().Version != after.Version {
		t.Errorf("erased again: %+v", again)
	}
	s.run(service, planner, 3, 3)
	if verdict := s.agreed(); verdict.Answered != 43 {
		t.Errorf("%d answers count", verdict.Answered)
	}
}

// TestEraseAndGoOn: after an erasure, a planner comes to the same state with or without a snapshot,
// in another process or in another store, and the study to its end. Another respondent may be
// erased as well.
func TestEraseAndGoOn(t *testing.T) {
	s, service := busy(t)
	for _, who := range []string{"f3", "bo", "nobody"} {
		s.erase(service, who)
		s.agreed()
	}
	s.crash()
	before := s.agreed()
	to := elsewhere(t)
	_, err := owner.Transfer(t.Context(), s.store, to, id)
	s.must(err)
	s.must(s.store.Close())
	s.store = to
	if diff := cmp.Diff(before, s.agreed()); diff != "" {
		t.Error(diff)
	}
	later := s.service("two")
	_, err = later.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	planner := later.Planner(id)
	s.step(planner)
	s.answer(later, "dee")
	s.erase(later, "dee")
	for s.step(planner) {
		s.answer(later, "eve")
	}
	if verdict := s.agreed(); verdict.Status != "certified" {
		t.Errorf("the verdict is %+v", verdict)
	}
}

// TestEraseUnderEveryModel: answers can be counted again also under models that do not allow
// imports.
func TestEraseUnderEveryModel(t *testing.T) {
	for name, model := range map[string]racing.Model{"slots": {Slots: true}, "clicks": {Clicks: true}, "intercepts": {Intercepts: true}} {
		t.Run(name, func(t *testing.T) {
			settings := three()
			settings.Strategy.Model = model
			s := begin(t, settings)
			service := s.service("one")
			planner := service.Planner(id)
			s.run(service, planner, 5, 4)
			before := s.agreed()
			s.erase(service, "r2")
			if after := s.agreed(); before.Answered != 20 || after.Answered != 15 {
				t.Errorf("%d answers became %d", before.Answered, after.Answered)
			}
			s.run(service, planner, 1, 4)
			s.agreed()
		})
	}
}

// TestErasedOrNeverThere: erasing a respondent leads to the same result as if they had never taken
// part, for random histories of a study.
func TestErasedOrNeverThere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := begin(t, three())
		s.prefers(2, 1)
		service := s.service("one")
		planner := service.Planner(id)
		who := rapid.SampledFrom([]string{"anna", "ben", "f0"})
		for range rapid.IntRange(1, 15).Draw(r, "steps") {
			s.step(planner)
			switch lease := s.ask(service, who.Draw(r, "who")); rapid.IntRange(0, 6).Draw(r, "what") {
			case 0:
				s.must(service.Skip(t.Context(), id, lease.Token))
			case 1:
				s.must(service.Answer(t.Context(), id, lease.Token, []int{0}))
				s.must(service.Undo(t.Context(), id, lease.Token))
			case 2:
				s.must(service.Import(t.Context(), id, lease.Token, s.foreign(3)))
			case 3: // the question stays open
			default:
				s.must(service.Answer(t.Context(), id, lease.Token, s.crowd.Pick(lease.Shown, 1)))
			}
			s.pass(time.Duration(rapid.IntRange(0, 20).Draw(r, "seconds")) * time.Second)
		}
		s.pass(time.Minute)
		gone := who.Draw(r, "gone")
		if e := s.erase(service, gone); !e.Any() {
			s.step(planner)
		}
		erased := s.agreed()

		extent, err := exports.ReadExtent(t.Context(), s.store, id)
		s.must(err)
		var others []owner.ImportedAnswer
		for o, err := range exports.Standing(t.Context(), s.store, id, extent) {
			s.must(err)
			if o.Kind != study.Skipped {
				others = append(others, s.told(o))
			}
		}
		s.create("other", three(), study.Open)
		s.must(service.Import(t.Context(), "other", "all", yielding(others...)))
		s.step(service.Planner("other"))
		progress, err := service.Progress(t.Context(), "other")
		s.must(err)
		if diff := cmp.Diff(progress.Verdict, erased, cmpopts.IgnoreFields(study.Verdict{}, "Settings", "Digest", "Leaderboard"), cmpopts.EquateEmpty()); diff != "" {
			r.Errorf("%s was erased, %d answers are left: %s", gone, len(others), diff)
		}
	})
}

// told returns an answer as it would be imported.
func (s *stage) told(o study.Outcome) (f owner.ImportedAnswer) {
	for _, arm := range o.Shown {
		f.Shown = append(f.Shown, s.arms.ID(arm))
	}
	for _, slot := range o.Picks {
		f.Picks = append(f.Picks, f.Shown[slot])
	}
	f.Respondent = o.Respondent
	return f
}

// TestEraseWhenDone: a done study gets the reason that holds without the erased answers. If none
// holds, it can be opened again, and comes to an end again.
func TestEraseWhenDone(t *testing.T) {
	settings := three()
	settings.Grace = -1
	s := begin(t, settings)
	service := s.service("one")
	planner := service.Planner(id)
	for i := 0; s.step(planner); i++ {
		s.answer(service, fmt.Sprint("r", i%2))
	}
	if e := s.erase(service, "nobody"); e.Any() || s.study().Reason != study.Certified {
		t.Errorf("%+v", e)
	}
	e := s.erase(service, "r1")
	if st := s.study(); st.State != study.Done || st.Reason != study.Lapsed || e.Before.Verdict.Status != "certified" || e.After.Verdict.Status != "asking" {
		t.Fatalf("%+v, %+v", st, e.After.Verdict)
	}
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Error(err)
	}
	s.agreed()
	if s.step(planner) {
		t.Error("the study is not done")
	}
	if _, err := service.SetState(t.Context(), id, owner.Any, study.Paused); err == nil {
		t.Error("the study was paused")
	}
	st, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	if st.Reason != "" {
		t.Errorf("%+v", st)
	}
	planner = service.Planner(id)
	for s.step(planner) {
		s.answer(service, "late")
	}
	if st := s.study(); st.Reason != study.Certified || s.agreed().Status != "certified" {
		t.Errorf("%+v", st)
	}
}

// TestEraseOneOfMany: a certified verdict may stay certified.
func TestEraseOneOfMany(t *testing.T) {
	settings := three()
	settings.Grace = -1
	s := begin(t, settings)
	service := s.service("one")
	planner := service.Planner(id)
	s.answerUntilDone(service, planner)
	kept, lapsed := 0, 0
	for _, who := range []string{"r1", "r2", "r3", "r4"} {
		e := s.erase(service, who)
		certified := e.After.Verdict.Status == "certified"
		if st := s.study(); certified != (st.Reason == study.Certified) || !certified != (st.Reason == study.Lapsed) || st.State != study.Done {
			t.Errorf("%+v, %+v", st, e.After.Verdict)
		}
		if certified {
			kept++
		} else {
			lapsed++
		}
		s.agreed()
	}
	t.Logf("the verdict stayed %d times of %d", kept, kept+lapsed)
}

// answerUntilDone has respondents answer one question each.
func (s *stage) answerUntilDone(service *instance, planner *planning.Planner) {
	s.Helper()
	for i := 0; s.step(planner); i++ {
		s.answer(service, fmt.Sprint("r", i))
	}
}

// TestEraseWhenStoppedOrSpent: an owner's stop stays; a budget that is no longer spent lapses.
func TestEraseWhenStoppedOrSpent(t *testing.T) {
	settings := three()
	settings.Grace, settings.Budget = -1, 12
	s := begin(t, settings)
	s.prefers(0.1, 0.1)
	service := s.service("one")
	s.answerUntilDone(service, service.Planner(id))
	s.erase(service, "r5")
	if st := s.study(); st.Reason != study.Lapsed {
		t.Errorf("the reason is %s", st.Reason)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	s.answerUntilDone(service, service.Planner(id))
	if st := s.study(); st.Reason != study.Spent || s.agreed().Answered != 12 {
		t.Errorf("%+v", st)
	}

	s = begin(t, three())
	service = s.service("one")
	planner := service.Planner(id)
	s.run(service, planner, 2, 5)
	s.answer(service, "late")
	_, err = service.SetState(t.Context(), id, owner.Any, study.Done)
	s.must(err)
	s.erase(service, "r1")
	if st := s.study(); st.Reason != study.Stopped || s.agreed().Answered != 9 { // the last ones are counted
		t.Errorf("%+v, %+v", st, s.agreed())
	}
	s.step(planner)
	s.agreed()
}

// TestEraseInDraft: an erasure in a draft only changes the log.
func TestEraseInDraft(t *testing.T) {
	s := empty(t)
	s.create(id, three(), study.Draft)
	service := s.service("one")
	s.must(service.Import(t.Context(), id, "survey", s.foreign(100)))
	e := s.erase(service, "f7")
	if e.Answers != 2 || e.After.Plan != 0 || len(s.plans()) > 0 || s.study().State != study.Draft {
		t.Errorf("%+v", e)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	s.run(service, service.Planner(id), 1, 3)
	if verdict := s.agreed(); verdict.Answered != 101 {
		t.Errorf("%+v", verdict)
	}
}

// TestEraseMember: an erased member leaves the panel, with or without answers, and their old link
// no longer works.
func TestEraseMember(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	s.step(service.Planner(id))
	members := s.invite(service, "anna", "ben")
	lease, err := service.AskWithKey(t.Context(), id, members[0].Key, "")
	s.must(err)
	s.must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	for _, test := range []struct {
		name, sentence string
		answers        int
	}{{"anna", "", 1}, {"ben", "This respondent was in the panel, and had answered nothing: the verdict is the same.", 0}} {
		e := s.erase(service, test.name)
		if said := e.Sentence(func(int) string { return "" }); !e.Member || e.Answers != test.answers || test.sentence != "" && said != test.sentence {
			t.Errorf("%s: %+v, %s", test.name, e, said)
		}
	}
	for _, m := range members {
		_, err := service.AskWithKey(t.Context(), id, m.Key, "")
		s.wants(study.ErrKey, err)
	}
	if e := s.erase(service, "ben"); e.Member || e.Any() {
		t.Errorf("again: %+v", e)
	}
}

// TestEraseAfterArmsChanged: a strategy that begins afresh gets the arms in the order in which they
// were added and withdrawn, after any number of erasures, because answers that may be the reason
// are counted again.
func TestEraseAfterArmsChanged(t *testing.T) {
	s := begin(t, three())
	s.prefers(0.5, 0.5)
	service := s.service("one")
	planner := service.Planner(id)
	s.run(service, planner, 2, 4)
	_, err := service.AddArms(t.Context(), id, owner.Any, s.with("new", 0.5, 0.5))
	s.must(err)
	_, err = service.Withdraw(t.Context(), id, owner.Any, "a3")
	s.must(err)
	s.run(service, planner, 4, 3)
	seeds := map[uint64]bool{three().Strategy.Seed: true}
	for i, who := range []string{"r1", "r2"} {
		s.erase(service, who)
		s.agreed()
		p := s.plans()[0]
		if p.Afresh == nil || p.Afresh.Arms != 8 || p.Arms != 9 || !slices.Equal(p.Withdrawn, []int{3}) {
			t.Fatalf("the plan is %+v", p)
		}
		seeds[p.Afresh.Seed] = true
		if len(seeds) != i+2 {
			t.Errorf("a seed is repeated: %v", seeds)
		}
	}
	s.run(service, planner, 2, 3)
	s.agreed()
}

// TestEraseRefuses: Erase returns an error without a valid respondent, and for an unknown study.
func TestEraseRefuses(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
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
