package storetest

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// erasedAt is the time of the erasures.
var erasedAt = start.Add(time.Minute) //nolint:gochecknoglobals // a constant

// afresh returns a plan of the study a that starts afresh, with the given number of questions, and
// counts all outcomes in the log. Stores ignore its number and position.
func (s *stage) afresh(store Store, questions int) study.Plan {
	s.Helper()
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	last := int64(len(s.log(store, "a")))
	p := study.Plan{
		Number: 99, First: 99, Version: st.Version, Afresh: &study.Afresh{Arms: 5, Seed: 1<<64 - 1}, Arms: 6, Withdrawn: []int{5},
		Upto: last, Known: last, Verdict: []byte(`{"leader":3}`), At: erasedAt,
	}
	for i := range questions {
		p.Questions = append(p.Questions, question(study.Position(i)))
	}
	return p
}

// gone returns an erased outcome.
func gone(number int64, p study.Position) study.Outcome {
	return study.Outcome{Number: number, Position: p, Kind: study.Erased, At: erasedAt}
}

// visited creates a study with outcomes of all kinds by anna and by others: seven questions are
// planned, five of them claimed, and two open.
func (s *stage) visited() Store {
	s.Helper()
	ctx := s.Context()
	store := s.withStudy()
	s.planned(store, "a", 3)
	s.planned(store, "a", 4)
	_, err := store.Claim(ctx, "a", 5, start)
	s.must(err)
	s.recorded(store, "a", []error{nil, nil, nil}, by(anna, 0, study.Answered), by(ben, 1, study.Answered), by(anna, 2, study.Skipped))
	s.recorded(store, "a", []error{nil, nil}, by(anna, 3, study.Answered), by(anna, 3, study.Undone))
	theirs := imported(0)
	theirs.Respondent = anna
	s.must(store.Import(ctx, "a", "survey", Batch(theirs, imported(1))))
	s.must(store.SaveSnapshot(ctx, "a", 2, []byte("state")))
	return store
}

