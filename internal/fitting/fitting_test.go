package fitting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

var form = recorded.LongForm{
	Task: "task", Alternative: "alternative", Chosen: "chosen", Respondent: "respondent",
	Features: []string{"price", "size"}, AllConstants: true,
}

// truth are the utilities of the simulated choices: the constants of b and c, price and size.
var truth = []float64{0.5, -0.5, -1, 0.8}

// simulated returns choices among a, b and c in long form.
func simulated(seed uint64, people, tasksEach int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var text strings.Builder
	text.WriteString("task,respondent,alternative,chosen,price,size\n")
	for task := range people * tasksEach {
		features, utilities := make([][]float64, 3), make([]float64, 3)
		for i := range features {
			features[i] = make([]float64, 4)
			if i > 0 {
				features[i][i-1] = 1
			}
			features[i][2], features[i][3] = 1+2*rng.Float64(), rng.NormFloat64()
			utilities[i] = floats.Dot(features[i], truth)
		}
		pick := choice.SamplePick(rng, utilities)
		for i, x := range features {
			chosen := 0
			if i == pick {
				chosen = 1
			}
			fmt.Fprintf(&text, "%d,p%d,%c,%d,%v,%v\n", task, task/tasksEach, 'a'+i, chosen, x[2], x[3])
		}
	}
	return text.String()
}

const scenario = "alternative,price,size\na,1,0\nb,2,1\nc,1.5,0.5\n"

func fit(t testing.TB, text string, form recorded.LongForm, options fitting.Options) *fitting.Result {
	t.Helper()
	data, err := fitting.ReadLong(strings.NewReader(text), "choices.csv", form)
	testsupport.NoError(t, err)
	result, err := data.Fit(options)
	testsupport.NoError(t, err)
	return result
}

// byDifferences returns √(g'Σg) with the gradient g of f by central differences. With h = 1e-6 their error
// is about h² and the rounding 1e-16/h = 1e-10.
func byDifferences(r *fitting.Result, covariance [][]float64, f func(theta []float64) float64) float64 {
	const h = 1e-6
	var theta []float64
	for _, p := range r.Parameters {
		theta = append(theta, p.Estimate)
	}
	gradient := make([]float64, len(theta))
	for k := range theta {
		at := theta[k]
		theta[k] = at + h
		up := f(theta)
		theta[k] = at - h
		gradient[k] = (up - f(theta)) / (2 * h)
		theta[k] = at
	}
	sum := 0.0
	for k := range theta {
		sum += gradient[k] * floats.Dot(covariance[k], gradient)
	}
	return math.Sqrt(sum)
}

// TestDerivedAgainstDifferences: the errors of willingness to pay and of shares are those of numerical
// gradients, with every covariance.
func TestDerivedAgainstDifferences(t *testing.T) {
	text := simulated(1, 40, 5)
	features := [][]float64{{0, 0, 1, 0}, {1, 0, 2, 1}, {0, 1, 1.5, 0.5}}
	for _, kind := range []fitting.Errors{fitting.Plain, fitting.Robust, fitting.Clustered} {
		r := fit(t, text, form, fitting.Options{Errors: kind})
		covariance := map[fitting.Errors][][]float64{
			fitting.Plain: r.Covariances.Plain, fitting.Robust: r.Covariances.Robust, fitting.Clustered: r.Covariances.Clustered,
		}[kind]
		worth, err := r.WillingnessToPay("price")
		testsupport.NoError(t, err)
		for i, k := range []int{0, 1, 3} {
			f := func(theta []float64) float64 { return -theta[k] / theta[2] }
			approx.Equal(t, "willingness to pay", worth[i].Value, -r.Parameters[k].Estimate/r.Parameters[2].Estimate, 1e-14)
			approx.EqualRelative(t, "its error", worth[i].SE, byDifferences(r, covariance, f), 1e-6)
			approx.Equal(t, "its interval", worth[i].High-worth[i].Low, 2*1.959963984540054*worth[i].SE, 1e-12)
		}
		shares, err := r.Shares(strings.NewReader(scenario), "scenario.csv")
		testsupport.NoError(t, err)
		sum := 0.0
		for i, s := range shares[0].Shares {
			share := func(theta []float64) float64 {
				var utilities []float64
				for _, x := range features {
					utilities = append(utilities, floats.Dot(x, theta))
				}
				return choice.Probabilities(nil, utilities)[i]
			}
			logit := func(theta []float64) float64 { return math.Log(share(theta) / (1 - share(theta))) }
			approx.EqualRelative(t, "error of a share", s.SE, byDifferences(r, covariance, share), 1e-6)
			half := (math.Log(s.High/(1-s.High)) - math.Log(s.Low/(1-s.Low))) / 2
			approx.EqualRelative(t, "interval of the log odds", half, 1.959963984540054*byDifferences(r, covariance, logit), 1e-6)
			sum += s.Value
		}
		approx.Equal(t, "sum of shares", sum, 1, 1e-14)
	}
}

