//go:build long

package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongJudges: in 100 studies of 12 models and 200 prompts with three judges, one of whom picks at
// random, at most a share δ certifies a wrong model, and honest judges are rarely called random.
func TestLongJudges(t *testing.T) {
	const runs = 100
	wrong, certified, found, accused, answers := 0, 0, 0, 0, 0
	for seed := range uint64(runs) {
		run := judge(t, 1000+seed)
		answers += run.verdict.Answered
		if run.verdict.Status == strategy.Certified {
			certified++
			if run.verdict.Leader != 3 {
				wrong++
			}
		}
		if run.random {
			found++
		}
		if run.wrong {
			accused++
		}
	}
	t.Logf("of %d runs: %d certified, %d wrong; random judge found in %d, honest judge accused in %d; %d answers on average",
		runs, certified, wrong, found, accused, answers/runs)
	if wrong > judgingDelta*runs || accused > 12 || found < 80 || certified < 95 {
		t.Error("too many errors")
	}
}

// TestLongFakes: races that withstand 2, 5 and 10 fakes are deceived by as many, with each of the five attacks, in at
// most δ of 400 studies.
func TestLongFakes(t *testing.T) {
	const runs = 400
	for _, fakes := range []int{2, 5, 10} {
		for _, a := range attacks() {
			wrong, without := attacked(t, a, fakes, fakes, runs), attacked(t, a, fakes, 0, runs/10)
			t.Logf("%d fakes, %s: %d of %d studies are wrong, %d of %d that withstand none", fakes, a.name, wrong, runs, without, runs/10)
			if float64(wrong) > attackDelta*runs {
				t.Errorf("%d fakes, %s: %d of %d studies are wrong", fakes, a.name, wrong, runs)
			}
		}
	}
}

// TestLongFakesPrice: what a race that withstands two fakes costs, on the instances of TestLongMajorityPrice. Fewer
// people each have a larger part in the evidence, so that two of them cost more where everyone answers 20 questions.
func TestLongFakesPrice(t *testing.T) {
	for _, c := range []struct{ each, most float64 }{{1, 1.25}, {20, 1.35}} {
		answers := map[int]float64{}
		for seed := range uint64(5) {
			with, population := simulate.Population{}.Of(sphereOf(t, 20, 5, 3, seed+1))
			for _, fakes := range []int{0, 2} {
				settings := racing.Settings{Epsilon: 0.2, Assume: strategy.Majority, Fakes: fakes}
				s := simulate.Summarise(race(t, with, settings, func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions, e.Picks = 100, 20_000, 2
					e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, int(c.each), rng) }
				}))
				t.Logf("seed %d, %g each, %d fakes: %.0f ± %.0f answers, %.0f people, %d wrong", seed+1, c.each, fakes,
					s.Questions.Mean, s.Questions.SE, s.People.Mean, s.MajorityWrong)
				answers[fakes] += s.Questions.Mean / 5
			}
		}
		price := answers[2] / answers[0]
		t.Logf("%g each: %.0f answers, with two fakes %.2f times as many", c.each, answers[0], price)
		if !(price <= c.most) {
			t.Errorf("%g each: two fakes cost %.2f times the answers", c.each, price)
		}
	}
}

// TestLongWeights: with 80% of the people of one group, where the population has as many of both, a weighted race is
// wrong in at most δ of 400 studies, also where it withstands two fakes. It logs what weights cost where an unweighted
// race is right, too.
func TestLongWeights(t *testing.T) {
	const runs = 400
	for _, second := range seconds() {
		for _, fakes := range []int{0, 2} {
			wrong, certified := skewed{second: second, weighted: true, fakes: fakes, people: 150}.wrong(t, runs)
			without, _ := skewed{second: second, fakes: fakes, people: 150}.wrong(t, runs/10)
			t.Logf("%v, %d fakes: %d of %d wrong, %d certified; without weights %d of %d wrong", second, fakes, wrong, runs,
				certified, without, runs/10)
			if float64(wrong) > attackDelta*runs {
				t.Errorf("%v, %d fakes: %d of %d studies are wrong", second, fakes, wrong, runs)
			}
		}
	}
	c, err := choice.NewNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range [][2]float64{{0.2, 0.2}, {0.1, 0.4}, {0.4, 0.1}} {
		people := map[bool]float64{}
		for _, weighted := range []bool{false, true} {
			for seed := range uint64(runs / 4) {
				v, n := skewed{second: second, weighted: weighted, people: 2000}.run(t, c, seed)
				if v.Status != strategy.Certified || v.Leader != 0 {
					t.Errorf("%v, weighted %v: %v", second, weighted, v.Status)
				}
				people[weighted] += float64(n) / (runs / 4)
			}
		}
		t.Logf("%v: %.0f people without weights, %.2f times as many with", second, people[false], people[true]/people[false])
	}
}

