package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
)

func record(s *stage) {
	store := s.withStudy()
	taken := study.ErrTaken
	s.recorded(store, "a", nil)
	s.recorded(store, "a", []error{nil}, answer(5))
	s.recorded(store, "a", []error{taken}, answer(5))
	s.recorded(store, "a", []error{nil, nil}, became(0, study.Skipped), became(1, study.Lost))
	for p := range study.Position(2) {
		for _, kind := range []study.Kind{study.Answered, study.Skipped, study.Lost, study.Undone} {
			s.recorded(store, "a", []error{taken}, became(p, kind))
		}
	}
	s.recorded(store, "a", []error{taken}, became(7, study.Undone))

	want := []study.Outcome{answer(5), became(0, study.Skipped), became(1, study.Lost)}
	for i := range want {
		want[i].Number = int64(i) + 1
		got, err := store.At(s.Context(), "a", want[i].Position)
		s.must(err)
		if diff := cmp.Diff(want[i], got); diff != "" {
			s.Error(diff)
		}
	}
	if diff := cmp.Diff(want, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	_, err := store.At(s.Context(), "a", 7)
	s.wants(study.ErrNotFound, err)
	for i, pick := range []int{study.None, study.Tie} {
		other := answer(study.Position(20 + i))
		other.Picks = []int{pick}
		s.recorded(store, "a", []error{nil}, other)
		got, err := store.At(s.Context(), "a", other.Position)
		s.must(err)
		if other.Number = int64(len(want) + 1 + i); cmp.Diff(other, got) != "" {
			s.Error(cmp.Diff(other, got))
		}
	}
}

// recordInOneCall tests that outcomes of one call are decided in order.
func recordInOneCall(s *stage) {
	store := s.withStudy()
	again := answer(3)
	again.Respondent = "again"
	s.recorded(store, "a",
		[]error{nil, study.ErrTaken, nil, nil, study.ErrTaken, nil, study.ErrTaken, nil},
		answer(3), became(3, study.Skipped), became(4, study.Lost), became(3, study.Undone), became(3, study.Undone),
		again, became(4, study.Undone), answer(2))
	var got []string
	for _, o := range s.log(store, "a") {
		got = append(got, fmt.Sprintf("%d %d %s", o.Number, o.Position, o.Kind))
	}
	want := []string{"1 3 answered", "2 4 lost", "3 3 undone", "4 3 answered", "5 2 answered"}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
	last, err := store.At(s.Context(), "a", 3)
	s.must(err)
	if last.Number != 4 || last.Respondent != "again" {
		s.Errorf("the last outcome of question 3 is %+v", last)
	}
}

// recordNothingBad tests that an invalid outcome rejects the whole call.
func recordNothingBad(s *stage) {
	store := s.withStudy()
	for _, bad := range []study.Outcome{
		became(1, "guessed"), became(-1, study.Answered),
		{Position: 1, Kind: study.Answered, Respondent: "\x00"},
		{Position: 1, Kind: study.Answered, Segment: "\xff"},
		{Position: 1, Kind: study.Answered, Respondent: strings.Repeat("x", 1001)},
		{Position: 1, Kind: study.Answered, At: start.AddDate(8000, 0, 0)},
	} {
		if _, err := store.Record(s.Context(), "a", study.NoLimit, answer(0), bad, answer(2)); err == nil {
			s.Errorf("%+v was written", bad)
		}
	}
	if outcomes := s.log(store, "a"); len(outcomes) > 0 {
		s.Errorf("there are %v", outcomes)
	}
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(2))
}

func undone(s *stage) {
	store := s.withStudy()
	s.recorded(store, "a", []error{study.ErrTaken}, became(0, study.Undone))
	for range 3 {
		s.recorded(store, "a", []error{nil}, answer(0))
		s.recorded(store, "a", []error{study.ErrTaken}, answer(0))
		s.recorded(store, "a", []error{nil}, became(0, study.Undone))
		s.recorded(store, "a", []error{study.ErrTaken}, became(0, study.Undone))
		last, err := store.At(s.Context(), "a", 0)
		s.must(err)
		if last.Kind != study.Undone {
			s.Errorf("the last outcome is %+v", last)
		}
	}
	s.recorded(store, "a", []error{nil}, became(0, study.Lost))
	s.recorded(store, "a", []error{study.ErrTaken}, became(0, study.Undone))
	outcomes := s.log(store, "a")
	s.numbered(outcomes)
	if len(outcomes) != 7 {
		s.Errorf("there are %d outcomes, want 7", len(outcomes))
	}
}