// TestStatistics: the statistics of picks between two alternatives with one constant, by hand. 30 of 40
// picks are b, so that the log odds are log 3, their variance 1/30 + 1/10, and the model is that with
// constants only.
func TestStatistics(t *testing.T) {
	var text strings.Builder
	text.WriteString("task,alternative,chosen\n")
	for task := range 40 {
		b := 0
		if task%4 > 0 {
			b = 1
		}
		fmt.Fprintf(&text, "%d,a,%d\n%d,b,%d\n", task, 1-b, task, b)
	}
	r := fit(t, text.String(), recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", AllConstants: true},
		fitting.Options{})
	value, null := 30*math.Log(.75)+10*math.Log(.25), 40*math.Log(.5)
	p, s := r.Parameters[0], r.Statistics
	approx.Equal(t, "estimate", p.Estimate, math.Log(3), 1e-12)
	approx.Equal(t, "error", p.SE, math.Sqrt(1./30+1./10), 1e-12)
	approx.Equal(t, "low", p.Low, math.Log(3)-1.959963984540054*p.SE, 1e-12)
	approx.Equal(t, "log-likelihood", r.LogLikelihood, value, 1e-10)
	approx.Equal(t, "R²", s.Rho, 1-value/null, 1e-12)
	approx.Equal(t, "adjusted R²", s.AdjustedRho, 1-(value-1)/null, 1e-12)
	approx.Equal(t, "AIC", s.AIC, 2-2*value, 1e-9)
	approx.Equal(t, "BIC", s.BIC, math.Log(40)-2*value, 1e-9)
	approx.Equal(t, "likelihood ratio", s.EqualShares.Statistic, 2*(value-null), 1e-9)
	// χ² with one degree of freedom is the square of a standard normal.
	approx.EqualRelative(t, "p", s.EqualShares.P, math.Erfc(math.Sqrt(value-null)), 1e-9)
	approx.Equal(t, "constants only", s.Constants.LogLikelihood, value, 1e-9)
	if s.Constants.Test != nil {
		t.Errorf("a test of the model against itself: %+v", s.Constants.Test)
	}
}

// TestErrorsByDefault: clustered errors with respondents, robust ones with weights, plain ones otherwise.
func TestErrorsByDefault(t *testing.T) {
	text := simulated(2, 30, 4)
	alone := form
	alone.Respondent = ""
	weighted := alone
	weighted.Weight = "price" // differs within tasks
	for _, c := range []struct {
		form recorded.LongForm
		want fitting.Errors
	}{{form, fitting.Clustered}, {alone, fitting.Plain}} {
		if r := fit(t, text, c.form, fitting.Options{}); r.Errors != c.want {
			t.Errorf("%s errors, want %s", r.Errors, c.want)
		}
	}
	if _, err := fitting.ReadLong(strings.NewReader(text), "choices.csv", weighted); err == nil {
		t.Error("weights that differ within a task are accepted")
	}
	heavy := strings.ReplaceAll(strings.Replace(text, "size\n", "size,w\n", 1), "\n", ",2\n")
	heavy = strings.Replace(heavy, "size,w,2\n", "size,w\n", 1)
	weighted.Weight = "w"
	r, plain := fit(t, heavy, weighted, fitting.Options{}), fit(t, text, alone, fitting.Options{})
	if r.Errors != fitting.Robust {
		t.Errorf("%s errors with weights", r.Errors)
	}
	for k, p := range r.Parameters { // twice the weight: half the variance, the same robust error
		approx.Equal(t, "estimate", p.Estimate, plain.Parameters[k].Estimate, 1e-9)
		approx.Equal(t, "plain error", p.SE, plain.Parameters[k].SE/math.Sqrt2, 1e-9)
		approx.Equal(t, "robust error", *p.RobustSE, *plain.Parameters[k].RobustSE, 1e-9)
	}
	data, err := fitting.ReadLong(strings.NewReader(text), "choices.csv", alone)
	testsupport.NoError(t, err)
	if _, err := data.Fit(fitting.Options{Errors: fitting.Clustered}); err == nil {
		t.Error("clustered errors without respondents")
	}
}

