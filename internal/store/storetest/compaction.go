package storetest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/strategy"
)

// later is after the upgrade of every store, so that studies may be compacted.
var later = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// bulkyPlans is a number of plans of which at least one block is made.
const bulkyPlans = 72

// verdictOf returns the complete verdict of a plan.
func verdictOf(number int) []byte {
	return study.Verdict{
		Status: strategy.Asking.String(), Leader: number % 5, Contenders: []strategy.Standing{{Arm: 1, Evidence: 0.25}, {Arm: 3, Evidence: 1.5}}, Others: number % 3,
		Answered: 2 * number, Settings: "terms", Digest: fmt.Sprint("digest ", number),
	}.Written()
}

// bulky creates the study a with many plans of two questions each. All of them are claimed and have an outcome, but for
// those of the last two plans.
func (s *stage) bulky(store Store) {
	s.Helper()
	s.must(store.Create(s.Context(), sample("a"), []byte("arms")))
	s.must(store.Lead(s.Context(), "a", planner, start, start.Add(time.Hour)))
	s.more(store, bulkyPlans)
}

// more adds plans, and outcomes of the questions before.
func (s *stage) more(store Store, plans int) {
	s.Helper()
	ctx := s.Context()
	for i := range plans {
		p := s.next(store, "a", 2)
		p.Verdict, p.At = verdictOf(p.Number), start.Add(time.Duration(p.Number)*1001*time.Microsecond)
		if i == 10 {
			p.Arms, p.Withdrawn, p.Questions = 7, []int{2}, nil
		}
		if i == 20 { // reopened later
			p.Done, p.Version = study.Spent, s.version(store)
		}
		s.must(store.Append(ctx, "a", planner, p))
		if p.Done != "" {
			s.reopen(store)
		}
		c, err := store.Claim(ctx, "a", 2, start)
		s.must(err)
		if i >= plans-2 {
			continue
		}
		for k := range c.Questions {
			position := c.First + study.Position(k)
			o := answer(position)
			o.Respondent = fmt.Sprint("Zoë ", position%7)
			if position%5 == 1 {
				s.recorded(store, "a", []error{nil, nil}, o, study.Outcome{Position: position, Kind: study.Undone, Respondent: o.Respondent, At: start})
			}
			if position%5 == 2 {
				o.Kind, o.Picks, o.Note = study.Skipped, nil, study.Note{}
			}
			s.recorded(store, "a", []error{nil}, o)
		}
	}
}

// reopen opens the study a again.
func (s *stage) reopen(store Store) {
	s.Helper()
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	st.State, st.Reason = study.Open, ""
	_, err = store.Change(s.Context(), st, st.Version, nil)
	s.must(err)
}

// compacted compacts the study a.
func (s *stage) compacted(store Store) {
	s.Helper()
	s.are(store, "a")
	s.must(store.Compact(s.Context(), "a"))
	s.are(store)
}

// are compares the bulky studies.
func (s *stage) are(store Store, want ...string) {
	s.Helper()
	bulky, err := store.Bulky(s.Context(), later)
	s.must(err)
	if !slices.Equal(bulky, want) {
		s.Errorf("bulky: %q, want %q", bulky, want)
	}
}

// contents is what can be read of a study.
type contents struct {
	Plans     []study.Plan
	Log, At   []study.Outcome
	Histories []study.History
	Overdue   []study.Position
	Unclaimed int
}

// contents reads the study a.
func (s *stage) contents(store Store) (c contents) {
	s.Helper()
	ctx := s.Context()
	var err error
	c.Plans, err = store.Plans(ctx, "a", 0, 1<<30)
	s.must(err)
	c.Log = s.log(store, "a")
	for position := range study.Position(2*len(c.Plans) + 1) {
		if o, err := store.At(ctx, "a", position); err == nil {
			c.At = append(c.At, o)
		} else {
			s.wants(study.ErrNotFound, err)
		}
	}
	for i := range 8 {
		h, err := store.Respondent(ctx, "a", fmt.Sprint("Zoë ", i))
		s.must(err)
		c.Histories = append(c.Histories, h)
	}
	c.Overdue, c.Unclaimed, err = store.Overdue(ctx, "a", start.Add(time.Hour), 1<<30)
	s.must(err)
	return c
}

// prunedTo returns the contents with pruned verdicts in the plans with numbers below one.
func (c contents) prunedTo(number int) contents {
	c.Plans = slices.Clone(c.Plans)
	for i, p := range c.Plans {
		if p.Number < number {
			c.Plans[i] = p.Prune()
		}
	}
	return c
}

