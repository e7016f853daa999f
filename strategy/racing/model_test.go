package racing

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/strategy"
)

// AnswerOne asks a question of a strategy and tells the answer of a respondent. It reports false, and tells
// nothing, if there is no question because the strategy has stopped.
func AnswerOne(tb testing.TB, s strategy.Strategy, respondent crowd.Respondent, picks int) bool {
	tb.Helper()
	q, err := s.Ask()
	if errors.Is(err, strategy.ErrStopped) {
		return false
	}
	if err == nil {
		err = s.Tell(crowd.Answer(respondent, q, picks))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return true
}

// AnswerUntil answers the questions of a strategy until it stops, or a number of answers.
func AnswerUntil(tb testing.TB, s strategy.Strategy, respondent crowd.Respondent, answers int) {
	tb.Helper()
	for n := 0; n < answers && AnswerOne(tb, s, respondent, 1); n++ {
	}
}

// raced is racing after some answers of a crowd with one softmax.
func raced(t *testing.T, settings Settings, answers, picks int) *Linear {
	t.Helper()
	c := sevenArms(t)
	r := must(newLinear(c, settings, defaultLookSizes()))
	mnl := crowd.NewMNL(c, []float64{0.8, 0.3}, rand.New(rand.NewPCG(1, 9)))
	people := &crowd.People{Each: 5, Join: func(int, int) crowd.Respondent { return mnl }}
	for _, s := range settings.Model.Segments {
		people.Segments, people.Rng = append(people.Segments, s.Name), rand.New(rand.NewPCG(2, 9))
	}
	for range answers {
		if !AnswerOne(t, r, people, picks) {
			break
		}
	}
	return r
}

// TestRowsOfSlotsAndSegments: an answer is counted for the arms in the slots and the segment they
// had.
func TestRowsOfSlotsAndSegments(t *testing.T) {
	c := sevenArms(t)
	r := must(newLinear(c, Settings{K: 3, Model: Model{Slots: true, Segments: []Segment{{"a", 1}, {"b", 1}}}}, defaultLookSizes()))
	q := must(r.Ask())
	if err := r.Tell(choice.Answer{Question: q, Picks: []int{1}, Segment: "b"}); err != nil {
		t.Fatal(err)
	}
	var want []int
	for slot, arm := range q {
		want = append(want, (arm*2+1)*3+slot)
	}
	got := slices.Clone(r.tally.Seen())
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("counted for %v, want %v", got, want)
	}
}

// TestCapitalOfModels: what duels, tilts and the evidence about all of θ have is 1 together, and under
// each model only what is valid has any.
func TestCapitalOfModels(t *testing.T) {
	for name, c := range map[string]struct {
		model     Model
		universal float64
	}{
		"plain": {Model{}, 0.4}, "slots": {Model{Slots: true}, 0.7}, "intercepts": {Model{Intercepts: true}, 0.7},
		"clicks": {Model{Clicks: true}, 0}, "segments": {Model{Segments: []Segment{{"a", 1}, {"b", 1}}}, 1},
	} {
		r := raced(t, Settings{K: 3, Delta: 1e-9, Model: c.model}, 300, 1)
		capital := r.evidence.Cash()
		for _, s := range r.evidence.State().Starts {
			capital += s.Weight
		}
		approx.Equal(t, name+": universal", capital, c.universal, 1e-9)
		weights := map[int]float64{}
		for _, d := range r.state.Duels.List {
			weights[d.Arm] += d.Weight
		}
		if (len(weights) > 0) != (c.universal < 1) {
			t.Errorf("%s: duels %v", name, weights)
		}
		for arm, weight := range weights {
			if !(weight <= 1-c.universal+1e-12) {
				t.Errorf("%s: arm %d has %v for duels", name, arm, weight)
			}
		}
	}
}

// TestHalfwayDuels: where only the order of two arms can be told, no bet is on more than ½ for
// the arm, none depends on the slots, and ε is not used.
func TestHalfwayDuels(t *testing.T) {
	for _, m := range []Model{{Slots: true}, {Clicks: true}} {
		r := raced(t, Settings{K: 3, Delta: 1e-9, Epsilon: 0.5, Model: m}, 200, 1)
		leader := r.state.Leader
		arm := (leader + 1) % 7
		count := func(left []int, shares []float64, pick int) evidence.Duel {
			r.state.Duels.List = []evidence.Duel{{Arm: arm, Against: leader, Weight: 0.1}, {Arm: leader, Against: arm, Weight: 0.1}}
			r.state.Duels.count(&r.problem, &r.state.Belief, comparison{left: left, shares: shares, pick: pick, first: true})
			for i := range r.state.Duels.List {
				if d := r.state.Duels.List[i]; d.Wins > 0 && d.Predicted > math.Log(0.5) {
					t.Errorf("%+v: a bet of %v on the arm that may be better", m, math.Exp(d.Predicted))
				}
			}
			return r.state.Duels.List[0]
		}
		other := (leader + 2) % 7
		one := count([]int{leader, arm, other}, []float64{0.9, 0.05, 0.05}, leader)
		two := count([]int{arm, other, leader}, []float64{0.05, 0.05, 0.9}, leader)
		three := count([]int{arm, other, leader}, []float64{0.5, 0.3, 0.2}, leader)
		if one != two || one != three || one.Losses != 1 {
			t.Errorf("%+v: %+v, %+v and %+v", m, one, two, three)
		}
		r.state.Duels.List = []evidence.Duel{{Arm: arm, Against: leader, Weight: 0.1, Predicted: -3, Wins: 1, Losses: 9}}
		duelled := r.state.Duels.weigh(&r.problem, &r.leads)
		approx.Equal(t, "the evidence of a duel", duelled[arm], r.state.Duels.List[0].Infimum(0), 1e-12)
	}
}

