package recorded_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/internal/shareddata"
	"bestpick/recorded"
)

// benchmarkReadAndFit times reading and fitting (estimates and both kinds of
// standard errors) in one run and reports their ratio: below 1, the estimate takes
// less time than reading the file.
func benchmarkReadAndFit(b *testing.B, text []byte, columns recorded.LongForm) {
	b.Helper()
	var reading, fitting time.Duration
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		start := time.Now()
		choices, err := recorded.ReadLong(bytes.NewReader(text), "bench.csv", columns)
		if err != nil {
			b.Fatal(err)
		}
		read := time.Now()
		var estimator choice.Estimator
		estimate, err := estimator.Estimate(choices.Records)
		if err != nil {
			b.Fatal(err)
		}
		choice.StandardErrors(estimate.Covariance)
		fitting += time.Since(read)
		reading += read.Sub(start)
	}
	b.ReportMetric(float64(reading.Microseconds())/float64(b.N)/1000, "read-ms/op")
	b.ReportMetric(float64(fitting.Microseconds())/float64(b.N)/1000, "fit-ms/op")
	b.ReportMetric(fitting.Seconds()/reading.Seconds(), "fit/read")
}

func BenchmarkFit(b *testing.B) {
	for _, data := range []struct {
		name    string
		columns recorded.LongForm
	}{
		{"swissmetro", recorded.LongForm{Features: []string{"asc_train", "asc_car", "time", "cost"}}},
		{"electricity", recorded.LongForm{Features: []string{"pf", "cl", "loc", "wk", "tod", "seas"}}},
	} {
		b.Run(data.name, func(b *testing.B) {
			text, err := os.ReadFile(shareddata.Path(b, data.name+".csv"))
			if err != nil {
				b.Fatal(err)
			}
			data.columns.Task, data.columns.Chosen = "task", "chosen"
			benchmarkReadAndFit(b, text, data.columns)
		})
	}
	b.Run("synthetic-100000x5x20", func(b *testing.B) {
		text, features := syntheticLong(100_000, 5, 20)
		benchmarkReadAndFit(b, text, recorded.LongForm{Task: "task", Chosen: "chosen", Features: features})
	})
}

// syntheticLong returns tasks of simulated picks in long form.
func syntheticLong(tasks, alternatives, d int) (text []byte, features []string) {
	rng := rand.New(rand.NewPCG(1, 2))
	theta := make([]float64, d)
	for k := range theta {
		features = append(features, fmt.Sprintf("x%d", k))
		theta[k] = rng.NormFloat64() / 2
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "task,chosen,%s\n", strings.Join(features, ","))
	utilities := make([]float64, alternatives)
	lines := make([]string, alternatives)
	for t := range tasks {
		for i := range lines {
			var cells strings.Builder
			utilities[i] = 0
			for k := range theta {
				x := float64(int(1000*rng.NormFloat64())) / 1000
				utilities[i] += x * theta[k]
				fmt.Fprintf(&cells, ",%g", x)
			}
			lines[i] = cells.String()
		}
		pick := choice.SamplePick(rng, utilities)
		for i, cells := range lines {
			chosen := 0
			if i == pick {
				chosen = 1
			}
			fmt.Fprintf(&out, "%d,%d%s\n", t+1, chosen, cells)
		}
	}
	return out.Bytes(), features
}
