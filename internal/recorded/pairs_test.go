package recorded_test

import (
	"iter"
	"math"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

const votes = `left,right,winner,worker
a,b,left,w1
b,c,right,w2
c,a,tie,w1
a,b,Right,w3
b,c,left,w2
a,c,left,w3
`

var votesColumns = recorded.ItemForm{Left: "left", Right: "right", Winner: "winner"}

func TestReadItems(t *testing.T) {
	v, err := recorded.ReadItems(strings.NewReader(votes), "votes.csv", votesColumns)
	testsupport.NoError(t, err)
	if v.Len() != 6 || strings.Join(v.Items, "") != "abc" || v.RespondentCount != 0 {
		t.Errorf("%d votes between %v", v.Len(), v.Items)
	}
	// A log-likelihood by hand: P(i beats j) = 1/(1+exp(u_j−u_i)); a tie is half
	// the sum of both logarithms.
	u := []float64{0.3, -1, 0.5}
	beats := func(i, j int) float64 { return -math.Log1p(math.Exp(u[j] - u[i])) }
	want := beats(0, 1) + beats(2, 1) + (beats(2, 0)+beats(0, 2))/2 + beats(1, 0) + beats(1, 2) + beats(0, 2)
	free := choice.NewFree(v.Items, v.Tally(v.Plain()))
	approx.Equal(t, "log-likelihood", free.LogLikelihood(u), want, 1e-13)
	approx.Equal(t, "picks", free.Picks(), 6, 1e-15)
}

// TestPairsByRespondent: the sandwich from the scores of each respondent, or of
// each vote, against one added up by hand.
func TestPairsByRespondent(t *testing.T) {
	for _, clustered := range []bool{false, true} {
		columns := votesColumns
		if clustered {
			columns.Respondent = "worker"
		}
		v, err := recorded.ReadItems(strings.NewReader(votes), "votes.csv", columns)
		testsupport.NoError(t, err)
		free := choice.NewFree(v.Items, v.Tally(v.Plain()))
		u := []float64{0.3, -1, 0.5}
		chance := func(i, j int) float64 { return 1 / (1 + math.Exp(u[j]-u[i])) }
		// Each vote as (left, right, what left won, worker).
		byHand := map[int][]float64{}
		for n, vote := range [][4]float64{{0, 1, 1, 1}, {1, 2, 0, 2}, {2, 0, 0.5, 1}, {0, 1, 0, 3}, {1, 2, 1, 2}, {0, 2, 1, 3}} {
			who := n
			if clustered {
				who = int(vote[3])
			}
			if byHand[who] == nil {
				byHand[who] = make([]float64, 3)
			}
			l, r := int(vote[0]), int(vote[1])
			byHand[who][l] += vote[2] - chance(l, r)
			byHand[who][r] -= vote[2] - chance(l, r)
		}
		var want, got [3][3]float64
		for _, g := range byHand {
			for i := range 3 {
				for j := range 3 {
					want[i][j] += g[i] * g[j]
				}
			}
		}
		clusters := 0
		for g := range free.Scores(u, tallies(v, clustered)) {
			clusters++
			for i := range 3 {
				for j := range 3 {
					got[i][j] += g[i] * g[j]
				}
			}
		}
		if clusters != len(byHand) {
			t.Errorf("%d clusters, want %d", clusters, len(byHand))
		}
		for i := range 3 {
			approx.EqualSlices(t, "Σ gg'", got[i][:], want[i][:], 1e-14)
		}
	}
}

// TestReadPairsForms: the same votes in other forms.
func TestReadPairsForms(t *testing.T) {
	want, err := recorded.ReadItems(strings.NewReader(votes), "votes.csv", recorded.ItemForm{})
	testsupport.NoError(t, err)
	arena := strings.NewReplacer("left,right", "model_a,model_b", "left", "model_a", "Right", "model_b", "right", "model_b", ",tie,",
		",tie (bothbad),").Replace(votes)
	named := "Left,Right,Winner\na,b,a\nb,c,c\nc,a,tie\na,b,b\nb,c,b\na,c,a\n"
	counted := "winner,loser,n\na,b,1\nc,b,2\nb,a,3\n"
	repeated := "winner,loser\na,b\nc,b\nc,b\nb,a\nb,a\nb,a\n"
	u := []float64{0.3, -1, 0.5}
	value := func(v *recorded.Rankings) float64 {
		return choice.NewFree(v.Items, v.Tally(v.Plain())).LogLikelihood(u)
	}
	for name, text := range map[string]string{"arena": arena, "by name": named} {
		v, err := recorded.ReadItems(strings.NewReader(text), "votes.csv", recorded.ItemForm{})
		testsupport.NoError(t, err)
		approx.Equal(t, name, value(v), value(want), 1e-13)
	}
	a, err := recorded.ReadItems(strings.NewReader(counted), "votes.csv",
		recorded.ItemForm{Winner: "winner", Loser: "loser", Count: "n"})
	testsupport.NoError(t, err)
	b, err := recorded.ReadItems(strings.NewReader(repeated), "votes.csv", recorded.ItemForm{})
	testsupport.NoError(t, err)
	if a.Len() != 6 || b.Len() != 6 {
		t.Errorf("%d and %d votes", a.Len(), b.Len())
	}
	approx.Equal(t, "counts", value(a), value(b), 1e-13)
	for k, x := range robustErrors(t, a) {
		approx.Equal(t, "robust error with counts", x, robustErrors(t, b)[k], 1e-12)
	}
	unused, err := recorded.ReadItems(strings.NewReader(counted), "votes.csv", recorded.ItemForm{})
	if err != nil || len(unused.Hints) != 1 ||
		unused.Hints[0] != `column "n" adds up to 6, but each of the 3 rows counts as one vote; if it is the number of votes, add --count n` {
		t.Errorf("hints %q, %v", unused.Hints, err)
	}
}

// robustErrors fits votes with a ridge and returns their robust errors.
func robustErrors(t *testing.T, v *recorded.Rankings) []float64 {
	t.Helper()
	free := choice.NewFree(v.Items, v.Tally(v.Plain()))
	estimate, err := (&choice.Estimator{RidgeOnSum: 1}).Estimate(free)
	testsupport.NoError(t, err)
	return choice.StandardErrors(estimate.RobustCovariance(func(yield func([]float64, float64) bool) {
		var times []float64
		for _, equal := range v.Clusters(v.Plain(), false) {
			times = append(times, equal)
		}
		for score := range free.Scores(estimate.Theta, tallies(v, false)) {
			if !yield(score, times[0]) {
				return
			}
			times = times[1:]
		}
	}))
}

// tallies returns the tallies of the clusters of votes.
func tallies(v *recorded.Rankings, byRespondent bool) iter.Seq[*choice.Tally] {
	return func(yield func(*choice.Tally) bool) {
		for tally := range v.Clusters(v.Plain(), byRespondent) {
			if !yield(tally) {
				return
			}
		}
	}
}

func TestReadPairsRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"missing column", "left,right\na,b\n", `votes.csv:1: column "winner": there is no such column; there are left, right`},
		{
			"odd winner", "left,right,winner\na,b,maybe\n",
			`votes.csv:2: column "winner": "maybe" is not left, right or tie, nor one of the two items`,
		},
		{"no winner", "left,right,winner\na,b,\n", `votes.csv:2: column "winner": the value is missing`},
		{"no item", "left,right,winner\na,b,tie\n,b,tie\n", `votes.csv:3: column "left": the value is missing`},
		{"against itself", "left,right,winner\na,a,tie\n", `votes.csv:2: column "right": both sides are "a"`},
		{
			"neither item", "left,right,winner\na,b,c\n",
			`votes.csv:2: column "winner": "c" is not left, right or tie, nor one of the two items`,
		},
		{"no votes", "left,right,winner\n", `votes.csv: there are no rows below the header`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := recorded.ReadItems(strings.NewReader(c.text), "votes.csv", votesColumns)
			if err == nil || got != nil || err.Error() != c.says {
				t.Errorf("got  %v\nwant %s", err, c.says)
			}
		})
	}
	_, err := recorded.ReadItems(strings.NewReader("winner,loser,n\na,b,1.5\n"), "votes.csv",
		recorded.ItemForm{Winner: "winner", Loser: "loser", Count: "n"})
	wantError(t, err, `votes.csv:2: column "n": a count must be a whole number from 1 to 1000000000, got 1.5`)
	_, err = recorded.ReadItems(strings.NewReader("a,b\n1,2\n"), "votes.csv", recorded.ItemForm{})
	wantError(t, err, `votes.csv: choices need --features or --constants; votes and rankings need columns with usual names`)
}