// TestOnlyFirstPicksDecide: where slots matter or clicks are at random, the second pick of a
// ranking decides no duel. Otherwise it does.
func TestOnlyFirstPicksDecide(t *testing.T) {
	for _, m := range []Model{{}, {Slots: true}, {Clicks: true}} {
		r := raced(t, Settings{K: 3, Delta: 1e-9, Model: m}, 50, 1)
		r.state.Duels.List = []evidence.Duel{{Arm: 0, Against: 1, Weight: 0.1}}
		if err := r.learn(choice.Answer{Question: choice.Question{2, 0, 1}, Picks: []int{0, 1}}, 0); err != nil {
			t.Fatal(err)
		}
		if d := r.state.Duels.List[0]; (d.Wins == 1) == m.halfway() || d.Losses != 0 {
			t.Errorf("%+v: %+v", m, d)
		}
	}
}

// TestSlotsAreDealtAtRandom: every arm that is shown stands in each slot equally often; with
// 6,000 places dealt a slot's share has a standard error of 0.006.
func TestSlotsAreDealtAtRandom(t *testing.T) {
	r := raced(t, Settings{K: 3, Delta: 1e-9}, 100, 1)
	slots := make([]float64, 3)
	for range 6000 {
		q := must(r.Ask())
		if slot := slices.Index(q, r.state.Leader); slot >= 0 {
			slots[slot]++
		}
	}
	total := slots[0] + slots[1] + slots[2]
	for _, n := range slots {
		approx.Equal(t, "share of a slot", n/total, 1./3, 0.04)
	}
}

// TestWithheld: a doubt lets it ask on, and where the answers refute the model what it decides
// is not certified.
func TestWithheld(t *testing.T) {
	r := raced(t, Settings{K: 3, Delta: 0.2}, 2000, 1)
	if r.Verdict().Status != strategy.Certified {
		t.Fatalf("%+v", r.Verdict())
	}
	state := r.monitor.State()
	state.Now = math.Log(10)
	if r.monitor.Restore(state); r.shouldStop() {
		t.Error("it stops though the model is doubtful")
	}
	state.Now, state.Combined = 0, math.Log(30)
	if r.monitor.Restore(state); !r.shouldStop() {
		t.Error("it asks on though the model is refuted")
	}
	if v := r.Verdict(); v.Status != strategy.Decided {
		t.Errorf("%v though the model is refuted", v.Status)
	}
}