// undoneAfterPlan tests that an answer that a plan counts cannot be taken back, and a later one
// can.
func undoneAfterPlan(s *stage) {
	store := s.withStudy()
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(1))
	s.planned(store, "a", 0)
	s.recorded(store, "a", []error{nil}, answer(2))
	s.recorded(store, "a", []error{study.ErrTaken, study.ErrTaken, nil},
		became(0, study.Undone), became(1, study.Undone), became(2, study.Undone))
}

// undoneDuringPlan tests that a planner must start again if it has counted an answer that was taken
// back before the plan was written.
func undoneDuringPlan(s *stage) {
	store := s.withStudy()
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(1))
	s.must(store.Lead(s.Context(), "a", planner, start, start.AddDate(1, 0, 0)))
	plan := s.next(store, "a", 2)
	s.recorded(store, "a", []error{nil, nil}, became(1, study.Undone), answer(1))
	s.wants(study.ErrChanged, store.Append(s.Context(), "a", planner, plan))
	_, err := store.Last(s.Context(), "a")
	s.wants(study.ErrNotFound, err)

	plan.Upto = 1 // the plan does not count the answer that was taken back
	s.must(store.Append(s.Context(), "a", planner, plan))
	s.must(store.Append(s.Context(), "a", planner, s.next(store, "a", 2)))
	s.recorded(store, "a", []error{study.ErrTaken}, became(1, study.Undone))
}

// undoneAsKnown tests that a planner that has seen an undo omits the answer, and counts the answers
// around it.
func undoneAsKnown(s *stage) {
	store := s.withStudy()
	s.recorded(store, "a", []error{nil, nil, nil}, answer(0), answer(1), answer(2))
	s.recorded(store, "a", []error{nil, nil}, became(0, study.Undone), became(2, study.Undone))
	s.must(store.Lead(s.Context(), "a", planner, start, start.AddDate(1, 0, 0)))
	plan := s.next(store, "a", 0)
	for _, test := range []struct {
		upto, known int64
		want        error
	}{
		{1, 3, study.ErrChanged},
		{2, 3, study.ErrChanged},
		{3, 4, study.ErrChanged},
		{2, 4, nil},
		{3, 5, nil},
	} {
		plan.Upto, plan.Known = test.upto, test.known
		if err := store.Append(s.Context(), "a", planner, plan); !s.same(test.want, err) {
			s.Errorf("up to %d, knowing %d: got %v, want %v", test.upto, test.known, err, test.want)
		} else if err == nil {
			last, err := store.Last(s.Context(), "a")
			s.must(err)
			if last.Upto != test.upto || last.Known != test.known {
				s.Errorf("%+v was kept", last)
			}
			plan.Number++
		}
	}
	s.recorded(store, "a", []error{nil, study.ErrTaken, nil}, answer(0), became(1, study.Undone), became(0, study.Undone))
}

func log(s *stage) {
	store := s.withStudy()
	for p := range study.Position(10) {
		s.recorded(store, "a", []error{nil}, answer(9-p))
	}
	for _, test := range []struct {
		after int64
		limit int
		want  []int64
	}{
		{0, 3, []int64{1, 2, 3}},
		{3, 3, []int64{4, 5, 6}},
		{8, 3, []int64{9, 10}},
		{10, 3, nil},
		{99, 3, nil},
		{-5, 2, []int64{1, 2}},
		{0, 0, nil},
		{0, -1, nil},
	} {
		outcomes, err := store.Log(s.Context(), "a", test.after, test.limit)
		s.must(err)
		var numbers []int64
		for _, o := range outcomes {
			numbers = append(numbers, o.Number)
			if o.Position != study.Position(10-o.Number) {
				s.Errorf("outcome %d is of question %d", o.Number, o.Position)
			}
		}
		if !slices.Equal(numbers, test.want) {
			s.Errorf("%d after %d: got %v, want %v", test.limit, test.after, numbers, test.want)
		}
	}
}

