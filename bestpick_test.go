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
	"bestpick/strategy/racing"
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
		got := settings(arms)
		want := owner.Guarantee{}.Apply(study.Settings{Strategy: racing.Settings{K: min(3, n)}}, arms).Strategy
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%d options: %+v, the service has %+v", n, got, want)
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
		var open []Question
		for range 3 {
			q, err := race.Ask()
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, q)
		}
		if err := race.Skip(open[0]); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("person ", person)
		for _, q := range open[1:] {
			if err := race.TellFrom(name, q, q.Options[people.Pick(q.arms, 1)[0]]); err != nil {
				t.Fatal(err)
			}
		}
		if err := race.Finish(name); err != nil {
			t.Fatal(err)
		}
		if person == 5000 {
			t.Fatalf("not done: %+v", race.Result())
		}
	}
	want := Result{Best: "bright brass", Contenders: []string{"bright brass"}, Done: true, Certified: true}
	if got := race.Result(); got.Best != want.Best || !slices.Equal(got.Contenders, want.Contenders) || !got.Certified ||
		got.Answers == 0 {
		t.Errorf("%+v", got)
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
	if got := race.Result().Answers; got != 1 {
		t.Errorf("%d answers", got)
	}
}
