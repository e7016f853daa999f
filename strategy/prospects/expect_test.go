package prospects

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// expected returns arms of several kinds whose studies are estimated.
func expected(t *testing.T) map[string]*Prospects {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	names, err := choice.NewNames([]string{"a", "b", "c", "d", "e", "f", "g", "h"})
	if err != nil {
		t.Fatal(err)
	}
	product, err := choice.NewProduct([]choice.Group{
		{Options: []string{"1", "2", "3"}, Features: []string{"x1", "x2"}, Rows: [][]float64{{1, 0}, {0, 1}, {-1, -1}}},
		{Options: []string{"1", "2"}, Features: []string{"y"}, Rows: [][]float64{{1}, {-1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Prospects{
		"few": New(randomArms(t, rng, 12, 4)), "more": New(randomArms(t, rng, 60, 9)),
		"many": New(randomArms(t, rng, 3000, 5)), "wide": New(randomArms(t, rng, 80, 50)),
		"names": New(names), "product": New(product),
	}
}

// TestExpectFollowsSettings: a smaller error or tolerance needs more answers, and a ranking fewer.
func TestExpectFollowsSettings(t *testing.T) {
	less := func(t *testing.T, what string, a, b Expectation) {
		t.Helper()
		if !(a.Median < b.Median && a.Low <= b.Low && a.High <= b.High) {
			t.Errorf("%s: %v, then %v", what, a, b)
		}
	}
	for name, p := range expected(t) {
		for _, assume := range []strategy.Assumption{strategy.Linear, strategy.Majority} {
			if assume == strategy.Majority && !p.electable {
				continue
			}
			t.Run(fmt.Sprint(name, " ", assume), func(t *testing.T) {
				base := Questionnaire{Settings: racing.Settings{K: 4, Epsilon: 0.2, Assume: assume}, Each: 5}
				e := p.Expect(base)
				if !(e.Low > 0 && e.Low < e.Median && e.Median < e.High && e.High < math.MaxFloat64) {
					t.Fatalf("%v", e)
				}
				if e != p.Expect(base) {
					t.Error("the estimate is not deterministic")
				}
				if want := math.Ceil(e.Median / 5); e.People != want {
					t.Errorf("%v respondents, want %v", e.People, want)
				}
				other := base
				other.Settings.Delta = 0.001
				less(t, "δ = 0.05 and 0.001", e, p.Expect(other))
				other = base
				other.Settings.Epsilon = 0.1
				less(t, "ε = 0.2 and 0.1", e, p.Expect(other))
				other = base
				other.Picks = 3
				less(t, "three picks and one", p.Expect(other), e)
				if assume == strategy.Majority {
					other = base
					other.Settings.Fakes = 2
					less(t, "no fakes and two", e, p.Expect(other))
				}
			})
		}
	}
}

// TestExpectPeople: under majority more questions per respondent need fewer respondents and not fewer
// answers.
func TestExpectPeople(t *testing.T) {
	p := expected(t)["few"]
	var before Expectation
	for i, each := range comparedEach() {
		e := p.Expect(Questionnaire{Settings: racing.Settings{Epsilon: 0.2, Assume: strategy.Majority}, Each: each})
		if i > 0 && (e.People >= before.People || e.Median < before.Median) {
			t.Errorf("%d questions each need %v, fewer %v", each, e, before)
		}
		before = e
	}
}

// TestExpectSizes: the work of an estimate does not grow with the arms and features beyond a limit,
// and the answers grow with the features.
func TestExpectSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	before := 0.0
	for _, d := range []int{8, 32, 128} {
		p := New(randomArms(t, rng, 5000, d))
		for _, draw := range p.draws {
			if len(draw.utilities) > drawnArms || len(draw.rows) > bestArms+otherArms || len(draw.rows[0]) > drawnFeatures {
				t.Fatalf("%d arms, %d of them with %d features", len(draw.utilities), len(draw.rows), len(draw.rows[0]))
			}
		}
		if len(p.draws) != drawnPreferences {
			t.Fatalf("%d draws", len(p.draws))
		}
		median := p.Expect(Questionnaire{Settings: racing.Settings{Epsilon: 0.2}}).Median
		if median < 1.5*before {
			t.Errorf("%d features need %.0f answers, a quarter of them %.0f", d, median, before)
		}
		before = median
	}
}

// TestRehearsalWork: the questions that a rehearsal plans grow with the logarithm of the answers.
func TestRehearsalWork(t *testing.T) {
	p := New(randomArms(t, rand.New(rand.NewPCG(6, 6)), 200, 20))
	for i := range p.draws {
		r := newRehearsal(Questionnaire{Settings: racing.Settings{Epsilon: 0.2}.WithDefaults(), Picks: 1, Each: 1}, 0.2, &p.draws[i])
		answers := r.answersUntil(1000)
		// Every planned question multiplies the answers by at least 1 + 1/pace once there are pace of
		// them, with pace = 20/2 + 4.
		const pace = 14
		if most := pace + 1 + math.Log(answers/pace)/math.Log1p(1.0/pace) + 1; float64(r.planned) > most || answers < 1000 {
			t.Errorf("%d questions planned for %.0f answers, want at most %.0f", r.planned, answers, most)
		}
	}
}

// TestExpectWithoutDifference: arms that do not differ need no answers.
func TestExpectWithoutDifference(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := New(c).Compare(Questionnaire{}); got.Chosen.Expected != (Expectation{}) || got.Each != 20 {
		t.Errorf("%+v", got)
	}
}

// TestExpectationWithFeatures: the cost of more features is a power of their number, for the answers
// that learn about features.
func TestExpectationWithFeatures(t *testing.T) {
	e := Expectation{Low: 10, Median: 20, High: 40, People: 2, features: 3, learning: 1}
	approx.Equal(t, "the median", e.WithFeatures(24).Median, 20*math.Pow(8, 1.3), 1e-9)
	if e.learning = 0; e.WithFeatures(24).Median != 20 {
		t.Errorf("direct comparisons cost %v", e.WithFeatures(24).Median)
	}
}

func TestRounded(t *testing.T) {
	got := Expectation{Low: 7.2, Median: 1249, High: 154321, People: 0}.Rounded()
	if want := (Expectation{Low: 7, Median: 1200, High: 150000}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCompare: alternatives differ in one setting, the cheapest has the same guarantee, and impossible
// settings are left out.
func TestCompare(t *testing.T) {
	prospects := expected(t)
	chosen := Questionnaire{
		Settings: racing.Settings{K: 3, Delta: 0.05, Epsilon: 0.2, Assume: strategy.Majority},
		Picks:    1, Each: 10,
	}
	c := prospects["few"].Compare(chosen)
	count := map[Setting]int{}
	for _, a := range c.Others {
		count[a.Changed]++
		if a.Expected != prospects["few"].Expect(a.Questionnaire) {
			t.Errorf("%+v", a)
		}
		back := a.Questionnaire
		switch a.Changed {
		case Tolerance:
			back.Settings.Epsilon = chosen.Settings.Epsilon
		case Size:
			back.Settings.K = chosen.Settings.K
		case Ranking:
			back.Picks = chosen.Picks
		case Assumption:
			back.Settings.Assume = chosen.Settings.Assume
		case Fakes:
			back.Settings.Fakes = chosen.Settings.Fakes
		case PerPerson:
			back.Each = chosen.Each
		}
		if a.Settings.Epsilon != back.Settings.Epsilon && a.Changed != Tolerance || fmt.Sprint(back) != fmt.Sprint(chosen) {
			t.Errorf("%s: %+v", a.Changed, a.Questionnaire)
		}
		if s := a.Changed; (s == Size || s == Ranking) && a.Expected.Median < c.Cheapest.Expected.Median {
			t.Errorf("%+v is cheaper than %+v", a, c.Cheapest)
		}
	}
	if fmt.Sprint(count) != "map[assume:1 each:3 epsilon:2 fakes:3 k:3 picks:1]" {
		t.Error(count)
	}
	for _, name := range []string{"many", "product"} {
		for _, a := range prospects[name].Compare(Questionnaire{Settings: racing.Settings{Epsilon: 0.2}}).Others {
			if a.Changed == Assumption || a.Changed == PerPerson {
				t.Errorf("%s: %+v", name, a.Questionnaire)
			}
		}
	}
}

// randomArms are n random arms in d dimensions.
func randomArms(tb testing.TB, rng *rand.Rand, n, d int) *choice.Catalogue {
	tb.Helper()
	ids, features, rows := make([]string, n), make([]string, d), make([][]float64, n)
	for k := range features {
		features[k] = string(rune('a' + k))
	}
	for i := range rows {
		ids[i] = string(rune('A' + i))
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	c, err := choice.NewCatalogue(ids, features, rows)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
