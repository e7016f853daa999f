//go:build long

package simulate_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A majorityCase is a crowd on which majority evidence must be valid.
type majorityCase struct {
	name     string
	instance func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population)
	each     int  // defaults to 20
	k, picks int  // default to 3 and 1
	field    bool // in real time, with skips and leavers
}

// people returns the instances of a population on arms of a sphere.
func people(p simulate.Population) func(*testing.T, uint64) (simulate.Instance, crowd.Population) {
	return func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population) {
		t.Helper()
		p.Seed = seed
		return p.Of(sphereOf(t, 12, 4, 2, seed))
	}
}

// borderline is three arms, of which the first is chosen over the others by 55.2% of the people: a
// little more than ε = 5 points allow.
func borderline(t *testing.T, _ uint64) (simulate.Instance, crowd.Population) {
	t.Helper()
	c := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {-1, -1}}))
	in := simulate.Instance{Catalogue: c, Theta: []float64{0, 0}, Utilities: []float64{0.21, 0, 0}}
	return in, func(*rand.Rand) []float64 { return in.Utilities }
}

// camera returns instances of 12 alternatives of a conjoint study about cameras, and people with the utilities that
// its respondents have by their own answers, under a ridge.
func camera() func(*testing.T, uint64) (simulate.Instance, crowd.Population) {
	var all *choice.Catalogue
	var people [][]float64
	return func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population) {
		t.Helper()
		if all == nil {
			answers := cameraAnswers(t)
			all = answers.Catalogue
			tallies := map[string]*choice.Tally{}
			for _, a := range answers.Answers {
				if tallies[a.Respondent] == nil {
					tallies[a.Respondent] = choice.NewTally(all.Len())
				}
				testsupport.NoError(t, tallies[a.Respondent].Add(a))
			}
			for _, name := range slices.Sorted(maps.Keys(tallies)) {
				estimator := choice.Estimator{RidgeOnSum: 1}
				people = append(people, must(estimator.Estimate(choice.NewLinear(all, tallies[name]))).Theta)
			}
		}
		var ids []string
		var rows [][]float64
		for _, arm := range rand.New(rand.NewPCG(seed, 0)).Perm(all.Len())[:12] {
			ids, rows = append(ids, all.ID(arm)), append(rows, all.Arm(arm))
		}
		c := must(choice.NewCatalogue(ids, all.Features(), rows))
		return simulate.Population{PartWorths: people}.Of(simulate.Instance{Catalogue: c, Theta: make([]float64, c.Dim())})
	}
}