// TestHoldout: tasks of whole respondents are held out, and the rest is fitted as if it were alone.
func TestHoldout(t *testing.T) {
	text := simulated(3, 30, 4)
	data, err := fitting.ReadLong(strings.NewReader(text), "choices.csv", form)
	testsupport.NoError(t, err)
	rest, held, err := data.Split(0.2, 1)
	testsupport.NoError(t, err)
	r, err := rest.Fit(fitting.Options{})
	testsupport.NoError(t, err)
	h := held.Predict(r)
	if h.Respondents != 6 || h.Tasks != 24 || r.Tasks != 96 || r.Respondents != 24 {
		t.Errorf("held out %d tasks of %d respondents, fitted %d of %d", h.Tasks, h.Respondents, r.Tasks, r.Respondents)
	}
	approx.Equal(t, "chance", h.ChanceRate, 1./3, 1e-12)
	approx.Equal(t, "equal shares", h.NullLogLikelihood, 24*math.Log(1./3), 1e-10)
	if !(h.HitRate > h.ChanceRate && h.LogLikelihood > h.NullLogLikelihood) {
		t.Errorf("the model predicts no better than chance: %+v", h)
	}
	for _, share := range []float64{0.001, 0.999} {
		if _, _, err := data.Split(share, 1); err == nil {
			t.Errorf("%v is held out", share)
		}
	}
}

// TestConstantColumnRemedy: the error of a respondent's column suggests coefficients by alternative.
func TestConstantColumnRemedy(t *testing.T) {
	data, err := fitting.ReadLong(strings.NewReader("task,chosen,income\n1,1,5\n1,0,5\n2,0,7\n2,1,7\n"), "choices.csv",
		recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"income"}})
	testsupport.NoError(t, err)
	_, err = data.Fit(fitting.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "--by-alternative income") {
		t.Error(err)
	}
}

// TestDavidsonRecoversTheModel: at the estimate, the expected wins of every item and the expected ties equal
// the recorded ones, by Davidson's formula; the truth is near; and without ties the model fits worse. With
// 3,000 votes a utility has a standard error of about 0.05, so 0.25 are five of them.
func TestDavidsonRecoversTheModel(t *testing.T) {
	truth, nu := []float64{0.8, 0.1, -0.2, -0.7}, math.Log(0.6)
	rng := rand.New(rand.NewPCG(41, 42))
	respondent := crowd.NewOffered(choice.Offer{Ties: true}, crowd.Constants{Tie: nu},
		func(arm int) float64 { return truth[arm] }, rng)
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
		data, err := fitting.ReadItems(strings.NewReader(text.String()), "votes.csv",
			recorded.ItemForm{Left: "left", Right: "right", Winner: "winner", Ties: ties})
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
	data, err := fitting.ReadItems(strings.NewReader(text), "votes.csv",
		recorded.ItemForm{Left: "l", Right: "r", Winner: "w", Ties: true})
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
	repeated := "who,l,r,w\n" + strings.Repeat("1,a,b,left\n", 3) + strings.Repeat("1,b,a,left\n",
		2) + strings.Repeat("2,a,b,tie\n", 2) +
		"2,b,c,tie\n" + strings.Repeat("3,c,a,right\n", 2) + strings.Repeat("3,b,c,right\n", 2) + "3,b,c,left\n"
	fit := func(text, count string) *fitting.Result {
		data, err := fitting.ReadItems(strings.NewReader(text), "votes.csv",
			recorded.ItemForm{Left: "l", Right: "r", Winner: "w", Respondent: "who", Count: count, Ties: true})
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
