package racing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
)

// TestRepeatsAreFair takes questions that show arms repeatedly, and computes the expected factor
// of every kind of evidence exactly, over all answers of one to K picks by their probability
// under a random θ: it is 1 for the evidence about all of θ, for every duel of arms or options,
// and for every bet of the checks. Where slots or clicks matter, it is at most 1 for the duels of
// an arm that is no worse, over all orders of the slots.
func TestRepeatsAreFair(t *testing.T) {
	for name, model := range map[string]Model{
		"plain": {}, "intercepts": {Intercepts: true}, "slots": {Slots: true}, "clicks": {Clicks: true},
		"segments": {Segments: []Segment{{"a", 1}, {"b", 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fairness{r: raced(t, Settings{K: 4, Delta: 1e-9, Model: model}, 250, 1), rng: rand.New(rand.NewPCG(5, 6))}
			f.test(t)
		})
	}
	t.Run("product", func(t *testing.T) {
		f := fairness{r: racedProduct(t, 400), rng: rand.New(rand.NewPCG(5, 7))}
		f.test(t)
	})
}

// racedProduct is racing over the 12 profiles of a product after some answers.
func racedProduct(t *testing.T, answers int) *Linear {
	t.Helper()
	c, err := choice.NewProduct([]choice.Group{
		{Features: []string{"x", "y"}, Options: []string{"a", "b", "c"}, Rows: [][]float64{{1, 0}, {0, 1}, {-1, -1}}},
		{
			Features: []string{"u", "v", "w"}, Options: []string{"1", "2", "3", "4"},
			Rows: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := must(newLinear(c, Settings{K: 4, Delta: 1e-9}, defaultLookSizes()))
	mnl := crowd.NewMNL(c, []float64{0.6, 0.1, 0.5, -0.2, 0.3}, rand.New(rand.NewPCG(1, 9)))
	AnswerUntil(t, r, mnl, answers)
	return r
}

// A fairness test computes expectations of one strategy's evidence.
type fairness struct {
	r   *Linear
	rng *rand.Rand

	before   []evidence.Duel
	theta    []float64 // in the coordinates of the rows
	universe float64   // the log of the capital about all of θ, before
	bets     [][]float64
	segment  string
}

func (f *fairness) test(t *testing.T) {
	t.Helper()
	decided, unequal := 0, 0
	questions := 40 / Fewer
	if f.r.problem.settings.Model.halfway() {
		questions = 8 // in every order
	}
	for range questions {
		q := f.question()
		picks := 1 + f.rng.IntN(len(q))
		f.prepare(t)
		decided += f.check(t, q, picks)
		for _, d := range f.before {
			if f.r.problem.catalogue.Product() == nil && slotsOf(q, d.Arm) != slotsOf(q, d.Against) &&
				slices.Contains(q, d.Arm) && slices.Contains(q, d.Against) {
				unequal++
			}
		}
	}
	if len(f.before) > 0 && decided == 0 {
		t.Error("no pick decided a duel")
	}
	if len(f.before) > 0 && f.r.problem.catalogue.Product() == nil && unequal < 10/Fewer {
		t.Errorf("only %d duels of arms in unequal numbers of slots", unequal)
	}
}

// question returns two to four slots, mostly of the arms of some duel, with repeats.
func (f *fairness) question() choice.Question {
	duels := f.r.state.Duels.List
	for {
		var q choice.Question
		var pool []int
		if len(duels) > 0 {
			d := duels[f.rng.IntN(len(duels))]
			pool = []int{d.Arm, d.Against}
			if p := f.r.problem.catalogue.Product(); p != nil {
				profile := f.rng.IntN(f.r.problem.catalogue.Len())
				group, option := p.OptionAt(d.Arm)
				_, other := p.OptionAt(d.Against)
				pool = []int{p.Change(profile, group, option), p.Change(profile, group, other)}
			}
		}
		pool = append(pool, f.rng.IntN(f.r.problem.catalogue.Len()), f.rng.IntN(f.r.problem.catalogue.Len()))
		for range 2 + f.rng.IntN(3) {
			q = append(q, pool[f.rng.IntN(len(pool))])
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(q)))
		if q.Check(f.r.problem.catalogue.Len()) == nil && (len(distinct) < len(q) || f.rng.IntN(8) == 0) {
			return q
		}
	}
}

// prepare draws θ and a segment, and notes the evidence before an answer.
func (f *fairness) prepare(t *testing.T) {
	t.Helper()
	f.theta = make([]float64, f.r.problem.rows.screen.Dim())
	for k := range f.theta {
		f.theta[k] = f.rng.NormFloat64()
	}
	for k := len(f.theta) - f.r.problem.rows.slots + 1; k < len(f.theta); k++ {
		f.theta[k] /= slotScale // the constants of the slots matter as much as the arms
	}
	f.segment = ""
	if segments := f.r.problem.settings.Model.Segments; len(segments) > 0 {
		f.segment = segments[f.rng.IntN(len(segments))].Name
	}
	f.before = slices.Clone(f.r.state.Duels.List)
	f.universe = f.r.evidence.Log(f.theta)
	f.bets = betsOf(f.r.monitor.State())
}

// check compares the expectations, and returns how many picks decided a duel.
func (f *fairness) check(t *testing.T, q choice.Question, picks int) (decided int) {
	t.Helper()
	data := must(f.r.Snapshot())
	orders := []choice.Question{q}
	if f.r.problem.settings.Model.halfway() {
		orders = permutations(q)
	}
	duels := make([]float64, len(f.before))
	for _, order := range orders {
		universe := 0.0
		bets := make([][]float64, len(f.bets))
		for _, o := range rankings(len(q), picks) {
			told := must(restoreLinear(f.r.problem.catalogue, data, defaultLookSizes()))
			segment := must(told.problem.settings.Model.segment(f.segment))
			predicted := told.evidence.State().Predicted
			if err := told.learn(choice.Answer{Question: order, Picks: o, Segment: f.segment, Respondent: "r"}, segment); err != nil {
				t.Fatal(err)
			}
			p, counted := f.probability(order, o, segment)
			universe += p * math.Exp(told.evidence.Log(f.theta)-f.universe)
			for i := range duels {
				x := f.lead(f.before[i])
				duels[i] += p * math.Exp(told.state.Duels.List[i].Log(x)-f.before[i].Log(x)) / float64(len(orders))
				if told.state.Duels.List[i].Wins+told.state.Duels.List[i].Losses > f.before[i].Wins+f.before[i].Losses {
					decided++
				}
			}
			ratio := math.Exp(told.evidence.State().Predicted-predicted) / counted // p̄/p_θ
			for c, logs := range betsOf(told.monitor.State()) {
				for i, log := range logs {
					if i < len(f.bets[c]) {
						log -= f.bets[c][i]
					}
					if i == len(bets[c]) {
						bets[c] = append(bets[c], 0)
					}
					bets[c][i] += p * ratio * math.Exp(log)
				}
			}
		}
		what := fmt.Sprint(order, " with ", picks, " picks")
		if f.r.problem.universal() > 0 {
			approx.Equal(t, what+": the evidence about all of θ", universe, 1, 1e-9)
		}
		for c, means := range bets {
			for i, mean := range means {
				approx.Equal(t, fmt.Sprint(what, ": ", checks.Check(c), ", bet ", i), mean, 1, 1e-7)
			}
		}
	}
	for i, mean := range duels {
		what := fmt.Sprintf("%v with %d picks: duel of %d with %d", q, picks, f.before[i].Arm, f.before[i].Against)
		if !f.r.problem.settings.Model.halfway() {
			approx.Equal(t, what, mean, 1, 1e-9)
		} else if mean > 1+1e-9 && f.difference(f.before[i]) >= 0 {
			t.Errorf("%s: the factor is %v on average", what, mean)
		}
	}
	return decided
}

// probability returns the probability of a ranking under θ, and that of its picks that were a
// choice.
func (f *fairness) probability(q choice.Question, order []int, segment int) (all, counted float64) {
	all, counted = 1, 1
	for n, slot := range order {
		sum, other := 0.0, false
		view := f.r.problem.rows.row(q[slot], slot, segment)
		for s, arm := range q {
			if v := f.r.problem.rows.row(arm, s, segment); !slices.Contains(order[:n], s) {
				sum += math.Exp(f.r.problem.rows.screen.Utility(v, f.theta))
				other = other || v != view
			}
		}
		p := math.Exp(f.r.problem.rows.screen.Utility(view, f.theta)) / sum
		if f.r.problem.settings.Model.Clicks {
			p = 0.7*p + 0.3/float64(len(q)-n)
		}
		if all *= p; other {
			counted *= p
		}
	}
	return all, counted
}

// lead returns the lead at which a duel's capital is a martingale, or bounded by one.
func (f *fairness) lead(d evidence.Duel) float64 {
	if f.r.problem.settings.Model.halfway() {
		return 0
	}
	return f.difference(d)
}

// difference returns the true lead of a duel's arm or option.
func (f *fairness) difference(d evidence.Duel) float64 {
	arm, against := d.Arm, d.Against
	if p := f.r.problem.catalogue.Product(); p != nil {
		group, option := p.OptionAt(d.Arm)
		_, other := p.OptionAt(d.Against)
		arm, against = p.Change(0, group, option), p.Change(0, group, other)
	}
	return f.r.problem.rows.arms.Utility(arm, f.theta) - f.r.problem.rows.arms.Utility(against, f.theta)
}

// betsOf returns the logs of all bets of the checks.
func betsOf(s checks.State) [][]float64 {
	all := [][]float64{s.Position.Logs, s.Appeal.Logs, s.Context.Logs, s.Clicks.Logs, s.Drift.Logs, s.People.Logs}
	for i := range all {
		all[i] = slices.Clone(all[i])
	}
	return all
}

// rankings are all rankings of the first m of k slots.
func rankings(k, m int) [][]int {
	if m == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, r := range rankings(k, m-1) {
		for slot := range k {
			if !slices.Contains(r, slot) {
				all = append(all, append(slices.Clone(r), slot))
			}
		}
	}
	return all
}

// permutations are all distinct orders of a question, which are equally likely.
func permutations(q choice.Question) []choice.Question {
	var all []choice.Question
	for _, order := range rankings(len(q), len(q)) {
		var p choice.Question
		for _, slot := range order {
			p = append(p, q[slot])
		}
		if !slices.ContainsFunc(all, func(other choice.Question) bool { return slices.Equal(p, other) }) {
			all = append(all, p)
		}
	}
	return all
}