func cameraAnswers(t *testing.T) *recorded.Answers {
	t.Helper()
	file := must(os.Open(testsupport.DataPath(t, "camera.csv")))
	defer file.Close()
	data, err := recorded.ReadLong(file, "camera.csv", recorded.LongForm{
		Task: "task", Chosen: "chosen", Respondent: "respondent", Answers: true,
		Features: []string{"canon", "sony", "nikon", "panasonic", "pixels", "zoom", "video", "swivel", "wifi", "price"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data.Answers
}

// cycle returns the instances of a population with a cycle of three arms.
func cycle(strength float64) func(*testing.T, uint64) (simulate.Instance, crowd.Population) {
	return func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population) {
		t.Helper()
		in, p, err := simulate.Cycle(sphereOf(t, 6, 3, 2, seed), strength)
		if err != nil {
			t.Fatal(err)
		}
		return in, p
	}
}

func majorityCases() []majorityCase {
	segments := people(simulate.Population{Classes: 2, Degrees: 60})
	return []majorityCase{
		{name: "one softmax", instance: people(simulate.Population{})},
		{name: "segments 60°", instance: segments},
		{name: "segments 90°", instance: people(simulate.Population{Classes: 2, Degrees: 90})},
		{name: "random coefficients", instance: people(simulate.Population{Coefficients: 1})},
		{name: "residual 0.5", instance: people(simulate.Population{Residual: 0.5})},
		{name: "residual 1", instance: people(simulate.Population{Residual: 1})},
		{name: "20% clickers", instance: people(simulate.Population{Clickers: 0.2})},
		{name: "one answer each", instance: segments, each: 1},
		{name: "K = 2", instance: segments, k: 2},
		{name: "K = 5", instance: segments, k: 5},
		{name: "K = 5, three ranked", instance: segments, k: 5, picks: 3},
		{name: "skips and leavers, in real time", instance: segments, field: true},
		{name: "camera", instance: camera()},
		{name: "cycle, K = 2", instance: cycle(2), k: 2},
		{name: "cycle, all ranked", instance: cycle(2), picks: 3},
		{name: "clear cycle, K = 2", instance: cycle(6), k: 2, each: 1},
		{name: "cycle within ε, K = 2", instance: cycle(1.3), k: 2, each: 3},
		{name: "borderline", instance: borderline, each: 3},
	}
}

// TestLongMajorityValidity: 400 runs for each crowd at δ = 0.1 and ε = 5 points, over ten instances.
// At most δ of them certify an arm that loses to another by more than ε, or that there is no favourite
// where there is one. None ends without a certificate before its budget, which is 4,000 answers. The
// same runs under linear are reported. In the cycle within ε 54.7% choose each arm over the next, so
// that all three are favourites.
//
// With pairs, or with all arms ranked, what is certified is what people choose of two arms alone. Where
// they pick one of three, the three arms of the cycle are tied whenever all are shown: a certificate
// of one is then right about the questions, and wrong about pairs. So the cycle is not among the cases
// with one pick of three.
func TestLongMajorityValidity(t *testing.T) {
	const delta = 0.1
	for _, c := range majorityCases() {
		c.each, c.k, c.picks = max(c.each, 20*one(c.each == 0)), max(c.k, 3*one(c.k == 0)), max(c.picks, 1)
		t.Run(c.name, func(t *testing.T) {
			for _, assume := range []strategy.Assumption{strategy.Majority, strategy.Linear} {
				s := c.runs(t, racing.Settings{K: c.k, Delta: delta, Epsilon: 0.2, Assume: assume})
				t.Logf("| %s | %s | %d | %d | %d | %d | %.0f | %.0f |", c.name, assume, s.Runs, s.Certified, s.Stopped-s.Certified,
					s.MajorityWrong, s.Questions.Mean, s.People.Mean)
				t.Logf("no favourite %d, wrong %d", s.Cyclic, s.CyclicWrong)
				if assume == strategy.Linear {
					continue
				}
				if float64(s.MajorityWrong+s.CyclicWrong) > delta*float64(s.Runs) {
					t.Errorf("%d of %d certified arms lose to another, %d have no favourite wrongly", s.MajorityWrong, s.Runs, s.CyclicWrong)
				}
				if s.Stopped != s.Certified+s.Cyclic {
					t.Errorf("%d runs ended without a certificate", s.Stopped-s.Certified-s.Cyclic)
				}
			}
		})
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// runs makes the runs of a case.
func (c majorityCase) runs(t *testing.T, settings racing.Settings) simulate.Summary {
	t.Helper()
	const instances, each, budget = 10, 40, 4000
	var all []simulate.Run
	for seed := range uint64(instances) {
		in, population := c.instance(t, seed+1)
		all = append(all, race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions, e.Picks = each, seed, budget, c.picks
			e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, c.each, rng) }
			if c.field {
				e.Arrivals = 1
				e.Crowd = func(rng *rand.Rand) crowd.Respondent { return c.inTheField(population, rng) }
			}
		})...)
	}
	return simulate.Summarise(all)
}

// inTheField returns people with a pace of their own, who skip one question in ten and leave after each with
// probability 1/20.
func (c majorityCase) inTheField(p crowd.Population, rng *rand.Rand) *crowd.People {
	return &crowd.People{Each: c.each, Join: func(int, int) crowd.Respondent {
		stay := 1
		for stay < c.each && rng.IntN(20) > 0 {
			stay++
		}
		return crowd.Habitual{Respondent: &crowd.Person{Utilities: p(rng), Rng: rng}, Habits: crowd.Habits{
			Pace: 0.5 + rng.ExpFloat64(), Stay: stay, Skip: func(choice.Question) bool { return rng.IntN(10) == 0 },
		}}
	}}
}

