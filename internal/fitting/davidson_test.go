package fitting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// TestDavidsonRecoversTheModel: at the estimate, the expected wins of every item and the expected ties equal
// the recorded ones, by Davidson's formula; the truth is near; and without ties the model fits worse. With
// 3,000 votes a utility has a standard error of about 0.05, so 0.25 are five of them.
func TestDavidsonRecoversTheModel(t *testing.T) {
	truth, nu := []float64{0.8, 0.1, -0.2, -0.7}, math.Log(0.6)
	rng := rand.New(rand.NewPCG(41, 42))
	respondent := crowd.NewOffered(choice.Offer{Ties: true}, crowd.Constants{Tie: nu}, func(arm int) float64 { return truth[arm] }, rng)
	var text strings.Builder
	text.WriteString("left,right,winner\n")
	wins, ties := make([]float64, 4), 0.0
	var shown [][2]int
	for range 3000 {
		a := crowd.Answer(respondent, rng.Perm(4)[:2], 1)
		l, r := a.Question[0], a.Question[1]
		shown = append(shown, [2]int{l, r})
		winner := "tie"
		switch a.Picks[0] {
		case choice.Tie:
			ties++
			wins[l], wins[r] = wins[l]+0.5, wins[r]+0.5
		case 0:
			winner = "left"
			wins[l]++
		default:
			winner = "right"
			wins[r]++
		}
		fmt.Fprintf(&text, "item%d,item%d,%s\n", l, r, winner)
	}
	fit := func(ties bool, ridge float64) *fitting.Result {
		data, err := fitting.ReadPairs(strings.NewReader(text.String()), "votes.csv", recorded.Pairs{Left: "left", Right: "right", Winner: "winner", Ties: ties})
		testsupport.NoError(t, err)
		result, err := data.Fit(fitting.Options{Ridge: ridge})
		testsupport.NoError(t, err)
		return result
	}
	result := fit(true, 0)
	u, sum := map[string]float64{}, 0.0
	for i, p := range result.Parameters {
		u[p.Name] = p.Estimate
		if i < 4 {
			sum += p.Estimate
		}
	}
	tie := result.Parameters[4].Estimate
	approx.Equal(t, "sum of the utilities", sum, 0, 1e-9)
	approx.Equal(t, "log ν", tie, nu, 0.25)
	expected, expectedTies, log := make([]float64, 4), 0.0, 0.0
	for _, pair := range shown {
		i, j := pair[0], pair[1]
		pi, pj := math.Exp(u[fmt.Sprint("item", i)]), math.Exp(u[fmt.Sprint("item", j)])
		both := math.Exp(tie) * math.Sqrt(pi*pj)
		total := pi + pj + both
		expected[i] += (pi + both/2) / total
		expected[j] += (pj + both/2) / total
		expectedTies += both / total
		log -= math.Log(total)
	}
	approx.EqualSlices(t, "wins", expected, wins, 1e-5)
	approx.Equal(t, "ties", expectedTies, ties, 1e-5)
	for i := range truth {
		approx.Equal(t, "utility", u[fmt.Sprint("item", i)], truth[i], 0.25)
		log += wins[i] * u[fmt.Sprint("item", i)]
	}
	approx.Equal(t, "log-likelihood", result.LogLikelihood, log+ties*tie, 1e-6)
	for _, p := range result.Parameters {
		if !(p.SE > 0.01 && p.SE < 0.1) || p.RobustSE == nil {
			t.Fatalf("%s: errors %v and %v", p.Name, p.SE, p.RobustSE)
		}
		approx.Equal(t, "robust error by plain error of "+p.Name, *p.RobustSE/p.SE, 1, 0.2)
	}
	if half := fit(false, 0); half.Ties || len(half.Parameters) != 4 || !result.Ties {
		t.Error("a model without ties has a parameter for them")
	}
	if shrunk := fit(true, 100).Parameters[0].Estimate; !(shrunk < result.Parameters[0].Estimate && shrunk > 0) {
		t.Errorf("with a ridge the best item has %v", shrunk)
	}
}

// TestNoTies: log ν is infinite where no vote is a tie.
func TestNoTies(t *testing.T) {
	text := "l,r,w\na,b,left\nb,a,left\na,b,right\na,b,left\n"
	data, err := fitting.ReadPairs(strings.NewReader(text), "votes.csv", recorded.Pairs{Left: "l", Right: "r", Winner: "w", Ties: true})
	testsupport.NoError(t, err)
	if _, err := data.Fit(fitting.Options{}); err == nil || !strings.Contains(err.Error(), "no vote or every vote is a tie") {
		t.Errorf("got %v", err)
	}
	if _, err := data.Fit(fitting.Options{Ridge: 0.1}); err != nil {
		t.Error(err)
	}
}

// TestCountedTies: a row that stands for several votes gives the estimates and errors of as many rows, plain,
// robust and clustered.
func TestCountedTies(t *testing.T) {
	counted := "who,l,r,w,n\n1,a,b,left,3\n1,b,a,left,2\n2,a,b,tie,2\n2,b,c,tie,1\n3,c,a,right,2\n3,b,c,right,2\n3,b,c,left,1\n"
	repeated := "who,l,r,w\n" + strings.Repeat("1,a,b,left\n", 3) + strings.Repeat("1,b,a,left\n", 2) + strings.Repeat("2,a,b,tie\n", 2) +
		"2,b,c,tie\n" + strings.Repeat("3,c,a,right\n", 2) + strings.Repeat("3,b,c,right\n", 2) + "3,b,c,left\n"
	fit := func(text, count string) *fitting.Result {
		data, err := fitting.ReadPairs(strings.NewReader(text), "votes.csv", recorded.Pairs{Left: "l", Right: "r", Winner: "w", Respondent: "who", Count: count, Ties: true})
		testsupport.NoError(t, err)
		result, err := data.Fit(fitting.Options{})
		testsupport.NoError(t, err)
		return result
	}
	got, want := fit(counted, "n"), fit(repeated, "")
	if got.Tasks != 13 || got.Statistics.DegreesOfFreedom != 3 {
		t.Errorf("%d votes, %d free parameters", got.Tasks, got.Statistics.DegreesOfFreedom)
	}
	for i := range want.Parameters {
		approx.Equal(t, "estimate", got.Parameters[i].Estimate, want.Parameters[i].Estimate, 1e-8)
		approx.EqualSlices(t, "plain", got.Covariances.Plain[i], want.Covariances.Plain[i], 1e-8)
		approx.EqualSlices(t, "robust", got.Covariances.Robust[i], want.Covariances.Robust[i], 1e-8)
		approx.EqualSlices(t, "clustered", got.Covariances.Clustered[i], want.Covariances.Clustered[i], 1e-8)
	}
}
