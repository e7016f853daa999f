package recorded_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
)

// FuzzReadLong: whatever the bytes, reading either gives choices that can be
// evaluated and fitted without a NaN, or one line that names the file.
func FuzzReadLong(f *testing.F) {
	for _, seed := range []string{
		small, strings.ReplaceAll(small, ",", ";"), "\ufeff" + small, strings.ReplaceAll(small, "\n", "\r\n"),
		"task,chosen,price,colour,alternative\n1,1,1,red,car\n1,0,2,blue,bus\n", "task\n", "", "\x1f\x8b", "\xff\xfe",
		"task,chosen,worst,price,colour,alternative\n1,1,,1,red,car\n1,0,1,2,blue,bus\n1,0,0,2,red,bus\n2,0,0,1,red,car\n2,0,,3,blue,car\n3,1,0,1,red,bus\n3,1,0,2,red,car\n",
		"task,chosen,worst,price,colour,alternative\n1,1,,1,red,car\n1,0,1,2,blue,bus\n1,0,0,2,red,bus\n2,0,0,1,red,car\n2,0,,3,blue,car\n3,1,0,1,red,bus\n3,1,0,2,red,cab\n\n",
		"task,chosen,price,colour,alternative\n1,1,1e308,red,car\n1,0,-1e308,blue,bus\n",
		"task,chosen,price,colour,alternative\n\"1\n\",1,1,red,car\n\"1\n\",0,2,\"bl\"\"ue\",bus\n",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(strings.ReplaceAll(seed, "chosen", "rank")), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, ranked bool) {
		columns := smallColumns
		if ranked {
			columns.Rank, columns.Outside = "rank", true
		} else if len(text)%2 == 1 {
			columns.Outside, columns.Ties, columns.Worst = true, true, "worst"
		}
		choices, err := recorded.ReadLong(bytes.NewReader(text), "fuzz.csv", columns)
		if err != nil {
			checkError(t, err)
			return
		}
		names := choices.Records.Names()
		if value := choices.Records.LogLikelihood(make([]float64, len(names))); !(value <= 0) || math.IsInf(value, 0) {
			t.Fatalf("log-likelihood %v at zero", value)
		}
		fitWithoutNaN(t, choices.Records)
	})
}

// FuzzReadWide does the same for files with one row for each task, and conditions on their rows.
func FuzzReadWide(f *testing.F) {
	for _, seed := range []string{
		"chosen,price_a,price_b,income,av_a,av_b\na,1,2,3,1,1\n2,2,1,4,1,1\nb,3,1,2,0,1\n", "a.price;b.price;chosen\n1;2;a\n",
		"price1,price2,choice\n1,2,choice2\n2,3,1\n", "chosen,price_a\na,1\n", "",
	} {
		f.Add([]byte(seed), "income>=2")
		f.Add([]byte(seed), "chosen!=b|2")
	}
	f.Fuzz(func(t *testing.T, text []byte, where string) {
		form := recorded.LongForm{
			Task: "task", Alternative: "alternative", Chosen: "chosen", Available: "av",
			Features: []string{"price"}, ByAlternative: []string{"income"}, AllConstants: true, Outside: len(text)%2 == 1,
		}
		if condition, err := recorded.ParseCondition(where); err == nil {
			form.Where = append(form.Where, condition)
		}
		choices, err := recorded.ReadLong(bytes.NewReader(text), "fuzz.csv", form)
		if err != nil {
			checkError(t, err)
			return
		}
		fitWithoutNaN(t, choices.Records)
	})
}

// FuzzReadPairs does the same for votes.
func FuzzReadPairs(f *testing.F) {
	for _, seed := range []string{
		votes, strings.ReplaceAll(votes, ",", "\t"), "left,right,winner\n", "",
		"left,right,winner\na,b,tie\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := recorded.ReadItems(bytes.NewReader(text), "fuzz.csv", votesColumns)
		if err != nil {
			checkError(t, err)
			return
		}
		if len(v.Items) < 200 {
			fitWithoutNaN(t, choice.NewFree(v.Items, v.Tally(v.Plain())))
		}
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	checkErrorIn(t, err, "fuzz.csv")
}

func checkErrorIn(t *testing.T, err error, file string) {
	t.Helper()
	var where *table.Error
	if !errors.As(err, &where) || where.File != file || !where.Exists() {
		t.Fatalf("not a table error: %v", err)
	}
	if _, several := errors.AsType[*catalogue.Problems](err); !several && strings.Contains(err.Error(), "\n") {
		t.Fatalf("more than one line: %q", err)
	}
}

func fitWithoutNaN(t *testing.T, l choice.Likelihood) {
	t.Helper()
	estimate, err := (&choice.Estimator{MaxIterations: 50}).Estimate(l)
	if err != nil {
		return
	}
	for k, x := range estimate.Theta {
		if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(estimate.Covariance.At(k, k)) {
			t.Fatalf("θ = %v", estimate.Theta)
		}
	}
}