// TestLongMajorityNeedsRespondents: of people who always choose the same, 56% choose a over b, a little
// more than ε allows, and answer 20 questions each. If answers are counted as if each came from another
// person, b is certified far more often than δ; by respondents it is not.
func TestLongMajorityNeedsRespondents(t *testing.T) {
	const delta, runs = 0.1, 400
	c := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {-1}}))
	in := simulate.Instance{Catalogue: c, Theta: []float64{0}, Chosen: [][]float64{{0, 0.44}, {0.56, 0}}}
	polarised := func(rng *rand.Rand) []float64 {
		if rng.Float64() < 0.56 {
			return []float64{10, -10}
		}
		return []float64{-10, 10}
	}
	wrong := func(names bool) int {
		return simulate.Summarise(race(t, in, racing.Settings{K: 2, Delta: delta, Epsilon: 0.2, Assume: strategy.Majority},
			func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions = runs, 2000
				e.Crowd = func(rng *rand.Rand) crowd.Respondent {
					drawn := crowd.Drawn(polarised, 20, rng)
					if names {
						return drawn
					}
					return anonymous{drawn}
				}
			})).MajorityWrong
	}
	with, without := wrong(true), wrong(false)
	t.Logf("wrong by respondents %d, by answers %d of %d", with, without, runs)
	if float64(with) > delta*runs || !(float64(without) > 2*delta*runs) {
		t.Errorf("wrong by respondents %d, by answers %d of %d", with, without, runs)
	}
}

// anonymous hides the names of people.
type anonymous struct{ people *crowd.People }

func (a anonymous) Pick(q choice.Question, picks int) []int { return a.people.Pick(q, picks) }

// TestLongMajorityPrice: what the certificate about pairs costs where one softmax holds, on the instances of
// TestLongEfficiency: questions of three arms that are all ranked take no more answers than version 0.2.0 took,
// which counted people when they finished and certified one pick of three, with one answer of each respondent and
// with 20. Its figures are means of 100 runs for each of five instances.
func TestLongMajorityPrice(t *testing.T) {
	for _, before := range []struct{ each, answers float64 }{{1, 586}, {20, 865}} {
		answers := 0.0
		for seed := range uint64(5) {
			with, population := simulate.Population{}.Of(sphereOf(t, 20, 5, 3, seed+1))
			s := simulate.Summarise(race(t, with, racing.Settings{Epsilon: 0.2, Assume: strategy.Majority}, func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions, e.Picks = 100, 20_000, 2
				e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, int(before.each), rng) }
			}))
			t.Logf("seed %d, %g each: %.0f ± %.0f answers, %.0f people, %d wrong", seed+1, before.each, s.Questions.Mean,
				s.Questions.SE, s.People.Mean, s.MajorityWrong)
			if s.Certified != s.Runs {
				t.Errorf("seed %d: %d of %d runs certified", seed+1, s.Certified, s.Runs)
			}
			answers += s.Questions.Mean / 5
		}
		t.Logf("%g each: %.0f answers, %.2f times those of version 0.2.0", before.each, answers, answers/before.answers)
		if !(answers <= before.answers) {
			t.Errorf("%g each: %.0f answers, %g before", before.each, answers, before.answers)
		}
	}
}

// TestLongMajorityOfNames: where arms have only names, majority takes no more answers than linear, whose
// features are then one for each arm.
func TestLongMajorityOfNames(t *testing.T) {
	for _, n := range []int{12, 24} {
		var linear, majority float64
		for seed := range uint64(5) {
			in := named(t, n, seed+1)
			mean := func(assume strategy.Assumption) float64 {
				with, population := simulate.Population{}.Of(in)
				return simulate.Summarise(race(t, with, racing.Settings{Epsilon: 0.2, Assume: assume}, func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions = 40, 20_000
					e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, 1, rng) }
				})).Questions.Mean
			}
			a, b := mean(strategy.Linear), mean(strategy.Majority)
			t.Logf("N = %d, seed %d: linear %.0f, majority %.0f", n, seed+1, a, b)
			linear, majority = linear+a, majority+b
		}
		t.Logf("N = %d: %.2f times the answers", n, majority/linear)
		if !(majority <= linear) {
			t.Errorf("N = %d: majority takes %.2f times the answers", n, majority/linear)
		}
	}
}

