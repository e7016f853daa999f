//go:build long

package simulate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"bestpick/choice"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/majority"
	"bestpick/strategy/racing"
)

// trouble runs races on n arms against people of a kind: with K arms in a question, of which all are ordered.
func trouble(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) simulate.Summary {
	t.Helper()
	return simulate.Summarise(troubleRuns(t, kind, n, k, change))
}

func troubleRuns(t *testing.T, kind simulate.Trouble, n, k int, change func(*simulate.Experiment)) []simulate.Run {
	t.Helper()
	in, crowd, err := kind.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	settings := racing.Settings{K: k, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority}
	return race(t, in, settings, func(e *simulate.Experiment) {
		e.Runs, e.Seed, e.MaxQuestions, e.Picks, e.Crowd = 400, 1, 20_000, k-1, crowd
		if change != nil {
			change(e)
		}
	})
}

// patient continues to ask until a number of people have come, as a study with a minimum of people does.
type patient struct {
	*majority.Race

	arms, least int
	rng         *rand.Rand
}

// Verdict is that of the race once there are enough people.
func (p *patient) Verdict() strategy.Verdict {
	v := p.Race.Verdict()
	if v.Arrived < p.least {
		v.Status = strategy.Asking
	}
	return v
}

// Ask returns a question of the race. After its decision it returns the leader and two random arms.
func (p *patient) Ask() (choice.Question, error) {
	q, err := p.Race.Ask()
	if v := p.Race.Verdict(); errors.Is(err, strategy.ErrStopped) && v.Arrived < p.least {
		q = choice.Question{v.Leader}
		for _, arm := range p.rng.Perm(p.arms) {
			if arm != v.Leader && len(q) < 3 {
				q = append(q, arm)
			}
		}
		return q, nil
	}
	return q, err
}

// Tell takes an answer to a question of either kind.
func (p *patient) Tell(a choice.Answer) error {
	err := p.Race.Tell(a)
	if errors.Is(err, strategy.ErrNotAsked) {
		return p.Recount(a)
	}
	return err
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
// but for a united minority among six with ten questions each.
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
	// With ten questions each, most answers of a person repeat what they said: five arms are tied, and three slates
	// compare the nominee with all of its rivals. Three was chosen after that was seen.
	cases = append(cases, setting{kind: simulate.Trouble{Kind: "minority", Each: 3}, n: 6},
		setting{kind: simulate.Trouble{Kind: "decoyed"}, n: 3, arrivals: 1}, setting{kind: simulate.Trouble{Kind: "decoyed"}, n: 6})
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
			if c.kind.Kind == "minority" && c.n == 6 && c.kind.Each == 0 {
				least = 0.6
			}
			if c.n <= 6 && float64(s.Certified) < least*float64(s.Runs) {
				t.Errorf("%d of %d runs are certified within 20,000 answers", s.Certified, s.Runs)
			}
		})
	}
}

// TestLongOwnerCloses: an owner who closes at the best moment publishes something false in at most δ of 400 runs.
func TestLongOwnerCloses(t *testing.T) {
	const runs = 400
	for _, kind := range []simulate.Trouble{{Kind: "pace"}, {Kind: "leavers", Strength: 2}} {
		for _, n := range []int{3, 6} {
			t.Run(fmt.Sprintf("%s, N = %d", kind.Kind, n), func(t *testing.T) {
				wrong := closings(t, kind, n, runs, 500)
				t.Logf("%d of %d runs", wrong, runs)
				if float64(wrong) > closingDelta*runs {
					t.Errorf("%d of %d runs", wrong, runs)
				}
			})
		}
	}
}

// TestLongDoubts: at δ = 0.1, where the first 40 people choose otherwise, at least 90 of 100 runs are doubtful, say
// that too few people check it, or are undecided; where one side skips comparisons or leaves early, most runs are; and where nothing is broken, a doubt other
// than about few people is raised in at most 5% of the runs. Rankings of three arms, of which one is a decoy,
// certify a wrong arm in at most δ of the runs, because most questions are real pairs where there are three arms.
// At least 90 of 100 of these runs are doubtful, or say that too few people compared slates with pairs: a decoy that
// moves 58% to 45% adds at most 0.124²/(2·(0.25/2 + 0.25/8)) = 0.05 to the log of the evidence for each person with
// two slates and eight pairs, and 90% power at an evidence of five takes 7, or 145 people.
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
		{simulate.Trouble{Kind: "turn", Strength: 40}, 6, 0, true, 90, 140},
		{simulate.Trouble{Kind: "turn", Strength: 200}, 6, 1, true, 0, 0},
		{simulate.Trouble{Kind: "turn", Strength: 200}, 6, 0, true, 0, 80},
		{simulate.Trouble{Kind: "skips", Strength: 0.3}, 6, 1, true, 50, 0},
		{simulate.Trouble{Kind: "skips", Strength: 0.6}, 6, 1, true, 80, 0},
		{simulate.Trouble{Kind: "leavers", Strength: 2}, 6, 1, true, 80, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 0, true, 90, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 1, true, 90, 0},
		{simulate.Trouble{Kind: "decoyed"}, 3, 4, true, 90, 0},
		{simulate.Trouble{Kind: "decoyed"}, 6, 1, true, 0, 0},
		{simulate.Trouble{Kind: "clones"}, 3, 0, false, 0, 0},
		{simulate.Trouble{Kind: "clones"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "squeeze"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "pace"}, 6, 1, false, 0, 0},
		{simulate.Trouble{Kind: "pace"}, 6, 4, false, 0, 0},
	} {
		name := fmt.Sprintf("%s %g, N = %d, %g arrivals, %d people", c.kind.Kind, c.kind.Strength, c.n, c.arrivals, c.people)
		t.Run(name, func(t *testing.T) {
			all := troubleRuns(t, c.kind, c.n, 3, func(e *simulate.Experiment) {
				e.Runs, e.Arrivals = runs, c.arrivals
				begin := e.Strategy
				e.Strategy = func(seed uint64) (strategy.Strategy, error) {
					race, _ := must(begin(seed)).(*majority.Race)
					return &patient{Race: race, arms: c.n, least: c.people, rng: rand.New(rand.NewPCG(seed, 1))}, nil
				}
			})
			doubtful, raised, wrong, unnoticed, each := 0, 0, 0, 0, map[string]int{}
			for _, run := range all {
				for _, d := range run.Doubts {
					each[d.About]++
				}
				if !run.Certified || len(run.Doubts) > 0 {
					doubtful++
				}
				if slices.ContainsFunc(run.Doubts, strategy.Doubt.Raised) {
					raised++
				}
				if run.Certified && !run.Majority {
					wrong++
					unnoticed += one(len(run.Doubts) == 0)
				}
			}
			t.Logf("%s: doubtful or undecided %d of %d, %v; wrong %d, of these without a doubt %d", name, doubtful, runs, each, wrong,
				unnoticed)
			switch {
			case doubtful < c.least:
				t.Errorf("%d are doubtful or undecided", doubtful)
			case !c.broken && raised > runs/20:
				t.Errorf("%d false alarms", raised)
			case c.kind.Kind == "decoyed" && wrong > runs/10:
				t.Errorf("%d are wrong", wrong)
			}
		})
	}
}
