package racing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/strategy/internal/survey"
)

// Levels returns a product with a feature for every option but the first of each group.
func Levels(tb testing.TB, sizes ...int) *choice.Catalogue {
	tb.Helper()
	var groups []choice.Group
	for g, size := range sizes {
		var group choice.Group
		for option := range size {
			name := fmt.Sprintf("g%d=%d", g, option)
			row := make([]float64, size-1)
			if option > 0 {
				row[option-1] = 1
				group.Features = append(group.Features, name)
			}
			group.Options, group.Rows = append(group.Options, name), append(group.Rows, row)
		}
		groups = append(groups, group)
	}
	return must(choice.NewProduct(groups))
}

// TestRivalsAreThoseOfTheLeader: at every moment the rivals of a product are the changes of the
// leader, and every one of them that was not refuted while it leads is a contender. Random answers
// to early questions make many options tie, and leaders change.
func TestRivalsAreThoseOfTheLeader(t *testing.T) {
	for run := range uint64(60) {
		sizes := [][]int{{2, 3}, {2, 2, 2}, {3, 3, 2}, {2, 2, 2, 2, 2, 2, 2, 2, 2}}[run%4]
		c := Levels(t, sizes...)
		rng := rand.New(rand.NewPCG(run, 3))
		r := must(newLinear(c, Settings{K: 2, Seed: run, LookEvery: -1, Delta: 1e-9}, defaultLookSizes()))
		for range 25 {
			q := must(r.Ask())
			if err := r.Tell(choice.Answer{Question: q, Picks: []int{rng.IntN(2)}}); err != nil {
				t.Fatal(err)
			}
			changes := c.Product().Changes(r.state.Leader)
			if len(r.state.Standings.Contenders) != len(changes) {
				t.Fatalf("run %d: %d contenders, %d changes of the leader", run, len(r.state.Standings.Contenders), len(changes))
			}
			for _, s := range r.state.Standings.Contenders {
				if !slices.Contains(changes, s.Arm) {
					t.Fatalf("run %d: contender %d of leader %d", run, s.Arm, r.state.Leader)
				}
			}
		}
	}
}

// TestStandingOfAProduct: the evidence against a change is about ε/G, and from duels of its own
// option with the leader's only.
func TestStandingOfAProduct(t *testing.T) {
	c := Levels(t, 3, 3, 2)
	theta := []float64{0.5, 1, -0.5, 0.5, 1}
	r := must(newLinear(c, Settings{K: 3, Delta: 1e-9, Epsilon: 0.9}, defaultLookSizes()))
	approx.Equal(t, "ε of a group", r.problem.epsilon, 0.3, 1e-12)
	approx.Equal(t, "capital of a side", r.problem.duelCapital(), 0.1, 1e-12)
	respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(1, 3)))
	seen := 0
	for range 400 {
		AnswerOne(t, r, respondent, 1)
		look, settled := r.evidence.Look(r.state.Memory.Least)
		if !settled || r.state.Course.Answered%20 > 0 {
			continue
		}
		l := r.problem.newLeads(r.leads.activeSet, &r.state.Belief, r.state.Leader)
		w := weighing{problem: &r.problem, leads: &l, duelled: r.state.Duels.weigh(&r.problem, &l), look: look, radius: 1}
		for _, s := range r.state.Standings.Contenders {
			lead, width := look.Lead(l.Difference(l.place(s.Arm)))
			parts := []float64{look.AgainstLead(lead+0.3, width)}
			group := c.Product().Difference(s.Arm, r.state.Leader)
			for _, d := range r.state.Duels.List {
				if d.Arm == c.Product().OptionNumber(s.Arm, group) && d.Against == c.Product().OptionNumber(r.state.Leader, group) {
					parts = append(parts, d.Infimum(0.3))
					seen++
				}
			}
			approx.Equal(t, "evidence", w.standing(s.Arm).Evidence, choice.LogSumExp(parts), 1e-9)
		}
	}
	if seen < 20 {
		t.Errorf("%d duels", seen)
	}
	capital := map[int]float64{}
	for _, d := range r.state.Duels.List {
		capital[d.Arm] += d.Weight
	}
	for side, sum := range capital {
		if sum > 0.1+1e-12 {
			t.Errorf("side %d has %v in duels", side, sum)
		}
	}
}

