package bestpick

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/strategy"
)

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("option ", i+1)
	}
	return list
}

// TestGuaranteeIsTheServices: a race has the settings of a new live study.
func TestGuaranteeIsTheServices(t *testing.T) {
	for _, n := range []int{2, 3, 40, MaxMajority, MaxMajority + 1} {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = []float64{float64(i % 7), float64(i % 11)}
		}
		arms, err := choice.NewCatalogue(names(n), []string{"x", "y"}, rows)
		if err != nil {
			t.Fatal(err)
		}
		race, err := start(arms)
		if err != nil {
			t.Fatal(err)
		}
		service := owner.Guarantee{}.Apply(study.Settings{}, arms)
		q, err := race.Ask()
		if err != nil || len(q.Options) != service.Strategy.K || q.Picks != service.Wanted(len(q.Options)) {
			t.Errorf("%d options: %+v, %v, the service has %+v", n, q, err, service)
		}
		s := service.Strategy
		if s.Delta != Delta || (s.Assume == strategy.Majority) != (n <= MaxMajority) ||
			s.Assume == strategy.Majority && s.Epsilon != Epsilon {
			t.Errorf("%d options: the service has %+v", n, s)
		}
	}
}

// TestTable: people who like light and brass have a favourite lamp, also if each of them answers several questions, skips
// one, or several people answer at once.
func TestTable(t *testing.T) {
	lamps, rows := []string{"plain", "bright", "brass", "bright brass"}, [][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}}
	race, err := NewTable(lamps, []string{"light", "brass"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	people := crowd.NewMNL(race.arms, []float64{1, 0.7}, rand.New(rand.NewPCG(1, 2)))
	for person := 0; !race.Result().Done; person++ {
		name := fmt.Sprint("person ", person)
		hand, err := race.Deal(name, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range hand {
			switch {
			case i == 0:
				err = race.Skip(q)
			case i < 3 || person%2 == 0: // some people leave before the last question
				slots := people.Pick(q.card.Question, q.Picks)
				picks := make([]string, len(slots))
				for k, slot := range slots {
					picks[k] = q.Options[slot]
				}
				err = race.Tell(q, picks...)
			default:
				err = race.End(name)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if person == 5000 {
			t.Fatalf("not done: %+v", race.Result())
		}
	}
	want := Result{Best: "bright brass", Contenders: []string{"bright brass"}, Done: true, Certified: true}
	got := race.Result()
	if got.Best != want.Best || !slices.Equal(got.Contenders, want.Contenders) || !got.Certified || got.Answers == 0 ||
		got.People == 0 || got.Partial || !(got.AtMost > 0 && got.AtMost <= 0.55) {
		t.Errorf("%+v", got)
	}
	if _, err := race.Deal("someone", 2); !errors.Is(err, ErrDone) {
		t.Errorf("Deal after the end: %v", err)
	}
	if _, err := race.Ask(); !errors.Is(err, ErrDone) {
		t.Errorf("Ask after the end: %v", err)
	}
}

// TestMistakesAreErrors: what a caller can do wrong is an error and changes nothing.
func TestMistakesAreErrors(t *testing.T) {
	for what, make := range map[string]func() (*Race, error){
		"no options": func() (*Race, error) { return New(nil) },
		"one option": func() (*Race, error) { return New([]string{"a"}) },
		"twice":      func() (*Race, error) { return New([]string{"a", "a"}) },
		"no name":    func() (*Race, error) { return New([]string{"a", ""}) },
		"no row":     func() (*Race, error) { return NewTable([]string{"a", "b"}, []string{"x"}, [][]float64{{1}}) },
		"short row": func() (*Race, error) {
			return NewTable([]string{"a", "b"}, []string{"x", "y"}, [][]float64{{1, 2}, {1}})
		},
		"no features": func() (*Race, error) { return NewTable([]string{"a", "b"}, nil, [][]float64{{}, {}}) },
	} {
		if race, err := make(); err == nil {
			t.Errorf("%s: %+v", what, race)
		}
	}
	race, err := New(names(4))
	if err != nil {
		t.Fatal(err)
	}
	q, err := race.Ask()
	if err != nil {
		t.Fatal(err)
	}
	if race.Tell(q, "another") == nil || race.Tell(Question{}, "option 1") == nil {
		t.Error("an option that is not shown was picked")
	}
	if err := race.Tell(q, q.Options[0]); err != nil {
		t.Fatal(err)
	}
	if err := race.Tell(q, q.Options[0]); !errors.Is(err, strategy.ErrNotAsked) {
		t.Errorf("the same answer twice: %v", err)
	}
	if got := race.Result(); got.Answers != 1 || got.People != 1 || !got.Partial {
		t.Errorf("%+v", got)
	}
	if _, err := race.Deal("ann", 2); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"", 2}, {"\x001", 2}, {"bob", 0}, {"ann", 2}} {
		if hand, err := race.Deal(c.name, c.n); err == nil {
			t.Errorf("%q is dealt %v", c.name, hand)
		}
	}
	for range 2 {
		if err := race.End("ann"); err != nil {
			t.Error("End must be idempotent:", err)
		}
	}
	if _, err := race.Deal("ann", 2); err == nil {
		t.Error("a second hand is dealt")
	}
}

// TestBetsOnArrival: people with the same question are different people, in whichever order they answer.
func TestBetsOnArrival(t *testing.T) {
	race, err := New(names(2))
	if err != nil {
		t.Fatal(err)
	}
	var open []Question
	for range 6 {
		q, err := race.Ask()
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, q)
	}
	for i, q := range slices.Backward(open) {
		if err := race.Tell(q, q.Options[0]); err != nil {
			t.Fatal(err)
		}
		if got := race.Result().People; got != len(open)-i {
			t.Errorf("%d people after the answer of person %d", got, i)
		}
	}
}