// compact tests that compaction changes nothing but verdicts.
func compact(s *stage) {
	ctx, store := s.Context(), s.store()
	s.bulky(store)
	before := s.contents(store)
	s.compacted(store)
	after := s.contents(store)
	last := after.Plans[len(after.Plans)-1].Number
	kept := slices.IndexFunc(after.Plans, func(p study.Plan) bool { return !p.IsPruned() && p.Done == "" })
	if kept != last-1 {
		s.Fatalf("the verdicts of %d of %d plans are pruned", kept, last)
	}
	if diff := cmp.Diff(before.prunedTo(after.Plans[kept].Number), after); diff != "" {
		s.Error(diff)
	}
	for _, test := range [][2]int{{0, 1}, {0, 32}, {5, 60}, {31, 1}, {31, 2}, {kept - 1, 2}, {kept, 1}, {last - 1, 9}, {last, 9}, {-3, 2}, {3, 0}} {
		some, err := store.Plans(ctx, "a", test[0], test[1])
		s.must(err)
		from := max(test[0], 0)
		want := after.Plans[from:min(from+test[1], len(after.Plans))]
		if diff := cmp.Diff(want, some, sameWhenEmpty()); diff != "" {
			s.Errorf("%d plans after %d: %s", test[1], test[0], diff)
		}
	}
	const settled = 2 * (bulkyPlans - 3) // one plan has no questions, and the questions of the last two have no outcomes
	for position := range study.Position(settled) {
		s.recorded(store, "a", []error{study.ErrTaken, study.ErrTaken}, answer(position), became(position, study.Undone))
	}
	theirs := answer(10_000)
	theirs.Respondent = "Zoë 3"
	refused, err := store.Record(ctx, "a", after.Histories[3].Questions, theirs)
	s.must(err)
	s.wants(study.ErrEnough, refused[0])
	s.must(store.SaveSnapshot(ctx, "a", 5, []byte("state")))
	if plan, _, err := store.Snapshot(ctx, "a"); err != nil || plan != 5 {
		s.Errorf("the snapshot is of plan %d, %v", plan, err)
	}

	s.more(store, bulkyPlans)
	before = s.contents(store)
	s.compacted(store)
	if diff := cmp.Diff(before.prunedTo(kept), s.contents(store).prunedTo(kept)); diff == "" {
		s.Error("nothing more was compacted")
	}
	s.must(store.Delete(ctx, "a"))
}

// compactUpgraded tests that nothing is compacted while earlier versions may run.
func compactUpgraded(s *stage) {
	store := s.store()
	s.bulky(store)
	bulky, err := store.Bulky(s.Context(), start)
	s.must(err)
	if len(bulky) > 0 {
		s.Errorf("bulky: %q", bulky)
	}
}

// compactDone tests that all plans of a study that is over are compacted but the last one, and that it can continue.
func compactDone(s *stage) {
	ctx, store := s.Context(), s.store()
	s.must(store.Create(ctx, sample("a"), []byte("arms")))
	s.planned(store, "a", 2)
	for range 3 {
		s.must(store.Append(ctx, "a", planner, s.next(store, "a", 2)))
	}
	end := s.next(store, "a", 0)
	end.Done, end.Version = study.Spent, 1
	s.must(store.Append(ctx, "a", planner, end))
	_, err := store.Claim(ctx, "a", 3, start)
	s.must(err)
	before := s.contents(store)
	s.compacted(store)
	if diff := cmp.Diff(before, s.contents(store)); diff != "" { // these verdicts are not as this version writes them
		s.Error(diff)
	}
	s.reopen(store)
	s.must(store.Append(ctx, "a", planner, s.next(store, "a", 1)))
	c, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	want := study.Claim{First: 3, At: start, Plans: []int{2, 3, 3, 4, 4, 6}}
	for p := range study.Position(6) {
		want.Questions = append(want.Questions, question(3+p))
	}
	if diff := cmp.Diff(want, c); diff != "" {
		s.Error(diff)
	}
}

// compactErased tests an erasure after a compaction.
func compactErased(s *stage) {
	ctx, store := s.Context(), s.store()
	s.bulky(store)
	s.compacted(store)
	last, err := store.Last(ctx, "a")
	s.must(err)
	p := study.Plan{Afresh: &study.Afresh{Arms: 6}, Upto: last.Upto, Known: last.Known, Verdict: verdictOf(1), At: start, Version: s.version(store)}
	p, err = store.Erase(ctx, "a", "Zoë 3", p)
	s.must(err)
	c := s.contents(store)
	if len(c.Plans) != 1 || c.Plans[0].Number != p.Number || p.Number != last.Number+1 {
		s.Errorf("plan %d follows plan %d; there are %d", p.Number, last.Number, len(c.Plans))
	}
	for _, o := range c.At {
		if o.Respondent == "Zoë 3" {
			s.Errorf("outcome %d is not erased", o.Number)
		}
	}
	s.recorded(store, "a", []error{study.ErrTaken}, answer(3))
	s.must(store.SaveSnapshot(ctx, "a", 5, []byte("state"))) // its plan was erased
	_, _, err = store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
}