// manyRespondents tests two openers with many goroutines: every question gets several answers, of
// which one is written. Numbers have no gaps, and a reader never sees a smaller number later.
func manyRespondents(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	s.must(stores[0].Create(s.Context(), sample("b"), nil))
	const goroutines, each = 32, 100
	var acknowledged atomic.Int64
	var respondents sync.WaitGroup
	for g := range goroutines {
		respondents.Go(func() {
			store, id := stores[g%2], []string{"a", "b"}[g/2%2]
			for i := range study.Position(each) {
				// Eight goroutines, four for each study, answer the same questions.
				o := answer(study.Position(g/8)*each + i)
				results, err := store.Record(s.Context(), id, study.NoLimit, o)
				switch {
				case err != nil:
					s.Error(err)
					return
				case results[0] == nil:
					acknowledged.Add(1)
				default:
					s.wants(study.ErrTaken, results[0])
				}
			}
		})
	}
	finished := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { s.follow(stores[1], "a", finished) })
	respondents.Wait()
	close(finished)
	reader.Wait()

	const questions = goroutines / 8 * each
	if n := acknowledged.Load(); n != 2*questions {
		s.Errorf("%d outcomes were acknowledged, want %d", n, 2*questions)
	}
	for _, id := range []string{"a", "b"} {
		outcomes := s.log(stores[0], id)
		s.numbered(outcomes)
		met := map[study.Position]bool{}
		for _, o := range outcomes {
			met[o.Position] = true
		}
		if len(outcomes) != questions || len(met) != questions {
			s.Errorf("%d outcomes of %d questions, want %d", len(outcomes), len(met), questions)
		}
	}
}

// follow reads a log as it grows. A reader at a number has missed nothing below it.
func (s *stage) follow(store Store, id string, finished <-chan struct{}) {
	read := int64(0)
	for {
		outcomes, err := store.Log(s.Context(), id, read, 50)
		if err != nil {
			s.Error(err)
			return
		}
		for _, o := range outcomes {
			if o.Number != read+1 {
				s.Errorf("outcome %d follows %d", o.Number, read)
				return
			}
			read++
		}
		select {
		case <-finished:
			return
		default:
		}
	}
}

// manyForOneQuestion tests that of many concurrent answers to a question, one is written.
func manyForOneQuestion(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	for p := range study.Position(10) {
		var won atomic.Int32
		var respondents sync.WaitGroup
		for g := range 8 {
			respondents.Go(func() {
				results, err := stores[g%2].Record(s.Context(), "a", study.NoLimit, answer(p))
				if err != nil {
					s.Error(err)
				} else if results[0] == nil {
					won.Add(1)
				}
			})
		}
		respondents.Wait()
		if won.Load() != 1 {
			s.Errorf("question %d has %d answers", p, won.Load())
		}
	}
	s.numbered(s.log(stores[0], "a"))
}

// undoneAtOnce tests answers that are taken back while plans count them. No counted answer is taken
// back.
func undoneAtOnce(s *stage) {
	store := s.withStudy()
	s.must(store.Lead(s.Context(), "a", planner, start, start.AddDate(1, 0, 0)))
	var respondents sync.WaitGroup
	for g := range study.Position(8) {
		respondents.Go(func() {
			for i := range study.Position(25) {
				p := g*25 + i
				for _, o := range []study.Outcome{answer(p), became(p, study.Undone)} {
					if _, err := store.Record(s.Context(), "a", study.NoLimit, o); err != nil {
						s.Error(err)
					}
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		respondents.Wait()
		close(finished)
	}()
	for running := true; running; {
		select {
		case <-finished:
			running = false // one last plan
		default:
		}
		if err := store.Append(s.Context(), "a", planner, s.next(store, "a", 0)); !errors.Is(err, study.ErrChanged) {
			s.must(err)
		}
	}

	plans, err := store.Plans(s.Context(), "a", 0, 1<<30)
	s.must(err)
	outcomes := s.log(store, "a")
	for _, o := range outcomes {
		if o.Kind != study.Undone {
			continue
		}
		answered := slices.IndexFunc(outcomes, func(a study.Outcome) bool { return a.Position == o.Position }) + 1
		teller := slices.IndexFunc(plans, func(p study.Plan) bool { return p.Upto >= int64(answered) })
		if teller >= 0 && plans[teller].Upto < o.Number {
			s.Errorf("plan %d told answer %d, which was undone with %d", plans[teller].Number, answered, o.Number)
		}
	}
}
