// Package strategytest is the conformance suite of [strategy.Strategy]. Every strategy must pass
// it: call [Run] with a [Subject] from a test of the strategy's package.
//
// The suite tests that questions are valid, that a strategy is deterministic, that a restored
// snapshot, if it has any, behaves like the original, that answers may come in any order, that invalid answers
// change nothing, and that lost questions are asked again.
package strategytest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
)

// A Subject is the strategy under test.
type Subject struct {
	// New makes the strategy. Its questions must have k arms.
	New func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error)

	// Restore returns the strategy of a snapshot. Nil for strategies without snapshots.
	Restore func(c *choice.Catalogue, data []byte) (strategy.Strategy, error)

	// K has the question sizes to test.
	K []int

	// Instances are the arms to test it on. Defaults to the instances of the suite.
	Instances map[string]Instance

	// Offer is what respondents may answer besides picks. Defaults to nothing else.
	Offer choice.Offer

	// Questions is the number of questions in each test. It should take the strategy through all its phases.
	Questions int
}

// Run tests a strategy.
func Run(t *testing.T, s Subject) {
	t.Helper()
	if s.Instances == nil {
		s.Instances = instances(t)
	}
	for _, k := range s.K {
		for name, instance := range s.Instances {
			h := harness{Subject: s, k: k, catalogue: instance.Catalogue, theta: instance.Theta}
			t.Run(fmt.Sprintf("%s, K=%d", name, k), func(t *testing.T) {
				t.Run("questions", h.questions)
				t.Run("deterministic", h.deterministic)
				if h.Restore != nil {
					t.Run("replay is snapshot", h.replayIsSnapshot)
				}
				t.Run("any order", h.anyOrder)
				t.Run("refusals", h.refusals)
				t.Run("lost questions", h.lost)
			})
		}
	}
}

// An Instance is a catalogue with the true θ.
type Instance struct {
	Catalogue *choice.Catalogue
	Theta     []float64
}

// instances are easy or hard enough to be decided, or not, in a few hundred questions.
func instances(t *testing.T) map[string]Instance {
	t.Helper()
	of := func(rows [][]float64, theta ...float64) Instance {
		ids, features := make([]string, len(rows)), make([]string, len(theta))
		for i := range ids {
			ids[i] = fmt.Sprint("a", i+1)
		}
		for k := range features {
			features[k] = fmt.Sprint("x", k+1)
		}
		c, err := choice.NewCatalogue(ids, features, rows)
		if err != nil {
			t.Fatal(err)
		}
		return Instance{c, theta}
	}
	return map[string]Instance{
		"unit vectors":        of([][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}}, 3, 0, 0),
		"duplicate arms":      of([][]float64{{1, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, 1}}, 2, 1),
		"arms without span":   of([][]float64{{1, 1, 0}, {-1, -1, 0}, {0.5, 0.5, 0}}, 1, 1, 1),
		"outside of the ball": of([][]float64{{10, 0}, {0, 10}, {-7, 7}, {3, 3}, {1, -9}, {0, 0}}, 0.1, 0.05),
	}
}

// A harness drives a strategy on one instance.
type harness struct {
	Subject

	k         int
	catalogue *choice.Catalogue
	theta     []float64
}