// compactAtOnce tests compactions by two processes while plans are read and written.
func compactAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	s.bulky(stores[0])
	want := s.contents(stores[0])
	var working sync.WaitGroup
	for _, store := range stores {
		working.Go(func() {
			if err := store.Compact(s.Context(), "a"); err != nil {
				s.Error(err)
			}
		})
		working.Go(func() {
			for range 20 {
				plans, err := store.Plans(s.Context(), "a", 0, bulkyPlans)
				if err != nil || len(plans) != bulkyPlans || plans[bulkyPlans-1].Number != bulkyPlans {
					s.Errorf("%d plans, %v", len(plans), err)
				}
			}
		})
	}
	working.Wait()
	s.must(stores[0].Compact(s.Context(), "a"))
	got := s.contents(stores[1])
	if diff := cmp.Diff(want.prunedTo(1<<30), got.prunedTo(1<<30)); diff != "" {
		s.Error(diff)
	}
}

// compacting, in place of the first question, makes a child compact a study again and again.
const compacting = "compact"

// compactForever adds plans to the study a and compacts it, and writes the number of the last plan after each.
func compactForever(store Store, done io.Writer) error {
	ctx := context.Background()
	last, err := store.Last(ctx, "a")
	if err != nil {
		return err
	}
	p := study.Plan{Number: last.Number, Upto: last.Upto, First: last.First + study.Position(len(last.Questions)), At: start}
	for {
		for range 2 {
			p.Number++
			p.Verdict, p.Questions, p.Known = verdictOf(p.Number), [][]int{question(p.First), question(p.First + 1)}, p.Upto
			if err := store.Append(ctx, "a", planner, p); err != nil {
				return err
			}
			if _, err := store.Claim(ctx, "a", 2, start); err != nil {
				return err
			}
			refused, err := store.Record(ctx, "a", study.NoLimit, answer(p.First), answer(p.First+1))
			if err != nil || refused[0] != nil || refused[1] != nil {
				return fmt.Errorf("not recorded: %w, %v", err, refused)
			}
			if p.Upto, err = store.Length(ctx, "a"); err != nil {
				return err
			}
			p.First += 2
		}
		if err := store.Compact(ctx, "a"); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(done, p.Number); err != nil {
			return err
		}
	}
}

// KilledCompaction repeatedly starts this program as a process that adds plans to the study in the store at a place and
// compacts it, and kills it after a moment. All plans and all outcomes must be there each time, exactly once.
func KilledCompaction(t *testing.T, rounds int, place string, open func(place string) (Store, error)) {
	t.Helper()
	s := &stage{T: t, open: func() (Store, error) { return open(place) }}
	store := s.withStudy()
	s.must(store.Lead(t.Context(), "a", planner, start, start.Add(time.Hour)))
	s.must(store.Append(t.Context(), "a", planner, s.next(store, "a", 0)))
	s.must(store.Close())
	random := rand.New(rand.NewPCG(3, 4))
	for round := range rounds {
		enough := 10 + random.IntN(100)
		done := s.killAfter(place, compacting, func(int64) bool { enough--; return enough <= 0 })
		store := s.store()
		c := s.contents(store)
		if n := len(done); n == 0 || int64(len(c.Plans)) < done[n-1] {
			t.Fatalf("round %d: there are %d plans after %v", round, len(c.Plans), done)
		}
		s.whole(c)
		s.settle(store, c)
		s.must(store.Close())
	}
}

// whole tests that plans follow each other with the right verdicts, and that every outcome is found by its question.
func (s *stage) whole(c contents) {
	s.Helper()
	first := study.Position(0)
	for i, p := range c.Plans {
		want := study.Plan{Number: p.Number, Verdict: verdictOf(p.Number)}
		if p.IsPruned() {
			want = want.Prune()
		}
		if p.Number != i+1 || p.First != first || p.Number > 1 && string(p.Verdict) != string(want.Verdict) {
			s.Fatalf("plan %d follows %d plans with %d questions; its verdict is %s", p.Number, i, first, p.Verdict)
		}
		first += study.Position(len(p.Questions))
	}
	s.numbered(c.Log)
	found := map[study.Position]int64{}
	for _, o := range c.At {
		found[o.Position] = o.Number
	}
	for _, o := range c.Log {
		if found[o.Position] != o.Number {
			s.Fatalf("question %d has outcome %d, found %d", o.Position, o.Number, found[o.Position])
		}
	}
}

// settle records outcomes of the questions that have none, so that the next child can continue.
func (s *stage) settle(store Store, c contents) {
	s.Helper()
	_, err := store.Claim(s.Context(), "a", c.Unclaimed, start)
	s.must(err)
	open, _, err := store.Overdue(s.Context(), "a", start.Add(time.Hour), 1<<30)
	s.must(err)
	for _, position := range open {
		s.recorded(store, "a", []error{nil}, answer(position))
	}
}