// TestLongRoundRobin: what a race saves beside a fixed plan. Ten instances of 12 names with utilities from N(0, 1), 40 runs
// each, three options ranked and one answer per person, against a round robin of pairs whose size is the least with which
// the best option is certified in half of the studies: for each of its rivals, a binomial test of a share of 45% at the
// level δ/12. The level is enough for the same sentence, because each wrong option needs one false test against the rival
// that beats it. The plan has to know the utilities to choose its size; the race does not.
func TestLongRoundRobin(t *testing.T) {
	const n, instances, delta, share = 12, 10, 0.05, 0.45
	var asked, planned float64
	for seed := range uint64(instances) {
		rng := rand.New(rand.NewPCG(seed+1, 2026))
		in := named(t, n, seed+1)
		for i := range in.Theta {
			in.Theta[i] = rng.NormFloat64()
		}
		best, _ := in.Best()
		var shares []float64 // of people who choose the best option over another one
		for i, u := range in.Theta {
			if i != best {
				shares = append(shares, 1/(1+math.Exp(u-in.Theta[best])))
			}
		}
		each := 1 + sort.Search(1<<14, func(each int) bool { return roundRobin(each+1, share, delta/n, shares) >= 0.5 })
		with, population := simulate.Population{}.Of(in)
		run := simulate.Summarise(race(t, with, racing.Settings{Epsilon: 0.2, Assume: strategy.Majority}, func(e *simulate.Experiment) {
			e.Runs, e.MaxQuestions, e.Picks = 40, 20_000, 2
			e.Crowd = func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, 1, rng) }
		}))
		t.Logf("instance %d: %.0f questions, round robin %d", seed+1, run.Questions.Mean, each*n*(n-1)/2)
		asked, planned = asked+run.Questions.Mean/instances, planned+float64(each*n*(n-1)/2)/instances
	}
	t.Logf("%.0f questions instead of %.0f", asked, planned)
	if !(asked < planned/20) {
		t.Errorf("%.0f questions, a round robin takes %.0f", asked, planned)
	}
}

// roundRobin returns the probability that every pair of the best option passes its test, with a number of answers each.
func roundRobin(answers int, share, level float64, shares []float64) float64 {
	null := distuv.Binomial{N: float64(answers), P: share}
	least := sort.Search(answers+1, func(wins int) bool { return 1-null.CDF(float64(wins)-1) <= level })
	passed := 1.0
	for _, p := range shares {
		passed *= 1 - distuv.Binomial{N: float64(answers), P: p}.CDF(float64(least)-1)
	}
	return passed
}

// named is n arms without features, whose utilities have a standard deviation of 1.
func named(t *testing.T, n int, seed uint64) simulate.Instance {
	t.Helper()
	rng, utilities := rand.New(rand.NewPCG(seed, 5)), make([]float64, n)
	for i := range utilities {
		utilities[i] = rng.NormFloat64()
	}
	return namedArms(t, utilities)
}

// TestLongArrivals: in real time, without leavers, with 12 names, three options ranked and ten questions each, bets that
// are placed on arrival take at most 1.1, 1.15 and 1.4 times the answers of a rule that counts a person when
// they finish, at 2, 10 and 100 arrivals a minute and 12 seconds for an answer. That rule is simple, and wrong where people
// differ in pace; its figures are means of 12 runs for each of the same five instances.
func TestLongArrivals(t *testing.T) {
	const instances, runs, n, each = 5, 12, 12, 10
	for _, c := range []struct{ perMinute, finished, most float64 }{{2, 359, 1.1}, {10, 472, 1.15}, {100, 1302, 1.4}} {
		placed := 0.0
		for seed := range uint64(instances) {
			rng := rand.New(rand.NewPCG(seed, 77))
			u := make([]float64, n)
			for arm := range u {
				u[arm] = rng.NormFloat64()
			}
			in := namedArms(t, u)
			settings := racing.Settings{K: 3, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority}
			s := simulate.Summarise(race(t, in, settings, func(e *simulate.Experiment) {
				e.Runs, e.Seed, e.Picks, e.Arrivals, e.MaxQuestions = runs, seed, 2, c.perMinute/5, 40_000
				e.Crowd = func(rng *rand.Rand) crowd.Respondent {
					return crowd.Drawn(func(*rand.Rand) []float64 { return u }, each, rng)
				}
			}))
			placed += s.Questions.Mean / instances
		}
		ratio := placed / c.finished
		t.Logf("%g arrivals a minute: %.0f answers, %.0f if people count when they finish, %.2f times", c.perMinute, placed,
			c.finished, ratio)
		if !(ratio <= c.most) {
			t.Errorf("%g arrivals a minute: %.2f times the answers, more than %g", c.perMinute, ratio, c.most)
		}
	}
}

// namedArms is arms without features.
func namedArms(t *testing.T, utilities []float64) simulate.Instance {
	t.Helper()
	n := len(utilities)
	ids, rows := make([]string, n), make([][]float64, n)
	for i := range ids {
		ids[i], rows[i] = fmt.Sprint("a", i+1), make([]float64, n)
		rows[i][i] = 1
	}
	c, err := choice.NewCatalogue(ids, ids, rows)
	if err != nil {
		t.Fatal(err)
	}
	return simulate.Instance{Catalogue: c, Theta: utilities}
}