// TestVerify: arms near the leader must have been compared with it often enough, and not have
// been picked more often.
func TestVerify(t *testing.T) {
	r := raced(t, Settings{K: 2, Delta: 1e-9, LinearOnly: LinearOnly{Verify: 1}}, 50, 1)
	leader := r.state.Leader
	near := -1
	for arm, u := range r.leads.Utilities {
		if arm != leader && r.leads.Utilities[leader]-u < 2 && (near < 0 || u > r.leads.Utilities[near]) {
			near = arm
		}
	}
	if near < 0 || !slices.Contains(r.problem.unverified(&r.leads, r.tally), near) {
		t.Fatalf("nothing is near: %v", r.leads.Utilities)
	}
	tell := func(picks, slot int) {
		for range picks {
			if err := r.tally.Add(choice.Answer{Question: choice.Question{leader, near}, Picks: []int{slot}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tell(200, 1)
	tell(150, 0)
	if !slices.Contains(r.problem.unverified(&r.leads, r.tally), near) {
		t.Error("verified though the other was picked more often")
	}
	tell(150, 0)
	if slices.Contains(r.problem.unverified(&r.leads, r.tally), near) {
		t.Error("not verified though the leader was picked more often, of 500")
	}
}

// TestSlotsOfQuestions: with slots in the model, a question has at most K of them, for which there are
// constants. A longer one is refused and changes nothing.
func TestSlotsOfQuestions(t *testing.T) {
	r := must(newLinear(sevenArms(t), Settings{K: 3, Model: Model{Slots: true}}, defaultLookSizes()))
	for slots, want := range map[int]bool{2: true, 3: true, 4: false, 5: false} {
		before := r.Verdict().Answered
		err := r.Recount(choice.Answer{Question: choice.Question{0, 1, 2, 3, 4}[:slots], Picks: []int{0}})
		if accepted := err == nil; accepted != want || (r.Verdict().Answered > before) != want {
			t.Errorf("%d slots of 3: %v", slots, err)
		}
	}
}

func sevenArms(t *testing.T) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	var ids []string
	var rows [][]float64
	for i := range 7 {
		ids, rows = append(ids, fmt.Sprint("a", i)), append(rows, []float64{rng.NormFloat64(), 3 + rng.NormFloat64()})
	}
	return must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
}

// TestCoordinates: whatever the model tells apart, the coordinates of what is shown are centred and
// uncorrelated, as the evidence assumes, and an arm is judged by its mean over segments and
// without its slot.
func TestCoordinates(t *testing.T) {
	c := sevenArms(t)
	segments := []Segment{{"old", 3}, {"young", 1}}
	for _, m := range []Model{
		{}, {Slots: true}, {Intercepts: true}, {Segments: segments}, {Slots: true, Intercepts: true, Segments: segments},
	} {
		v := must(newCoordinates(c, m, choice.Offer{}, 4, defaultLookSizes()))
		base := 2
		if m.Intercepts {
			base = 6
		}
		want := base
		if m.Segments != nil {
			want *= 2
		}
		if m.Slots {
			want += 3
		}
		n, d := v.screen.Len(), v.screen.Dim()
		if d != want || n != 7*v.slots*v.segments || v.arms.Len() != 7 || v.arms.Dim() != d {
			t.Fatalf("%+v: %d rows of %d", m, n, d)
		}
		for k := range d {
			for l := range k + 1 {
				mean, product := 0.0, 0.0
				for i := range n {
					mean += v.screen.Arm(i)[k] / float64(n)
					product += v.screen.Arm(i)[k] * v.screen.Arm(i)[l] / float64(n)
				}
				approx.Equal(t, "mean", mean, 0, 1e-12)
				if k != l {
					approx.Equal(t, "covariance", product, 0, 1e-12)
				} else if !(product > 1e-6) {
					t.Errorf("%+v: coordinate %d is without meaning", m, k)
				}
			}
		}
		shares := []float64{1}
		if m.Segments != nil {
			shares = []float64{0.75, 0.25}
		}
		for arm := range 7 {
			mean := make([]float64, d)
			for segment, share := range shares {
				for slot := range v.slots {
					for k, x := range v.screen.Arm(v.row(arm, slot, segment)) {
						mean[k] += share * x / float64(v.slots)
					}
				}
			}
			approx.EqualSlices(t, "judged", v.arms.Arm(arm), mean, 1e-12)
		}
	}
}

// TestInterceptsAllowAnything: with them any utilities are those of some θ.
func TestInterceptsAllowAnything(t *testing.T) {
	v := must(newCoordinates(sevenArms(t), Model{Intercepts: true}, choice.Offer{}, 3, defaultLookSizes()))
	want := []float64{3, -1, 0, 0, 2, -4, 0} // sums to zero
	theta := make([]float64, v.screen.Dim())
	for k := range theta {
		square := 0.0
		for i, u := range want {
			theta[k] += u * v.screen.Arm(i)[k]
			square += v.screen.Arm(i)[k] * v.screen.Arm(i)[k]
		}
		theta[k] /= square
	}
	for i, u := range want {
		approx.Equal(t, "utility", v.screen.Utility(i, theta), u, 1e-12)
	}
}

// TestHalfway: with any constants for two slots, any other arms and any share of random clicks,
// the better of two arms is picked at least as often as the other on average over the two
// orders, so that a bet on at most ½ for it gains nothing.
func TestHalfway(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 10_000 {
		better, other := rng.NormFloat64(), rng.NormFloat64()
		better = max(better, other)
		other = min(better, other)
		one, two, rest, clicks := 2*rng.NormFloat64(), 2*rng.NormFloat64(), math.Exp(2*rng.NormFloat64()), rng.Float64()
		bet := rng.Float64() / 2
		mean := 0.0
		for _, slots := range [][2]float64{{one, two}, {two, one}} {
			a, b := math.Exp(better+slots[0]), math.Exp(other+slots[1])
			sum := a + b + rest
			pa, pb := (1-clicks)*a/sum+clicks/3, (1-clicks)*b/sum+clicks/3
			mean += (pa*bet/0.5 + pb*(1-bet)/0.5 + 1 - pa - pb) / 2
		}
		if !(mean <= 1+1e-12) {
			t.Fatalf("utilities %v and %v, slots %v and %v, a bet of %v: %v", better, other, one, two, bet, mean)
		}
	}
}

// TestUnknownSegment: an answer of a segment that is not declared is refused, and changes nothing.
func TestUnknownSegment(t *testing.T) {
	c := sevenArms(t)
	r := must(newLinear(c, Settings{Model: Model{Segments: []Segment{{"a", 1}, {"b", 1}}}}, defaultLookSizes()))
	q := must(r.Ask())
	if r.Tell(choice.Answer{Question: q, Picks: []int{0}, Segment: "c"}) == nil {
		t.Error("a segment that is not there is accepted")
	}
	if err := r.Tell(choice.Answer{Question: q, Picks: []int{0}, Segment: "b"}); err != nil {
		t.Errorf("the question is no longer out: %v", err)
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