// TestDuelsAreAboutTheLeader: a duel speaks about a change of the leader only if it is against the
// leader's own option.
func TestDuelsAreAboutTheLeader(t *testing.T) {
	c := Levels(t, 3, 2)
	r := must(newLinear(c, Settings{K: 2}, defaultLookSizes()))
	p := c.Product()
	l, _ := r.chooseLeads(survey.OpenLeader)
	_, lead := p.OptionAt(p.OptionNumber(r.state.Leader, 0))
	other, third := (lead+1)%3, (lead+2)%3
	if arm, ok := r.problem.contender(&evidence.Duel{Arm: other, Against: lead}, &l); !ok ||
		arm != p.Change(r.state.Leader, 0, other) {
		t.Errorf("a duel with the leader's option is about %d, %v", arm, ok)
	}
	if arm, ok := r.problem.contender(&evidence.Duel{Arm: other, Against: third}, &l); ok {
		t.Errorf("a duel with another option is about %d", arm)
	}
}

// TestOthersAreEliminatedByTheBound: of very many arms those outside of the active set are
// eliminated exactly where the bound that needs no search refutes them, by ε.
func TestOthersAreEliminatedByTheBound(t *testing.T) {
	const delta, epsilon, n = 0.2, 0.5, 60
	checked := 0
	for run := range uint64(12) {
		rng := rand.New(rand.NewPCG(run, 6))
		c := randomArms(t, rng, n, 2)
		r := must(newLinear(c, Settings{K: 3, Delta: delta, Epsilon: epsilon, Seed: run}, lookSizes{few: 2, doubtful: 2, random: 0}))
		respondent := crowd.NewMNL(c, []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}, rng)
		for range 60 {
			if !AnswerOne(t, r, respondent, 1) {
				break
			}
			if r.state.Course.Answered%8 > 0 || r.state.Decided {
				continue
			}
			look, settled := r.evidence.Look(r.state.Memory.Least)
			if !settled {
				continue
			}
			clear(r.state.Memory.Eliminated)
			l := r.problem.newLeads(r.leads.activeSet, &r.state.Belief, r.state.Leader)
			counted := r.problem.eliminateOthers(look, &l, r.state.Memory.Eliminated, &r.numbers)
			others := 0
			for arm := range n {
				if arm == r.state.Leader || r.leads.has(arm) && r.leads.isRival(r.leads.place(arm)) {
					continue
				}
				g := make([]float64, 2)
				for k, x := range r.problem.rows.arms.Arm(r.state.Leader) {
					g[k] = x - r.problem.rows.arms.Arm(arm)[k]
				}
				lead, width := look.Lead(g)
				against := look.AgainstLead(lead+epsilon, width)
				if near := against - math.Log(1/delta); near > -1e-6 && near < 1e-6 {
					continue
				}
				checked++
				if r.state.Memory.Eliminated.has(arm) != (against > math.Log(1/delta)) {
					t.Fatalf("run %d: arm %d with evidence %v is refuted: %v", run, arm, against, r.state.Memory.Eliminated.has(arm))
				}
				if !r.state.Memory.Eliminated.has(arm) {
					others++
				}
			}
			if others != counted {
				t.Fatalf("run %d: %d others, counted %d", run, others, counted)
			}
			r.look()
		}
	}
	if checked < 500 {
		t.Errorf("%d arms", checked)
	}
}

// TestEliminationsEndWithTheLeader: among very many arms a new leader starts with only those arms
// eliminated that the current look refutes.
func TestEliminationsEndWithTheLeader(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	c := randomArms(t, rng, 50, 2)
	r := must(newLinear(c, Settings{K: 3, Delta: 0.2, Epsilon: 0.5}, lookSizes{few: 2, doubtful: 4, random: 1}))
	respondent := crowd.NewMNL(c, []float64{1.5, 1}, rng)
	AnswerUntil(t, r, respondent, 40)
	for at := range r.state.Memory.Eliminated {
		r.state.Memory.Eliminated[at] = math.MaxUint64
	}
	r.chooseLeads((r.state.Leader + 1) % c.Len())
	if slices.Max(r.state.Memory.Eliminated) != 0 {
		t.Error("what was refuted against another leader is still refuted")
	}
}

