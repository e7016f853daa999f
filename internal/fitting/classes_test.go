package fitting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/fitting"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// electricity returns the data of 361 people, whose log-likelihoods with 2 and 3 classes another program found: see
// electricityClasses.
func electricity(t *testing.T) *fitting.Data {
	t.Helper()
	file, err := os.Open(testsupport.DataPath(t, "electricity.csv"))
	testsupport.NoError(t, err)
	defer file.Close()
	data, err := fitting.ReadLong(file, "electricity.csv", recorded.LongForm{
		Task: "task", Chosen: "chosen", Respondent: "respondent", Features: []string{"pf", "cl", "loc", "wk", "tod", "seas"},
		Answers: true,
	})
	testsupport.NoError(t, err)
	return data
}

// electricityClasses are the log-likelihoods of an EM algorithm in NumPy with three random starts, which must be reached,
// and ours to more digits.
var electricityClasses = map[int]struct{ least, ours float64 }{2: {-4526.85, -4526.829029}, 3: {-4298.05, -4298.027528}}

func TestElectricityClasses(t *testing.T) {
	data := electricity(t)
	for count, want := range electricityClasses {
		fitted, err := data.FitClasses(fitting.ClassOptions{Count: count, Seed: 1})
		testsupport.NoError(t, err)
		if !(fitted.LogLikelihood >= want.least) {
			t.Errorf("%d classes: log-likelihood %v, want %v", count, fitted.LogLikelihood, want.least)
		}
		approx.Equal(t, "log-likelihood", fitted.LogLikelihood, want.ours, 1e-5)
		if fitted.Statistics.DegreesOfFreedom != 7*count-1 || len(fitted.Members) != 361 {
			t.Errorf("%d parameters, %d members", fitted.Statistics.DegreesOfFreedom, len(fitted.Members))
		}
	}
}

// kinds returns choices of 80 people, of whom 60 want a large size and 20 a low price, about options of a small grid.
func kinds(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 8))
	var text strings.Builder
	text.WriteString("task,respondent,chosen,price,size\n")
	for person := range 80 {
		price, size := -0.5, 2.0
		if person%4 == 0 {
			price, size = -2, 0.2
		}
		for task := range 10 {
			var options [3][2]float64
			var utilities []float64
			for i := range options {
				options[i] = [2]float64{float64(rng.IntN(3)), float64(rng.IntN(3))}
				utilities = append(utilities, price*options[i][0]+size*options[i][1])
			}
			pick := choice.SamplePick(rng, utilities)
			for i, o := range options {
				chosen := 0
				if i == pick {
					chosen = 1
				}
				fmt.Fprintf(&text, "%d,p%d,%d,%v,%v\n", task, person, chosen, o[0], o[1])
			}
		}
	}
	return text.String()
}

// TestClassesDescribed: BIC finds two classes; members are in the right class; the favourite of each class and of all is
// the option with the largest utility, and the one that no other beats, by comparing all; shares have the errors of
// differences; the willingness to pay is −θ_size/θ_price.
func TestClassesDescribed(t *testing.T) {
	data, err := fitting.ReadLong(strings.NewReader(kinds(1)), "choices.csv", recorded.LongForm{
		Task: "task", Chosen: "chosen", Respondent: "respondent", Features: []string{"price", "size"}, Answers: true,
	})
	testsupport.NoError(t, err)
	fitted, err := data.FitClasses(fitting.ClassOptions{Seed: 1, Price: "price"})
	testsupport.NoError(t, err)
	if len(fitted.Classes) != 2 || len(fitted.Tried) != 3 || fitted.Options != 9 {
		t.Fatalf("%d classes of %d tried, %d options", len(fitted.Classes), len(fitted.Tried), fitted.Options)
	}
	right := 0
	for i, m := range fitted.Members {
		if (m.Class == 2) == (i%4 == 0) && m.Respondent == fmt.Sprint("p", i) {
			right++
		}
	}
	if right < 76 {
		t.Errorf("%d of 80 members are in the right class", right)
	}
	shares := []float64{fitted.Classes[0].Share.Value, fitted.Classes[1].Share.Value}
	// The log odds of the second class are the first parameter, and those of the first class their negative.
	se := math.Sqrt(fitted.Covariances.Clustered[0][0])
	for _, class := range fitted.Classes {
		approx.Equal(t, "error of a share", class.Share.SE, se*shares[0]*shares[1], 1e-12)
		half := (math.Log(class.Share.High/(1-class.Share.High)) - math.Log(class.Share.Low/(1-class.Share.Low))) / 2
		approx.Equal(t, "interval of a share", half, 1.959963984540054*se, 1e-9)
		approx.Equal(t, "willingness to pay", class.WTP[0].Value, -class.Parameters[1].Estimate/class.Parameters[0].Estimate, 1e-12)
	}
	utility := func(class int, option [2]float64) float64 {
		p := fitted.Classes[class].Parameters
		return p[0].Estimate*option[0] + p[1].Estimate*option[1]
	}
	least := func(option [2]float64) float64 { // share who choose it over the strongest other
		worst := 1.0
		for price := range 3 {
			for size := range 3 {
				other, over := [2]float64{float64(price), float64(size)}, 0.0
				for k, share := range shares {
					over += share / (1 + math.Exp(utility(k, other)-utility(k, option)))
				}
				if other != option {
					worst = min(worst, over)
				}
			}
		}
		return worst
	}
	free := [2]float64{0, 2} // large at no price: the best of both classes
	for _, best := range []*fitting.Favourite{fitted.Best, fitted.Classes[0].Best, fitted.Classes[1].Best} {
		approx.Equal(t, "least share of "+best.Name, best.Least, least(free), 1e-12)
		if best.Cycle || !strings.HasSuffix(best.Name, "(size=2)") {
			t.Errorf("the best is %+v", best)
		}
	}
}
