//go:build long

package simulate_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// trouble runs races on n arms against people of a kind: with K arms in a question, of which all are ordered.
func trouble(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) simulate.Summary {
	t.Helper()
	return simulate.Summarise(troubleRuns(t, kind, n, k, change))
}

func troubleRuns(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) []simulate.Run {
	t.Helper()
	return troubleAfter(t, 0, kind, n, k, change)
}

// troubleAfter is troubleRuns with a least number of people.
func troubleAfter(t *testing.T, people int, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) []simulate.Run {
	t.Helper()
	in, crowd, err := kind.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	settings := racing.Settings{K: k, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority, LeastPeople: people}
	return race(t, in, settings, func(e *simulate.Experiment) {
		e.Runs, e.Seed, e.MaxQuestions, e.Picks, e.Crowd = 400, 1, 20_000, k-1, crowd
		if change != nil {
			change(e)
		}
	})
}

// TestLongProven: at δ = 0.1 what is proven after 50, 200 and 800 answers is true in at least 1 − δ of 400
// runs, and the proven share never grows.
func TestLongProven(t *testing.T) {
	const delta, runs = 0.1, 400
	for _, kind := range []string{"clones", "pace", "minority"} {
		for _, n := range []int{3, 6} {
			for _, budget := range []int{50, 200, 800} {
				var lock sync.Mutex
				last, grown := map[int]float64{}, 0
				all := troubleRuns(t, simulate.Trouble{Kind: kind}, n, 3, func(e *simulate.Experiment) {
					e.Runs, e.MaxQuestions, e.Arrivals = runs, budget, 1
					e.Each = func(r, _ int, s strategy.Strategy) {
						share := s.Verdict().Proven.Share
						lock.Lock()
						defer lock.Unlock()
						if before := last[r]; before > 0 && !(share > 0 && share <= before) {
							grown++
						}
						last[r] = share
					}
				})
				proven, wrong, mean := 0, 0, 0.0
				for _, run := range all {
					if run.Proven.Share > 0 {
						proven++
						mean += run.Proven.Share
					}
					if !run.ProvenHolds {
						wrong++
					}
				}
				name := fmt.Sprintf("%s, N = %d, %d answers", kind, n, budget)
				t.Logf("%s: proven in %d, mean share %.3f, wrong %d of %d", name, proven, mean/float64(max(proven, 1)), wrong, runs)
				if float64(wrong) > delta*runs || grown > 0 {
					t.Errorf("%s: wrong in %d of %d runs, and the share grew %d times", name, wrong, runs, grown)
				}
			}
		}
	}
}

// TestLongTroubles: at δ = 0.1, of 400 runs each, at most δ certify an arm over which more than 55 of 100 people
// choose another one of these two alone. With three and six arms at least 90% are certified within 20,000 answers,
// but for a united minority among six.
// Everyone answers ten questions of three arms, all ranked, unless the case says otherwise. Arrivals are people
// per usual time of an answer: 1, 4 and 20 are 5, 20 and 100 a minute if an answer takes 12 seconds.
func TestLongTroubles(t *testing.T) {
	type setting struct {
		kind     simulate.Trouble
		n, k     int
		arrivals float64
	}
	var cases []setting
	for _, n := range []int{3, 6, 12} {
		for _, share := range []float64{0.6, 0.65} {
			cases = append(cases, setting{kind: simulate.Trouble{Kind: "clones", Share: share}, n: n})
		}
		cases = append(cases, setting{kind: simulate.Trouble{Kind: "squeeze"}, n: n},
			setting{kind: simulate.Trouble{Kind: "minority"}, n: n}, setting{kind: simulate.Trouble{Kind: "decoyed"}, n: n, k: 2})
	}
	for _, arrivals := range []float64{1, 4, 20} {
		for _, slower := range []float64{1.3, 1.5, 2} {
			cases = append(cases, setting{kind: simulate.Trouble{Kind: "pace", Strength: slower}, n: 6, arrivals: arrivals})
		}
	}
	for _, n := range []int{6, 12} {
		for _, stay := range []float64{1, 2, 5} {
			cases = append(cases, setting{kind: simulate.Trouble{Kind: "leavers", Strength: stay}, n: n, arrivals: 4})
		}
	}
	for _, each := range []int{10, 20} { // fans of the better arm leave after one answer, everyone counts at once
		for _, n := range []int{2, 6} {
			cases = append(cases, setting{kind: simulate.Trouble{Kind: "leavers", Strength: 1, Each: each}, n: n, k: min(n, 3)})
		}
	}
	for _, c := range cases {
		if c.k == 0 {
			c.k = 3
		}
		name := fmt.Sprintf("%s %g %g, N = %d, K = %d, %g arrivals, %d each", c.kind.Kind, c.kind.Share, c.kind.Strength, c.n, c.k,
			c.arrivals, c.kind.Each)
		t.Run(name, func(t *testing.T) {
			s := trouble(t, c.kind, c.n, c.k, func(e *simulate.Experiment) { e.Arrivals = c.arrivals })
			t.Logf("| %s | %d | %d | %d | %.0f | %.0f |", name, s.Runs, s.Certified, s.MajorityWrong, s.Questions.Mean, s.People.Mean)
			if float64(s.MajorityWrong) > 0.1*float64(s.Runs) {
				t.Errorf("%d of %d certified arms lose to another", s.MajorityWrong, s.Runs)
			}
			least := 0.9
			if c.kind.Kind == "minority" && c.n == 6 {
				least = 0.6 // five arms are tied, and everyone orders them in their own way
			}
			if c.n <= 6 && float64(s.Certified) < least*float64(s.Runs) {
				t.Errorf("%d of %d runs are certified within 20,000 answers", s.Certified, s.Runs)
			}
		})
	}
}