// TestAskingOnWhileInDoubt: among very many arms, when all are refuted but the model is in doubt,
// racing asks on.
func TestAskingOnWhileInDoubt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	c := randomArms(t, rng, 50, 2)
	r := must(newLinear(c, Settings{K: 4, Delta: 0.2, Epsilon: 0.3}, lookSizes{few: 2, doubtful: 4, random: 1}))
	for at := range r.state.Memory.Eliminated {
		r.state.Memory.Eliminated[at] = math.MaxUint64
	}
	l, others := r.chooseLeads(r.state.Leader)
	r.adopt(l, standings{Contenders: l.unknown(), Others: others})
	r.plan(r.planner())
	q := r.state.Course.Deck[0]
	if len(slices.Compact(slices.Sorted(slices.Values(q)))) != 4 || len(r.state.Standings.Contenders) != 0 {
		t.Errorf("question %v with contenders %v", q, r.state.Standings.Contenders)
	}
}

// Questions may show more arms than matter.
func TestActiveSetsHaveKArms(t *testing.T) {
	for name, c := range map[string]*choice.Catalogue{
		"product": Levels(t, 2, 2, 2, 2, 2, 2, 2, 2, 2), "few levels": Levels(t, 3, 3, 3, 3, 3, 3), "line": line(t, 4200),
		"all but one": equalButOne(t, 4200),
	} {
		for _, k := range []int{2, 30} {
			r := must(newLinear(c, Settings{K: k, Delta: 1e-9}, defaultLookSizes()))
			for range 2 {
				q, err := r.Ask()
				if err != nil || len(slices.Compact(slices.Sorted(slices.Values(q)))) != k {
					t.Fatalf("%s, K = %d: %v, %v", name, k, q, err)
				}
				if err := r.Tell(choice.Answer{Question: q, Picks: []int{0}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func line(tb testing.TB, n int) *choice.Catalogue {
	tb.Helper()
	return oneFeature(tb, n, func(i int) float64 { return float64(i % 977) })
}

func equalButOne(tb testing.TB, n int) *choice.Catalogue {
	tb.Helper()
	return oneFeature(tb, n, func(i int) float64 { return float64(i / (n - 1)) })
}

func oneFeature(tb testing.TB, n int, x func(int) float64) *choice.Catalogue {
	tb.Helper()
	ids, rows := make([]string, n), make([][]float64, n)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), []float64{x(i)}
	}
	return must(choice.NewCatalogue(ids, []string{"x"}, rows))
}

// Arms cannot be added beyond what the model allows.
func TestExtendChecksTheModel(t *testing.T) {
	for _, s := range []Settings{
		{Model: Model{Slots: true}}, {Model: Model{Intercepts: true}}, {LinearOnly: LinearOnly{Verify: 0.5}},
	} {
		r := must(newLinear(line(t, 50), s, defaultLookSizes()))
		if err := r.Extend(line(t, 4200)); err == nil {
			t.Errorf("%+v was extended to 4200 arms", s)
		}
		if r.problem.catalogue.Len() != 50 {
			t.Error("a refused extension has changed the arms")
		}
	}
	r := must(newLinear(line(t, 3), Settings{K: 2}, defaultLookSizes()))
	if err := r.Extend(Levels(t, 3, 3)); err == nil {
		t.Error("arms were extended to a product")
	}
}

// Near-copies of the leader must not keep a look from ending.
func TestNearCopiesAmongMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	rows, ids := make([][]float64, 60), make([]string, 60)
	var x, y float64
	for i := range rows {
		ids[i] = fmt.Sprint("a", i)
		if i%2 == 0 {
			x, y = rng.NormFloat64(), rng.NormFloat64()
		} else { // the same by another sum
			x, y = (x+0.1)-0.1, 3*(y/3)
		}
		rows[i] = []float64{x, y}
	}
	c := must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
	for seed := range uint64(10) {
		r := must(newLinear(c, Settings{K: 3, Delta: 0.2, Seed: seed}, lookSizes{few: 2, doubtful: 3, random: 1}))
		respondent := crowd.NewMNL(c, []float64{2, 1}, rng)
		AnswerUntil(t, r, respondent, 300)
	}
}