func (h harness) start(t *testing.T, seed uint64) strategy.Strategy {
	t.Helper()
	s, err := h.New(h.catalogue, h.k, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h harness) respondent(seed uint64) crowd.Respondent {
	rng := rand.New(rand.NewPCG(seed, 1))
	if h.Offer.IsPlain() {
		return crowd.NewMNL(h.catalogue, h.theta, rng)
	}
	utility := func(arm int) float64 { return h.catalogue.Utility(arm, h.theta) }
	return crowd.NewOffered(h.Offer, crowd.Constants{Outside: 0.5, Tie: -1}, utility, rng)
}

// checkVerdict fails unless a verdict is consistent.
func (h harness) checkVerdict(t *testing.T, v strategy.Verdict) {
	t.Helper()
	if v.Leader < 0 || v.Leader >= h.catalogue.Len() {
		t.Fatalf("the leader %d is not an arm", v.Leader)
	}
	if len(v.Contenders) == 0 || v.Contenders[0] != v.Leader {
		t.Fatalf("contenders %v do not start with the leader %d", v.Contenders, v.Leader)
	}
	seen := map[int]bool{}
	for _, arm := range v.Contenders {
		if arm < 0 || arm >= h.catalogue.Len() || seen[arm] {
			t.Fatalf("contenders %v", v.Contenders)
		}
		seen[arm] = true
	}
	if v.Status != strategy.Asking && v.Status != strategy.Cyclic && len(v.Contenders) != 1 {
		t.Fatalf("decided with contenders %v", v.Contenders)
	}
	inside := max(len(v.Top)-1, 0)
	if len(v.Top) == h.catalogue.Len() {
		inside = 0 // a ranking
	}
	if want := strategy.NewElimination(h.catalogue, inside, len(v.Contenders)-1+v.Others); v.Elimination != want {
		t.Fatalf("%+v with %d contenders and %d others, want %+v", v.Elimination, len(v.Contenders), v.Others, want)
	}
	if v.Answered > v.Asked {
		t.Fatalf("%d answers to %d questions", v.Answered, v.Asked)
	}
}

// questions tests that questions are valid, one at a time, until the strategy decides, and that the decision is final.
func (h harness) questions(t *testing.T) {
	s, r := h.start(t, 1), h.respondent(1)
	for asked := range h.Questions {
		q, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			h.stopped(t, s)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		_, personal := s.(strategy.Dealer) // may ask about pairs
		if err := q.Check(h.catalogue.Len()); err != nil || len(q) != h.k && !(personal && len(q) == 2) {
			t.Fatalf("question %v: %v", q, err)
		}
		if err := s.Tell(choice.Answer{Question: q, Picks: r.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
		v := s.Verdict()
		h.checkVerdict(t, v)
		if v.Asked != asked+1 || v.Answered != asked+1 {
			t.Fatalf("after %d answers the verdict counts %d questions and %d answers", asked+1, v.Asked, v.Answered)
		}
	}
}

func (h harness) stopped(t *testing.T, s strategy.Strategy) {
	t.Helper()
	v := s.Verdict()
	h.checkVerdict(t, v)
	if v.Status == strategy.Asking {
		t.Fatalf("stopped, but %v", v.Status)
	}
	h.unchanged(t, s, strategy.ErrStopped)
}

// unchanged tests that Ask fails and changes nothing.
func (h harness) unchanged(t *testing.T, s strategy.Strategy, want error) {
	t.Helper()
	before := state(t, s)
	if q, err := s.Ask(); !errors.Is(err, want) {
		t.Fatalf("asked %v (%v), want the error %v again", q, err, want)
	}
	if state(t, s) != before {
		t.Fatal("Ask returned an error and changed the state")
	}
}

// state returns what can be seen of the state of a strategy: its snapshot, or else its verdict.
func state(t *testing.T, s strategy.Strategy) string {
	t.Helper()
	snapshotter, ok := s.(strategy.Snapshotter)
	if !ok {
		return fmt.Sprint(s.Verdict())
	}
	saved, err := snapshotter.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return string(saved)
}

// deterministic tests that two strategies with one seed and the same answers ask the same questions.
func (h harness) deterministic(t *testing.T) {
	a, b, r := h.start(t, 2), h.start(t, 2), h.respondent(2)
	for range h.Questions {
		qa, errA := a.Ask()
		qb, errB := b.Ask()
		if !slices.Equal(qa, qb) || !errors.Is(errB, errA) {
			t.Fatalf("%v (%v) and %v (%v)", qa, errA, qb, errB)
		}
		if errA != nil {
			return
		}
		answer := choice.Answer{Question: qa, Picks: r.Pick(qa, 1)}
		if a.Tell(answer) != nil || b.Tell(answer) != nil {
			t.Fatal("refused")
		}
		if va, vb := fmt.Sprint(a.Verdict()), fmt.Sprint(b.Verdict()); va != vb {
			t.Fatalf("%s and %s", va, vb)
		}
	}
}

// replayIsSnapshot tests that a strategy restored from a snapshot, taken at any moment with
// questions outstanding, behaves like the original.
func (h harness) replayIsSnapshot(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	original, r := h.start(t, 3), h.respondent(3)
	copied := original
	var out []choice.Question
	for range h.Questions {
		if rng.IntN(20) == 0 {
			copied = h.restored(t, original)
		}
		if len(out) == 0 || rng.IntN(3) > 0 {
			q, err := askBoth(t, original, copied)
			if err == nil {
				out = append(out, q)
			} else if len(out) == 0 {
				return
			}
			continue
		}
		at := rng.IntN(len(out))
		answer := choice.Answer{Question: out[at], Picks: slices.Clone(r.Pick(out[at], 1))}
		out = slices.Delete(out, at, at+1)
		for _, s := range distinct(original, copied) {
			if err := s.Tell(answer); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := fmt.Sprint(original.Verdict()), fmt.Sprint(copied.Verdict()); a != b {
			t.Fatalf("verdict %s, restored %s", a, b)
		}
	}
}

// restored returns the strategy restored from a snapshot of s. Its own snapshot must be identical.
func (h harness) restored(t *testing.T, s strategy.Strategy) strategy.Strategy {
	t.Helper()
	saved := state(t, s)
	copied, err := h.Restore(h.catalogue, []byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	if again := state(t, copied); saved != again {
		t.Fatalf("a snapshot of the restored differs:\n%s\n%s", saved, again)
	}
	return copied
}

// askBoth asks both for a question, which must be the same.
func askBoth(t *testing.T, original, copied strategy.Strategy) (choice.Question, error) {
	t.Helper()
	q, err := original.Ask()
	if copied != original {
		if other, otherErr := copied.Ask(); !slices.Equal(q, other) || !errors.Is(otherErr, err) {
			t.Fatalf("asked %v (%v), restored %v (%v)", q, err, other, otherErr)
		}
	}
	return q, err
}

func distinct(a, b strategy.Strategy) []strategy.Strategy {
	if a == b {
		return []strategy.Strategy{a}
	}
	return []strategy.Strategy{a, b}
}

// anyOrder tests many outstanding questions, answered in any order. When the strategy waits, an answer must let it continue.
func (h harness) anyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	s, r := h.start(t, 4), h.respondent(4)
	var out []choice.Question
	answered := 0
	for range h.Questions {
		q, err := s.Ask()
		switch {
		case err == nil:
			out = append(out, slices.Clone(q))
		case errors.Is(err, strategy.ErrStopped):
			h.stopped(t, s)
			if len(out) > 0 { // a late answer is accepted and changes nothing
				before := s.Verdict().Leader
				if err := s.Tell(choice.Answer{Question: out[0], Picks: r.Pick(out[0], 1)}); err != nil {
					t.Fatalf("a late answer was rejected: %v", err)
				}
				if s.Verdict().Leader != before {
					t.Fatal("a late answer changed the decision")
				}
			}
			return
		case errors.Is(err, strategy.ErrWaiting) && len(out) == 0:
			t.Fatal("waits with no question outstanding")
		case !errors.Is(err, strategy.ErrWaiting):
			t.Fatal(err)
		default:
			h.unchanged(t, s, strategy.ErrWaiting)
		}
		for len(out) > 0 && (len(out) > 10 || err != nil || rng.IntN(2) == 0) {
			at := rng.IntN(len(out))
			if err := s.Tell(choice.Answer{Question: out[at], Picks: r.Pick(out[at], 1)}); err != nil {
				t.Fatal(err)
			}
			out = slices.Delete(out, at, at+1)
			answered++
		}
		v := s.Verdict()
		h.checkVerdict(t, v)
		if v.Answered != answered {
			t.Fatalf("the verdict counts %d answers, there were %d", v.Answered, answered)
		}
	}
}

// refusals tests that a rejected answer changes nothing, and neither does Verdict.
func (h harness) refusals(t *testing.T) {
	s, r := h.start(t, 5), h.respondent(5)
	for range min(h.Questions, 30) {
		q, err := s.Ask()
		if err != nil {
			break
		}
		before := state(t, s)
		never := make(choice.Question, h.k+1) // one slot more than any question
		never[0] = h.catalogue.Len() - 1
		if !h.Offer.Outside && s.Tell(choice.Answer{Question: q, Picks: []int{choice.None}}) == nil {
			t.Fatal("none of the arms was accepted, but is not offered")
		}
		if !h.Offer.Ties && s.Tell(choice.Answer{Question: q, Picks: []int{choice.Tie}}) == nil {
			t.Fatal("a tie was accepted, but is not offered")
		}
		for what, bad := range map[string]choice.Answer{
			"none and more":  {Question: q, Picks: []int{choice.None, 0}},
			"a tie and more": {Question: q, Picks: []int{0, choice.Tie}},
			"no pick":        {Question: q},
			"slot":           {Question: q, Picks: []int{h.k}},
			"twice":          {Question: q, Picks: []int{0, 0}},
			"not asked":      {Question: never, Picks: []int{0}},
			"no such arm":    {Question: choice.Question{0, h.catalogue.Len()}, Picks: []int{0}},
			"empty question": {},
		} {
			if s.Tell(bad) == nil {
				t.Fatalf("%s: %v was accepted", what, bad)
			}
		}
		if err := s.Lose(never); !errors.Is(err, strategy.ErrNotAsked) {
			t.Fatalf("a question that was not asked was lost: %v", err)
		}
		s.Verdict()
		if state(t, s) != before {
			t.Fatal("rejected answers or a verdict changed the state")
		}
		answer := choice.Answer{Question: q, Picks: r.Pick(q, 1)}
		if err := s.Tell(answer); err != nil {
			t.Fatal(err)
		}
		if err := s.Tell(answer); !errors.Is(err, strategy.ErrNotAsked) {
			t.Fatalf("the same answer twice: %v", err)
		}
	}
}

// lost tests that questions without an answer are asked again.
func (h harness) lost(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	s, r := h.start(t, 6), h.respondent(6)
	lost := 0
	for range h.Questions {
		q, err := s.Ask()
		if err != nil {
			if !errors.Is(err, strategy.ErrStopped) {
				t.Fatal(err)
			}
			return
		}
		if rng.IntN(4) == 0 {
			if err := s.Lose(q); err != nil {
				t.Fatal(err)
			}
			lost++
			again, err := s.Ask()
			if err != nil || !slices.Equal(q, again) {
				t.Fatalf("lost %v, then asked %v (%v)", q, again, err)
			}
		}
		if err := s.Tell(choice.Answer{Question: q, Picks: r.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
		v := s.Verdict()
		h.checkVerdict(t, v)
		if v.Asked != v.Answered {
			t.Fatalf("with none outstanding the verdict counts %d questions and %d answers", v.Asked, v.Answered)
		}
	}
}