// TestLongDoubts: at δ = 0.1, where the first 40 people choose otherwise, at least 90 of 100 runs are doubtful or
// undecided; where one side skips comparisons or leaves early, most runs are; and where nothing is broken, a doubt other
// than about few people is raised in at most 5% of the runs. Rankings of three arms, of which one is a decoy,
// certify a wrong arm in at most δ of the runs, because most questions are real pairs where there are three arms.
func TestLongDoubts(t *testing.T) {
	const runs = 100
	for _, c := range []struct {
		kind     simulate.Trouble
		n        int
		arrivals float64
		broken   bool
		least    int // runs that are doubtful or undecided
		people   int // before whom nothing is certified
	}{
		{simulate.Trouble{Kind: "turn", Strength: 40}, 3, 0, true, 90, 0},
		{simulate.Trouble{Kind: "turn", Strength: 40}, 6, 1, true, 90, 30},
		{simulate.Trouble{Kind: "turn", Strength: 40}, 6, 0, true, 90, 80},
		{simulate.Trouble{Kind: "turn", Strength: 200}, 6, 1, true, 0, 0},
		{simulate.Trouble{Kind: "turn", Strength: 200}, 6, 0, true, 0, 80},
		{simulate.Trouble{Kind: "skips", Strength: 0.3}, 6, 1, true, 50, 0},
		{simulate.Trouble{Kind: "skips", Strength: 0.6}, 6, 1, true, 80, 0},
		{simulate.Trouble{Kind: "leavers", Strength: 2}, 6, 1, true, 80, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 0, true, 0, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 1, true, 0, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 4, true, 0, 0},
		{simulate.Trouble{Kind: "clones"}, 3, 0, false, 0, 0},
		{simulate.Trouble{Kind: "clones"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "squeeze"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "pace"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "pace"}, 6, 4, false, 0, 0},
	} {
		all := troubleAfter(t, c.people, c.kind, c.n, 3, func(e *simulate.Experiment) { e.Runs, e.Arrivals = runs, c.arrivals })
		doubtful, raised, wrong, unnoticed, each := 0, 0, 0, 0, map[string]int{}
		for _, run := range all {
			for _, d := range run.Doubts {
				each[d.About]++
			}
			if !run.Certified || len(run.Doubts) > 0 {
				doubtful++
			}
			if slices.ContainsFunc(run.Doubts, func(d strategy.Doubt) bool { return d.About != strategy.FewPeople }) {
				raised++
			}
			if run.Certified && !run.Majority {
				wrong++
				unnoticed += one(len(run.Doubts) == 0)
			}
		}
		name := fmt.Sprintf("%s %g, N = %d, %g arrivals, %d people", c.kind.Kind, c.kind.Strength, c.n, c.arrivals, c.people)
		t.Logf("%s: doubtful or undecided %d of %d, %v; wrong %d, of these without a doubt %d", name, doubtful, runs, each, wrong,
			unnoticed)
		switch {
		case doubtful < c.least:
			t.Errorf("%s: %d are doubtful or undecided", name, doubtful)
		case !c.broken && raised > runs/20:
			t.Errorf("%s: %d false alarms", name, raised)
		case c.kind.Kind == "decoyed" && wrong > runs/10:
			t.Errorf("%s: %d are wrong", name, wrong)
		}
	}
}
