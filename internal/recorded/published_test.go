package recorded_test

import (
	"math"
	"os"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// number is a published figure with how closely it must be met.
type number struct {
	name        string
	value, half float64 // half a unit of the last digit stated, or a tolerance
}

// published are the estimates that the sources of docs/data.md publish, and a few more with a source
// given here.
var published = []struct {
	name          string
	file          string
	columns       recorded.LongForm
	tasks         int
	logLikelihood number // half is relative
	equalShares   float64
	estimates     []number
	errors        []number
	robust        []number
}{
	{
		name: "swissmetro", file: "swissmetro.csv", tasks: 6768,
		columns:       recorded.LongForm{Features: []string{"asc_train", "asc_car", "time", "cost"}},
		logLikelihood: number{"", -5331.252006916, 1e-9}, equalShares: -6964.662979192,
		estimates: []number{{"asc_train", -0.701187, 1e-5}, {"asc_car", -0.154633, 1e-5}, {"time", -1.277859, 1e-5}, {"cost", -1.083790, 1e-5}},
		errors:    []number{{"asc_train", .054874, 5e-7}, {"asc_car", .043235, 5e-7}, {"time", .056883, 5e-7}, {"cost", .051830, 5e-7}},
	},
	{
		name: "electricity", file: "electricity.csv", tasks: 4308,
		columns:       recorded.LongForm{Features: []string{"pf", "cl", "loc", "wk", "tod", "seas"}, Respondent: "respondent"},
		logLikelihood: number{"", -4958.6491193376, 1e-9},
		// survival::clogit(… + strata(task) + cluster(respondent), method = "efron")
		// of R's survival 3.5-3, times √(G/(G−1)) with G = 361 respondents.
		errors: []number{{"pf", 0.02322231635558, 1e-9}, {"cl", 0.00824421534371, 1e-9}, {"loc", 0.05055712453442, 1e-9}},
		robust: []number{
			{"pf", 0.0334900587922, 1e-9},
			{"cl", 0.0140167329031, 1e-9},
			{"loc", 0.0788687280404, 1e-9},
			{"wk", 0.0638706932214, 1e-9},
			{"tod", 0.2781549646099, 1e-9},
			{"seas", 0.2727164970185, 1e-9},
		},
	},
	{
		name: "heating", file: "heating.csv", tasks: 900,
		columns:       recorded.LongForm{Features: []string{"ic", "oc"}},
		logLikelihood: number{"", -1095.2371, 0.00005 / 1095},
		estimates:     []number{{"ic", -0.00623187, 5e-9}, {"oc", -0.00458008, 5e-9}},
		errors:        []number{{"ic", .00035277, 5e-9}, {"oc", .00032216, 5e-9}},
	},
	{
		name: "heating with constants", file: "heating.csv", tasks: 900,
		columns:       recorded.LongForm{Alternative: "alternative", Features: []string{"ic", "oc"}, Constants: []string{"ec", "er", "gc", "gr"}},
		logLikelihood: number{"", -1008.2287, 0.00005 / 1008},
		estimates: []number{ // seven digits
			{"ec", 1.65884594, 5e-7},
			{"er", 1.85343697, 5e-7},
			{"gc", 1.71097930, 5e-7},
			{"gr", 0.30826328, 5e-8},
			{"ic", -0.00153315, 5e-9},
			{"oc", -0.00699637, 5e-9},
		},
	},
	{
		name: "fishing", file: "fishing.csv", tasks: 1182,
		columns:       recorded.LongForm{Features: []string{"price", "catch"}},
		logLikelihood: number{"", -1311.9796171080, 1e-9},
	},
	{
		name: "yogurt", file: "yogurt.csv", tasks: 2412,
		columns:       recorded.LongForm{Features: []string{"price", "feat", "brand"}, Base: map[string]string{"brand": "dannon"}},
		logLikelihood: number{"", -2656.8878779, 0.00000005 / 2656},
		estimates: []number{
			{"price", -0.3665845, 5e-8},
			{"feat", 0.4914335, 5e-8},
			{"brand=hiland", -3.7156002, 5e-8},
			{"brand=weight", -0.6411843, 5e-8},
			{"brand=yoplait", 0.7345712, 5e-8},
		},
		errors: []number{
			{"price", .02436607, 5e-9},
			{"feat", .12006301, 5e-9},
			{"brand=hiland", .14541901, 5e-9},
			{"brand=weight", .05449827, 5e-9},
			{"brand=yoplait", .080644, 5e-7},
		},
	},
}

func TestPublishedEstimates(t *testing.T) {
	for _, p := range published {
		t.Run(p.name, func(t *testing.T) {
			p.columns.Task, p.columns.Chosen = "task", "chosen"
			choices := readLongFile(t, p.file, p.columns)
			estimator := choice.Estimator{Tolerance: 1e-20}
			estimate, err := estimator.Estimate(choices.Records)
			testsupport.NoError(t, err)
			if got := choices.Records.Tasks(); got != p.tasks {
				t.Errorf("%d tasks, want %d", got, p.tasks)
			}
			approx.EqualRelative(t, "log-likelihood", estimate.LogLikelihood, p.logLikelihood.value, p.logLikelihood.half)
			if p.equalShares != 0 {
				approx.EqualRelative(t, "equal shares", estimate.NullLogLikelihood, p.equalShares, 1e-12)
			}
			compareNumbers(t, "estimate", estimate.Names, estimate.Theta, p.estimates)
			compareNumbers(t, "standard error", estimate.Names, choice.StandardErrors(estimate.Covariance), p.errors)
			if p.robust != nil {
				robust := estimate.RobustCovariance(choices.Records.Scores(estimate.Theta, choices.Respondents))
				compareNumbers(t, "clustered error", estimate.Names, choice.StandardErrors(robust), p.robust)
			}
		})
	}
}

// TestPublishedStrengths checks Bradley–Terry with ties as half a win each.
func TestPublishedStrengths(t *testing.T) {
	file, err := os.Open(testsupport.DataPath(t, "llm-votes.csv"))
	testsupport.NoError(t, err)
	defer file.Close()
	votes, err := recorded.ReadItems(file, "llm-votes.csv", recorded.ItemForm{Left: "left", Right: "right", Winner: "winner"})
	testsupport.NoError(t, err)
	if votes.Len() != 8931 || len(votes.Items) != 59 {
		t.Errorf("%d votes between %d items", votes.Len(), len(votes.Items))
	}
	estimator := choice.Estimator{Tolerance: 1e-20}
	estimate, err := estimator.Estimate(choice.NewFree(votes.Items, votes.Tally(votes.Plain())))
	testsupport.NoError(t, err)
	sum := 0.0
	for _, u := range estimate.Theta {
		sum += u
	}
	approx.Equal(t, "sum of utilities", sum, 0, 1e-12)
	strengths := choice.Probabilities(nil, estimate.Theta)
	compareNumbers(t, "strength", estimate.Names, strengths, []number{
		{"GPT 4", 0.04121787368, 1e-9}, {"Platypus-2 Instruct (70B)", 0.02923317841, 1e-9}, {"command", 0.02885205644, 1e-9},
	})
}

// TestBiogemeRobustErrors checks the task-level sandwich on swissmetro against
// Biogeme's robust errors of the same model (b01a_logit), which leave out the
// factor n/(n−1).
func TestBiogemeRobustErrors(t *testing.T) {
	choices := readLongFile(t, "swissmetro.csv", recorded.LongForm{
		Task: "task", Chosen: "chosen", Features: []string{"asc_train", "asc_car", "time", "cost"},
	})
	estimator := choice.Estimator{Tolerance: 1e-20}
	estimate, err := estimator.Estimate(choices.Records)
	testsupport.NoError(t, err)
	robust := choice.StandardErrors(estimate.RobustCovariance(choices.Records.Scores(estimate.Theta, nil)))
	n := float64(choices.Records.Tasks())
	for k := range robust {
		robust[k] /= math.Sqrt(n / (n - 1))
	}
	compareNumbers(t, "robust error", estimate.Names, robust, []number{
		{"asc_train", 0.082562, 5e-7}, {"asc_car", 0.058163, 5e-7}, {"time", 0.104254, 5e-7}, {"cost", 0.068225, 5e-7},
	})
}

func readLongFile(t *testing.T, name string, columns recorded.LongForm) *recorded.Choices {
	t.Helper()
	file, err := os.Open(testsupport.DataPath(t, name))
	testsupport.NoError(t, err)
	defer file.Close()
	choices, err := recorded.ReadLong(file, name, columns)
	testsupport.NoError(t, err)
	return choices
}

func compareNumbers(t *testing.T, what string, names []string, got []float64, want []number) {
	t.Helper()
	for _, w := range want {
		found := false
		for k, name := range names {
			if name == w.name {
				found = true
				approx.Equal(t, what+" of "+name, got[k], w.value, w.half)
			}
		}
		if !found {
			t.Errorf("there is no parameter %q among %v", w.name, names)
		}
	}
}