// erase tests that only the numbers of a respondent's outcomes remain, and that the study continues
// after the plan that starts afresh.
func erase(s *stage) {
	ctx := s.Context()
	store := s.visited()
	s.must(store.Create(ctx, sample("b"), nil))
	s.recorded(store, "b", []error{nil}, by(anna, 0, study.Answered))
	before := s.log(store, "a")
	late := s.next(store, "a", 1)

	plan := s.afresh(store, 2)
	got, err := store.Erase(ctx, "a", anna, plan)
	s.must(err)
	plan.Number, plan.First = 3, 7
	version := plan.Version
	if diff := cmp.Diff(plan, got); diff != "" {
		s.Error(diff)
	}
	plan.Version = 0
	plans, err := store.Plans(ctx, "a", 0, 9)
	s.must(err)
	if diff := cmp.Diff([]study.Plan{plan}, plans); diff != "" {
		s.Error(diff)
	}
	want := []study.Outcome{
		gone(1, 0),
		before[1],
		gone(3, 2),
		gone(4, 3),
		gone(5, 3),
		gone(6, study.Elsewhere),
		before[6],
		{Number: 8, Position: 3, Kind: study.Lost, At: erasedAt},
		{Number: 9, Position: 4, Kind: study.Lost, At: erasedAt},
	}
	if diff := cmp.Diff(want, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	begun := sample("a")
	begun.Version, begun.Changed, begun.Afresh = version+1, erasedAt, 3
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(begun, st); diff != "" {
		s.Error(diff)
	}
	if log := s.log(store, "b"); len(log) != 1 || log[0].Respondent != anna {
		s.Errorf("the other study has %+v", log)
	}
	s.afterErasure(store, late)
}

// afterErasure tests that earlier questions cannot be answered any more, and that an earlier
// planner must start again.
func (s *stage) afterErasure(store Store, late study.Plan) {
	s.Helper()
	ctx, taken := s.Context(), study.ErrTaken
	s.did(store, anna, 0, nil)
	s.did(store, ben, 1, question(1))
	s.recorded(store, "a", []error{taken, taken, taken, taken, taken},
		by(anna, 0, study.Answered), by(anna, 0, study.Undone), by(anna, 2, study.Answered), by(anna, 3, study.Answered), by(ben, 4, study.Answered))
	last, err := store.At(ctx, "a", 2)
	s.must(err)
	if diff := cmp.Diff(gone(3, 2), last); diff != "" {
		s.Error(diff)
	}
	_, _, err = store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
	s.must(store.SaveSnapshot(ctx, "a", 2, []byte("with anna")))
	_, _, err = store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
	s.must(store.SaveSnapshot(ctx, "a", 3, []byte("without")))

	positions, unclaimed, err := store.Overdue(ctx, "a", start.AddDate(1, 0, 0), 9)
	s.must(err)
	if len(positions) > 0 || unclaimed != 2 {
		s.Errorf("%v are overdue, %d are unclaimed", positions, unclaimed)
	}
	s.wants(study.ErrNotYours, store.Append(ctx, "a", planner, late))
	s.planned(store, "a", 1)
	claim, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	if claim.First != 7 || !slices.Equal(claim.Plans, []int{3, 3, 4}) {
		s.Errorf("it deals %+v", claim)
	}
	s.recorded(store, "a", []error{nil, nil}, by(anna, 7, study.Answered), by(ben, 8, study.Answered)) // anna may come back
	s.did(store, anna, 1, question(7))
}

// eraseNothingBad tests that a rejected erasure changes nothing.
func eraseNothingBad(s *stage) {
	ctx := s.Context()
	store := s.visited()
	s.recorded(store, "a", []error{nil}, by(ben, 4, study.Answered))
	plan := s.afresh(store, 2)
	s.recorded(store, "a", []error{nil}, by(ben, 4, study.Undone))
	before := s.copied(store)
	plan.Version = before.Study.Version
	for name, test := range map[string]struct {
		spoil func(*study.Plan)
		want  error
	}{
		"an answer that was undone": {func(*study.Plan) {}, study.ErrChanged},
		"another version":           {func(p *study.Plan) { p.Upto, p.Version = 0, p.Version-1 }, study.ErrChanged},
		"known before it is":        {func(p *study.Plan) { p.Upto, p.Known = 0, 99 }, nil},
		"told, not known":           {func(p *study.Plan) { p.Known = 0 }, nil},
	} {
		bad := plan
		test.spoil(&bad)
		if _, err := store.Erase(ctx, "a", anna, bad); err == nil || test.want != nil && !errors.Is(err, test.want) {
			s.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	after := s.copied(store)
	after.Study.Version = before.Study.Version
	if diff := cmp.Diff(before, after); diff != "" {
		s.Error(diff)
	}
	if plan, _, err := store.Snapshot(ctx, "a"); plan != 2 || err != nil {
		s.Errorf("the snapshot is of plan %d, %v", plan, err)
	}
	plan.Known++
	plan.Version = s.version(store)
	_, err := store.Erase(ctx, "a", anna, plan)
	s.must(err)
}

// eraseMember tests that an erased respondent leaves the panel, and that other members stay.
func eraseMember(s *stage) {
	store := s.withStudy()
	s.changePanel(store, "a", study.PanelChange{Put: []study.Member{member(1, anna), member(2, ben)}})
	s.recorded(store, "a", []error{nil}, by(anna, 0, study.Answered))
	_, err := store.Erase(s.Context(), "a", anna, s.afresh(store, 2))
	s.must(err)
	s.consists(store, "a", member(2, ben))
}

// version returns the version of the study a.
func (s *stage) version(store Store) int {
	s.Helper()
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	return st.Version
}

// eraseInDraft tests a draft, which has imported answers only, and no plan.
func eraseInDraft(s *stage) {
	ctx := s.Context()
	store := s.store()
	draft := sample("a")
	draft.State = study.Draft
	s.must(store.Create(ctx, draft, nil))
	s.must(store.Import(ctx, "a", "survey", batchOf(2)))
	_, err := store.Erase(ctx, "a", imported(0).Respondent, study.Plan{Version: 1, At: erasedAt})
	s.must(err)
	other := imported(1)
	other.Number = 2
	if diff := cmp.Diff([]study.Outcome{gone(1, study.Elsewhere), other}, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	_, err = store.Last(ctx, "a")
	s.wants(study.ErrNotFound, err)
	draft.Version, draft.Changed = 2, erasedAt
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(draft, st); diff != "" {
		s.Error(diff)
	}
	s.planned(store, "a", 1)
}

// eraseAndEnd tests that the plan may end a study, and may change the reason of a study that is
// done.
func eraseAndEnd(s *stage) {
	ctx := s.Context()
	store := s.visited()
	for i, reason := range []study.Reason{study.Certified, study.Lapsed, ""} {
		plan := s.afresh(store, 0)
		plan.Done = reason
		_, err := store.Erase(ctx, "a", anna, plan)
		s.must(err)
		st, err := store.Study(ctx, "a")
		s.must(err)
		want := study.Lapsed
		if i == 0 {
			want = study.Certified
		}
		if st.State != study.Done || st.Reason != want || st.Afresh != 3+i {
			s.Errorf("erased for the %d. time it is %+v", i+1, st)
		}
	}
	s.underWay(store)
	s.numbered(s.log(store, "a"))
}

// eraseAndMove tests that a study can be moved after an erasure.
func eraseAndMove(s *stage) {
	ctx := s.Context()
	store := s.visited()
	_, err := store.Erase(ctx, "a", anna, s.afresh(store, 2))
	s.must(err)
	s.moved(store, 2)
	_, err = store.Claim(ctx, "a", 1, start)
	s.must(err)
	s.recorded(store, "a", []error{nil}, by(ben, 7, study.Answered))
	whole := s.moved(store, 1)
	taken := study.ErrTaken
	s.recorded(store, "a", []error{taken, taken, taken, taken}, answer(0), answer(2), answer(3), answer(4))
	s.did(store, anna, 0, nil)
	s.planned(store, "a", 1)
	whole.Study.ID = "b"
	for name, spoil := range map[string]func(*study.Archive){
		"a text in what was erased": func(w *study.Archive) { w.Outcomes[0].Respondent = anna },
		"afresh in the middle": func(w *study.Archive) {
			w.Plans = append(w.Plans, w.Plans[0])
			w.Plans[1].Number++
			w.Plans[1].First += 2
		},
		"plans that are not there":   func(w *study.Archive) { w.Plans = slices.Clone(w.Plans); w.Plans[0].Afresh = nil },
		"what is lost is handed out": func(w *study.Archive) { w.Claimed = 6 },
	} {
		bad := whole
		bad.Outcomes, bad.Plans = slices.Clone(whole.Outcomes), slices.Clone(whole.Plans)
		spoil(&bad)
		if err := store.Adopt(ctx, bad); err == nil || errors.Is(err, study.ErrChanged) {
			s.Errorf("%s: got %v", name, err)
		}
	}
}

// moved moves the study a to another store and back. It has no open questions, but unclaimed ones.
func (s *stage) moved(store Store, wantUnclaimed int) study.Archive {
	s.Helper()
	ctx := s.Context()
	whole := s.copied(store)
	s.must(store.Delete(ctx, "a"))
	s.must(store.Adopt(ctx, whole))
	c := &catcher{Store: store}
	_, err := owner.Copy(ctx, store, c, "a")
	s.must(err)
	if diff := cmp.Diff(whole, c.caught); diff != "" {
		s.Error(diff)
	}
	positions, unclaimed, err := store.Overdue(ctx, "a", start.AddDate(1, 0, 0), 9)
	s.must(err)
	if len(positions) > 0 || unclaimed != wantUnclaimed {
		s.Errorf("%v are overdue, %d are unclaimed", positions, unclaimed)
	}
	return whole
}

// eraseAtOnce tests concurrent respondents who answer and take back, a planner and two erasures. No
// data of erased respondents remains, all acknowledged outcomes of others do, and the plans follow
// one another.
func eraseAtOnce(s *stage) {
	ctx := s.Context()
	stores := []Store{s.withStudy(), s.store()}
	s.must(stores[0].Lead(ctx, "a", planner, start, start.AddDate(1, 0, 0)))
	const people, each = 8, 12
	var acknowledged [people]int
	var working, others sync.WaitGroup
	answers := func(g int) {
		for i := range each {
			acknowledged[g] += s.answered(stores[g%2], strconv.Itoa(g), study.Position(g*each+i))
		}
	}
	finished := make(chan struct{})
	others.Go(func() { s.planUntil(stores[0], finished) })
	others.Go(func() { s.follow(stores[1], "a", finished) })
	for g := range people / 2 {
		answers(g)
	}
	for g := range 2 {
		working.Go(func() { s.eraseAll(stores[g], strconv.Itoa(g), strconv.Itoa(g+2)) })
	}
	for g := people / 2; g < people; g++ {
		working.Go(func() { answers(g) })
	}
	working.Wait()
	close(finished)
	others.Wait()

	var left [people]int
	log := s.log(stores[0], "a")
	s.numbered(log)
	for _, o := range log {
		if who, err := strconv.Atoi(o.Respondent); err == nil {
			left[who]++
		}
	}
	for g := range people {
		if want := acknowledged[g] * min(g/4, 1); left[g] != want {
			s.Errorf("of respondent %d there are %d outcomes, want %d", g, left[g], want)
		}
	}
	plans, err := stores[1].Plans(ctx, "a", 0, 1<<30)
	s.must(err)
	st, err := stores[1].Study(ctx, "a")
	s.must(err)
	for i, p := range plans {
		if (p.Afresh != nil) != (i == 0) || p.Number != st.Afresh+i || i > 0 && int(p.First) != int(plans[i-1].First)+len(plans[i-1].Questions) {
			s.Errorf("plan %d of those from %d on is %+v", i+1, st.Afresh, p)
		}
	}
	if len(plans) == 0 || st.Version != 5 {
		s.Errorf("there are %d plans and version %d", len(plans), st.Version)
	}
}

// answered lets a respondent answer, and take every third answer back. It returns the number of
// outcomes.
func (s *stage) answered(store Store, who string, p study.Position) (outcomes int) {
	kinds := []study.Kind{study.Answered}
	if p%3 == 0 {
		kinds = append(kinds, study.Undone)
	}
	for _, kind := range kinds {
		refused, err := store.Record(s.Context(), "a", study.NoLimit, by(who, p, kind))
		if err != nil {
			s.Error(err)
			return outcomes
		}
		if refused[0] == nil {
			outcomes++
		}
	}
	return outcomes
}

// planUntil plans and claims questions until finished is closed.
func (s *stage) planUntil(store Store, finished <-chan struct{}) {
	for {
		err := store.Append(s.Context(), "a", planner, s.next(store, "a", 2))
		if err != nil && !errors.Is(err, study.ErrChanged) && !errors.Is(err, study.ErrNotYours) {
			s.Error(err)
		}
		if _, err := store.Claim(s.Context(), "a", 1, start); err != nil {
			s.Error(err)
		}
		select {
		case <-finished:
			return
		case <-time.After(time.Millisecond): // lets other writers proceed
		}
	}
}

// eraseAll erases respondents one after the other, with retries.
func (s *stage) eraseAll(store Store, people ...string) {
	for _, who := range people {
		for {
			_, err := store.Erase(s.Context(), "a", who, s.afresh(store, 3))
			if err == nil {
				break
			}
			if !errors.Is(err, study.ErrChanged) {
				s.Error(err)
				return
			}
		}
	}
}
