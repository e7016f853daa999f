package fitting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
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
	r := fit(t, text.String(), recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", AllConstants: true}, fitting.Options{})
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
	if s.Constants.Test == nil || s.Constants.Test.DegreesOfFreedom != 0 || s.Constants.Test.P != 1 {
		t.Errorf("test against constants only: %+v", s.Constants.Test)
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
