package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// verdictOf returns a complete verdict.
func verdictOf(number int) []byte {
	return study.Verdict{
		Status: strategy.Asking.String(), Leader: number,
		Contenders: []strategy.Standing{{Arm: 1, Evidence: 0.25}, {Arm: 3, Evidence: 1.5}},
		Answered:   2 * number, Settings: "terms", Digest: fmt.Sprint("digest ", number),
	}.Written()
}

// backlog tests that the backlog has the outcomes that no plan has counted, also after the end of the study, and studies that
// need a plan without them.
func backlog(s *stage) {
	store := s.withStudy()
	want := func(done, others, due int64) {
		s.Helper()
		if b, err := store.Backlog(s.Context()); err != nil || b != (sqlstore.Backlog{Done: done, Others: others, Due: due}) {
			s.Errorf("%+v, want %d outcomes of studies that are done, %d others and %d studies: %v", b, done, others, due, err)
		}
	}
	want(0, 0, 1) // it has no questions
	s.lead(store, start.Add(time.Hour))
	p := s.next(store, 9)
	p.Version = 1
	s.must(store.Append(s.Context(), "a", planner, p))
	claim, err := store.Claim(s.Context(), "a", 3, start)
	s.must(err)
	want(0, 0, 0)
	for i := range claim.Questions {
		s.must(s.record(store, study.NoLimit, answer(study.Position(i))))
	}
	want(0, 3, 0)
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	st.State, st.Reason = study.Done, study.Stopped
	_, err = store.Change(s.Context(), st, st.Version, nil)
	s.must(err)
	want(3, 0, 0)
	s.must(store.Append(s.Context(), "a", planner, s.next(store, 0)))
	want(0, 0, 1) // until its planner has released it
}

// refused tests that a study that is done, past its deadline or without budget takes no answer and deals no question,
// whatever its writers know of it. A paused one takes answers, and each takes lost questions.
func refused(s *stage) {
	store := s.store()
	for id, c := range map[string]struct {
		edit          func(st *study.Study)
		answer, deals error
	}{
		"open":   {func(*study.Study) {}, nil, nil},
		"paused": {func(st *study.Study) { st.State = study.Paused }, nil, study.ErrNotOpen},
		"done":   {func(st *study.Study) { st.State = study.Done }, study.ErrNotOpen, study.ErrNotOpen},
		"late":   {func(st *study.Study) { st.Settings.Deadline = start }, study.ErrNotOpen, study.ErrNotOpen},
		"spent":  {func(st *study.Study) { st.Settings.Budget = 1 }, study.ErrFull, study.ErrFull},
	} {
		st := sample(id)
		c.edit(&st)
		s.must(store.Create(s.Context(), st, []byte("arms")))
		outcomes, want := []study.Outcome{answer(1), became(2, study.Lost)}, []error{c.answer, nil}
		if id == "spent" {
			outcomes, want = append(outcomes, answer(3)), []error{nil, nil, c.answer}
		}
		got, err := store.Record(s.Context(), id, study.Terms{}, outcomes...)
		s.must(err)
		for i, err := range got {
			s.wants(want[i], err)
		}
		_, err = store.Claim(s.Context(), id, 1, start)
		s.wants(c.deals, err)
	}
}

// budgetIsShared tests that no process claims all that is left of a budget.
func budgetIsShared(s *stage) {
	store, st := s.store(), sample("a")
	st.Settings.Budget = 8
	s.must(store.Create(s.Context(), st, []byte("arms")))
	s.planned(store, 20)
	if claim, err := store.Claim(s.Context(), "a", 8, start); err != nil || len(claim.Questions) != 2 {
		s.Errorf("%d questions of a budget of 8 are claimed at once: %v", len(claim.Questions), err)
	}
}

