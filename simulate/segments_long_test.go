//go:build long

package simulate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// withinEpsilon reports whether no arm has a utility larger by more than 0.2: then at most 55 in 100 people with
// these utilities choose another one.
func withinEpsilon(utilities []float64, arm int) bool {
	return slices.Max(utilities) <= utilities[arm]+0.2+1e-9
}

// TestLongSegments: 400 runs for each pair of segments at δ = 0.1 and ε = 5 points, with a budget of 2,000
// answers, three of each person. For each segment at most δ of the runs certify an arm that loses to
// another by more than ε in that segment. At most δ certify that the segments differ if they do not.
// With three arms all are shown at once.
func TestLongSegments(t *testing.T) {
	const delta, runs = 0.1, 400
	three := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {-1, -1}}))
	sphere := sphereOf(t, 8, 3, 2, 1)
	apart := func(degrees float64) (north, south []float64) {
		_, people := simulate.Population{Classes: 2, Degrees: degrees}.Of(sphere)
		rng := rand.New(rand.NewPCG(1, 1))
		north, south = people(rng), people(rng)
		for slices.Equal(north, south) {
			south = people(rng)
		}
		return north, south
	}
	north, south := apart(90)
	for _, c := range []struct {
		name         string
		catalogue    *choice.Catalogue
		north, south []float64
	}{
		{"different favourites", three, []float64{1, 0, -0.5}, []float64{0, 1, -0.5}},
		{"the same favourite", three, []float64{1, 0, 0.7}, []float64{1, 0.7, 0}},
		{"a little more than ε", three, []float64{0.21, 0, 0}, []float64{0, 0.21, 0}},
		{"just within ε", three, []float64{0.2, 0, -0.5}, []float64{0, 0.2, -0.5}},
		{"8 arms, 90° apart", sphere.Catalogue, north, south},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := racing.Settings{K: 3, Delta: delta, Epsilon: 0.2, Assume: strategy.Majority, Model: racing.Model{
				Segments: []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}},
			}}
			done := race(t, simulate.Instance{Catalogue: c.catalogue, Theta: make([]float64, c.catalogue.Dim())}, settings,
				func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions = runs, 2000
					e.Crowd = func(rng *rand.Rand) crowd.Respondent {
						members := []crowd.Respondent{&crowd.Person{Utilities: c.north, Rng: rng}, &crowd.Person{Utilities: c.south, Rng: rng}}
						return &crowd.People{
							Each: 3, Segments: []string{"north", "south"}, Rng: rng,
							Join: func(_, segment int) crowd.Respondent { return members[segment] },
						}
					}
				})
			s := simulate.Summarise(done)
			for i, utilities := range [][]float64{c.north, c.south} {
				wrong := 0
				for arm, certified := range s.Segments[i].Favourites {
					if !withinEpsilon(utilities, arm) {
						wrong += certified
					}
				}
				t.Logf("%s: %d of %d certified, %d wrong", s.Segments[i].Segment, s.Segments[i].Certified, runs, wrong)
				if float64(wrong) > delta*runs {
					t.Errorf("%s: %d of %d certified arms lose to another", s.Segments[i].Segment, wrong, runs)
				}
			}
			common := false
			for arm := range c.catalogue.Len() {
				common = common || withinEpsilon(c.north, arm) && withinEpsilon(c.south, arm)
			}
			t.Logf("%d certify that the segments differ, %d certify a favourite of all; %.0f answers", s.SegmentsDiffer, s.Certified,
				s.Questions.Mean)
			if common && float64(s.SegmentsDiffer) > delta*runs {
				t.Errorf("%d of %d runs certify a difference that is none", s.SegmentsDiffer, runs)
			}
		})
	}
}