// A timedCase is people whose time is compared.
type timedCase struct {
	name     string
	instance simulate.Instance
	crowd    func(*rand.Rand) crowd.Respondent
}

func timedCases(t *testing.T) (cases []timedCase) {
	t.Helper()
	const each = 10
	add := func(name string, in simulate.Instance, p simulate.Population) {
		with, population := p.Of(in)
		cases = append(cases, timedCase{
			name, with,
			func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, each, rng) },
		})
	}
	for _, n := range []int{6, 12, 24} {
		for seed := range uint64(2) {
			add(fmt.Sprintf("%d names, seed %d", n, seed+1), named(t, n, seed+1), simulate.Population{})
		}
	}
	for seed := range uint64(3) {
		add(fmt.Sprintf("12 arms with features, seed %d", seed+1), sphereOf(t, 12, 4, 2, seed+1), simulate.Population{})
	}
	add("random coefficients", sphereOf(t, 12, 4, 2, 1), simulate.Population{Coefficients: 1})
	in, people := must2(t, simulate.Trouble{Kind: "clones", Share: 0.65, Each: each}, 6)
	return append(cases, timedCase{"6 arms, clones 65%", in, people})
}

func must2(t *testing.T, trouble simulate.Trouble, n int) (simulate.Instance, func(*rand.Rand) crowd.Respondent) {
	t.Helper()
	in, people, err := trouble.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	return in, people
}

// TestLongTimeOfRespondents: questions of three arms that are ranked take less of the respondents' time until an
// arm is certified than pairs, so they are the default under majority. The time of a question is that of reading its
// cards, and of one tap for every arm but the last: three seconds per card and one per tap. It is reported as
// well where only cards, and where only taps take time, so that the choice can be made for other texts.
func TestLongTimeOfRespondents(t *testing.T) {
	const runs, perCard, perTap = 40, 3.0, 1.0
	var cards, taps, seconds [2]float64 // relative to pairs
	cases := timedCases(t)
	for _, c := range cases {
		var questions, people, shown, tapped, time [2]float64
		for i, k := range []int{2, 3} {
			s := race(t, c.instance, racing.Settings{K: k, Epsilon: 0.2, Assume: strategy.Majority}, func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions, e.Picks, e.Crowd = runs, 20_000, k-1, c.crowd
			})
			for _, run := range s {
				questions[i] += float64(run.Questions) / runs
				people[i] += float64(run.People) / runs
				for _, times := range run.Shown {
					shown[i] += float64(times) / runs
				}
			}
			tapped[i] = shown[i] - questions[i]
			time[i] = perCard*shown[i] + perTap*tapped[i]
		}
		t.Logf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f |", c.name, questions[0], questions[1], people[0], people[1],
			time[0]/60, time[1]/60, time[1]/time[0])
		cards[1] += shown[1] / shown[0] / float64(len(cases))
		taps[1] += tapped[1] / tapped[0] / float64(len(cases))
		seconds[1] += time[1] / time[0] / float64(len(cases))
	}
	t.Logf("three ranked against pairs, mean: %.2f of the cards, %.2f of the taps, %.2f of the time", cards[1], taps[1], seconds[1])
	if !(seconds[1] < 1) {
		t.Errorf("three ranked take %.2f times the time of pairs", seconds[1])
	}
}

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