// dealAtOnce tests that two openers together deal hands, claim and answer: no question is dealt or claimed twice, each
// dealer claims in order, a name has one hand, and the numbers of the log have no gaps.
func dealAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const people, dealers = 12, 4 // a writer that starves gets the file in time
	s.planned(stores[0], 1000)
	var wait sync.WaitGroup
	claims := make([][]study.Position, dealers)
	for g := range dealers {
		store := stores[g%2]
		wait.Go(func() {
			for i := range people {
				name := fmt.Sprint("person ", (i+g*people/2)%(people*dealers/2)) // two dealers meet everyone
				arrival, err := store.Deal(s.Context(), "a", handSize, nil, study.Outcome{Respondent: name, At: start})
				if err != nil {
					s.Error(err)
					return
				}
				claim, err := store.Claim(s.Context(), "a", 1+g, start)
				if err != nil {
					s.Error(err)
					return
				}
				for i, q := range claim.Questions {
					p := claim.First + study.Position(i)
					if claims[g] = append(claims[g], p); !slices.Equal(q, question(p)) {
						s.Errorf("question %d is %v", p, q)
					}
				}
				own := answer(arrival.Hand.First + study.Position(g/2))
				own.Respondent = name
				if err := s.record(store, study.NoLimit, own, answer(claim.First)); err != nil && !errors.Is(err, study.ErrTaken) {
					s.Error(err)
				}
			}
		})
	}
	wait.Wait()
	log := s.log(stores[1], "a")
	s.numbered(log)
	dealt, names := slices.Concat(claims...), map[string]bool{}
	for g := range claims {
		if !slices.IsSorted(claims[g]) {
			s.Errorf("dealer %d has %v", g, claims[g])
		}
	}
	for _, o := range log {
		if o.Kind != study.Arrived {
			continue
		}
		if names[o.Respondent] {
			s.Errorf("%s has two hands", o.Respondent)
		}
		names[o.Respondent] = true
		for i, card := range o.Hand.Cards {
			p := o.Hand.First + study.Position(i)
			if dealt = append(dealt, p); !slices.Equal(card, question(p)) {
				s.Errorf("question %d of a hand is %v", p, card)
			}
		}
	}
	slices.Sort(dealt)
	for i, p := range dealt {
		if p != study.Position(i) {
			s.Fatalf("question %d was dealt in place of %d", p, i)
		}
	}
	if len(names) != people*dealers/2 {
		s.Errorf("%d people have a hand", len(names))
	}
}

// manyRespondents tests two openers with many goroutines: every question gets several answers, of
// which one is written. Numbers have no gaps, and a reader never sees a smaller number later.
func manyRespondents(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	s.must(stores[0].Create(s.Context(), sample("b"), nil))
	const goroutines, each = 32, 100
	var acknowledged atomic.Int64
	finished := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { s.follow(stores[1], "a", finished) })
	s.together(goroutines, nil, func(g int) error {
		store, id := stores[g%2], []string{"a", "b"}[g/2%2]
		for i := range study.Position(each) {
			// Eight goroutines, four for each study, answer the same questions.
			results, err := store.Record(s.Context(), id, study.Terms{}, answer(study.Position(g/8)*each+i))
			switch {
			case err != nil:
				return err
			case results[0] == nil:
				acknowledged.Add(1)
			default:
				s.wants(study.ErrTaken, results[0])
			}
		}
		return nil
	})
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

// undoneAtOnce tests answers that are taken back while plans count them. No counted answer is taken
// back.
func undoneAtOnce(s *stage) {
	store := s.withStudy()
	s.lead(store, start.AddDate(1, 0, 0))
	var respondents sync.WaitGroup
	for g := range study.Position(8) {
		respondents.Go(func() {
			for i := range study.Position(25) {
				p := g*25 + i
				for _, o := range []study.Outcome{answer(p), became(p, study.Undone)} {
					if _, err := store.Record(s.Context(), "a", study.Terms{}, o); err != nil {
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
		if err := store.Append(s.Context(), "a", planner, s.next(store, 0)); !errors.Is(err, study.ErrChanged) {
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
		teller := slices.IndexFunc(plans, func(p study.Plan) bool { return p.LastCounted >= int64(answered) })
		if teller >= 0 && plans[teller].LastCounted < o.Number {
			s.Errorf("plan %d told answer %d, which was undone with %d", plans[teller].Number, answered, o.Number)
		}
	}
}
