package majority_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

func catalogue(t *testing.T, rows ...[]float64) *choice.Catalogue {
	t.Helper()
	ids := make([]string, len(rows))
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	c, err := choice.NewCatalogue(ids, []string{"x", "y"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// square is four arms at the corners of a square, and one in the middle.
func square(t *testing.T) *choice.Catalogue {
	t.Helper()
	return catalogue(t, []float64{1, 1}, []float64{1, -1}, []float64{-1, 1}, []float64{-1, -1}, []float64{0, 0})
}

func newRace(t *testing.T, c *choice.Catalogue, s majority.Settings) *majority.Race {
	t.Helper()
	r, err := majority.New(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answerAll lets named people of a population answer each questions each, until the race is decided or a number
// of people have answered. It returns the last verdict.
func answerAll(t *testing.T, r *majority.Race, p crowd.Population, people, each int, rng *rand.Rand) strategy.Verdict {
	t.Helper()
	for n := range people {
		person := &crowd.Person{Utilities: p(rng), Rng: rng}
		name := fmt.Sprint("r", n)
		for range each {
			q, err := r.Ask()
			if errors.Is(err, strategy.ErrStopped) {
				return r.Verdict()
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Tell(choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: name}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Finish(name); err != nil {
			t.Fatal(err)
		}
	}
	return r.Verdict()
}

// steady is a population of people with the same utilities.
func steady(utilities ...float64) crowd.Population {
	return func(*rand.Rand) []float64 { return utilities }
}

// TestMajorityDecides: the features mislead, because the arm in the middle is the favourite, which no
// linear utility allows. The race finds it and names its assumption.
func TestMajorityDecides(t *testing.T) {
	for _, each := range []int{1, 7} {
		r := newRace(t, square(t), majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
		v := answerAll(t, r, steady(0, 0.2, -0.5, -1, 1), 2000, each, rand.New(rand.NewPCG(1, 1)))
		if v.Status != strategy.Certified || v.Leader != 4 || v.Assumption != strategy.Majority || v.Respondents == 0 ||
			v.Respondents > v.Answered {
			t.Errorf("%d answers each: %+v", each, v)
		}
	}
}

func snapshotOf(t *testing.T, r *majority.Race) []byte {
	t.Helper()
	data, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFinish: answers count when their respondent finishes, once; late ones do not make a respondent
// complete again, and finishing without answers is no respondent.
func TestFinish(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	tell := func(name string) {
		q, err := r.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Tell(choice.Answer{Question: q, Picks: []int{0}, Respondent: name}); err != nil {
			t.Fatal(err)
		}
	}
	finish := func(name string) {
		if err := r.Finish(name); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, complete, answering, answered int) {
		t.Helper()
		if v := r.Verdict(); v.Respondents != complete || v.Answering != answering || v.Answered != answered {
			t.Errorf("%s: %d respondents, %d answering, %d answers", what, v.Respondents, v.Answering, v.Answered)
		}
	}
	tell("a")
	tell("b")
	tell("a")
	expect("open", 0, 2, 3)
	finish("a")
	expect("one finished", 1, 1, 3)
	tell("a")
	finish("a")
	expect("late", 1, 1, 4)
	tell("")
	expect("without a name", 2, 1, 5)
	finish("c")
	finish("")
	expect("without answers", 2, 1, 5)
	finish("b")
	expect("all", 3, 0, 5)
}

// TestImportGuides: imported answers guide the questions and are no evidence, and neither are later
// answers of their respondents. Answers that were held before count when their respondent finishes.
func TestImportGuides(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	tell := func(name string) {
		t.Helper()
		q, err := r.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Tell(choice.Answer{Question: q, Picks: []int{0}, Respondent: name}); err != nil {
			t.Fatal(err)
		}
	}
	tell("a")
	for i := range 400 {
		for _, name := range []string{"", "a", "b", fmt.Sprint("c", i)} {
			if err := r.Import(choice.Answer{Question: choice.Question{0, 1 + i%4}, Picks: []int{0}, Respondent: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
	v := r.Verdict()
	if v.Status != strategy.Asking || v.Respondents != 0 || v.Leader != 0 || v.Answered != 1601 {
		t.Errorf("after the import: %+v", v)
	}
	tell("b")
	for _, c := range []struct {
		name     string
		complete int
	}{{"b", 0}, {"c1", 0}, {"a", 1}} {
		if !r.Finished(c.name) {
			t.Errorf("%s has imported answers and is not finished", c.name)
		}
		if err := r.Finish(c.name); err != nil {
			t.Fatal(err)
		}
		if got := r.Verdict().Respondents; got != c.complete {
			t.Errorf("after %s has finished there are %d respondents, want %d", c.name, got, c.complete)
		}
	}
}

// TestNoFavouriteIsCertified: people who prefer a to b, b to c and c to a, two thirds each, have no
// favourite. The race certifies that, and names the three. A restored race does the same.
func TestNoFavouriteIsCertified(t *testing.T) {
	cycle := func(rng *rand.Rand) []float64 {
		u := []float64{0, 0, 0, -2, -2}
		first := rng.IntN(3)
		for rank := range 3 {
			u[(first+rank)%3] = 4 * float64(2-rank)
		}
		return u
	}
	c := square(t)
	r := newRace(t, c, majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
	v := answerAll(t, r, cycle, 600, 1, rand.New(rand.NewPCG(6, 6)))
	if named := slices.Sorted(slices.Values(v.Cycle)); v.Status != strategy.Asking || !slices.Equal(named, []int{0, 1, 2}) {
		t.Fatalf("after 600 answers: %+v", v)
	}
	copied, err := majority.Restore(c, snapshotOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, race := range []*majority.Race{r, copied} {
		v = answerAll(t, race, cycle, 3000, 1, rand.New(rand.NewPCG(7, 7)))
		named := slices.Sorted(slices.Values(v.Cycle))
		if v.Status != strategy.Cyclic || !slices.Equal(named, []int{0, 1, 2}) || v.Forecast.Known {
			t.Errorf("%+v", v)
		}
		if _, err := race.Ask(); !errors.Is(err, strategy.ErrStopped) {
			t.Errorf("asks on: %v", err)
		}
	}
	if !bytes.Equal(snapshotOf(t, r), snapshotOf(t, copied)) {
		t.Error("snapshots differ")
	}
	if err := r.Withdraw(0); err != nil { // the cycle is broken
		t.Fatal(err)
	}
	if v := r.Verdict(); v.Status == strategy.Cyclic || v.Leader != 1 {
		t.Errorf("without an arm of the cycle: %+v", v)
	}
}

// TestMajorityArmsComeAndGo: a withdrawn arm is not certified, and a better arm that is added is.
func TestMajorityArmsComeAndGo(t *testing.T) {
	c := square(t)
	r := newRace(t, c.First(4), majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
	rng := rand.New(rand.NewPCG(7, 7))
	v := answerAll(t, r, steady(1, 0.5, 0, 0, 3), 1000, 2, rng)
	if v.Status != strategy.Certified || v.Leader != 0 {
		t.Fatalf("%+v", v)
	}
	if err := r.Extend(c); err != nil {
		t.Fatal(err)
	}
	if r.Verdict().Status != strategy.Asking {
		t.Fatal("the decision stands although there is a new arm")
	}
	more := func(name string, utilities ...float64) strategy.Verdict {
		for n := range 2000 {
			q, err := r.Ask()
			if err != nil {
				break
			}
			person := &crowd.Person{Utilities: utilities, Rng: rng}
			if err := r.Tell(choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: fmt.Sprint(name, n)}); err != nil {
				t.Fatal(err)
			}
			if err := r.Finish(fmt.Sprint(name, n)); err != nil {
				t.Fatal(err)
			}
		}
		return r.Verdict()
	}
	if v = more("extended", 1, 0.5, 0, 0, 3); v.Status != strategy.Certified || v.Leader != 4 {
		t.Fatalf("%+v", v)
	}
	if err := r.Withdraw(4); err != nil {
		t.Fatal(err)
	}
	if v = more("withdrawn", 1, 0.5, 0, 0, 3); v.Status != strategy.Certified || v.Leader != 0 {
		t.Errorf("%+v", v)
	}
}
