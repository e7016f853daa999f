package recorded_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// benchmarkReadAndFit times reading and fitting, plain and robust standard errors
// included, in one run and reports their ratio: below 1, the estimate takes less
// time than reading the file.
func benchmarkReadAndFit(b *testing.B, text []byte, columns recorded.LongForm) {
	b.Helper()
	var reading, fitting, robust time.Duration
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		start := time.Now()
		choices, err := recorded.ReadLong(bytes.NewReader(text), "bench.csv", columns)
		testsupport.NoError(b, err)
		read := time.Now()
		var estimator choice.Estimator
		estimate, err := estimator.Estimate(choices.Records)
		testsupport.NoError(b, err)
		choice.StandardErrors(estimate.Covariance)
		fitting += time.Since(read)
		choice.StandardErrors(estimate.RobustCovariance(choices.Records.Scores(estimate.Theta, nil)))
		robust += time.Since(read)
		reading += read.Sub(start)
	}
	b.ReportMetric(float64(reading.Microseconds())/float64(b.N)/1000, "read-ms/op")
	b.ReportMetric(float64(fitting.Microseconds())/float64(b.N)/1000, "fit-ms/op")
	b.ReportMetric(float64(robust.Microseconds())/float64(b.N)/1000, "fit+robust-ms/op")
	b.ReportMetric(robust.Seconds()/reading.Seconds(), "fit+robust/read")
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
			text, err := os.ReadFile(testsupport.DataPath(b, data.name+".csv"))
			testsupport.NoError(b, err)
			data.columns.Task, data.columns.Chosen = "task", "chosen"
			benchmarkReadAndFit(b, text, data.columns)
		})
	}
	b.Run("synthetic-100000x5x20", func(b *testing.B) {
		text, features := syntheticLong(100_000, 5, 20)
		benchmarkReadAndFit(b, text, recorded.LongForm{Task: "task", Chosen: "chosen", Features: features})
	})
}

// BenchmarkFitVotes times Bradley–Terry with its errors on votes between 59 items.
func BenchmarkFitVotes(b *testing.B) {
	file, err := os.Open(testsupport.DataPath(b, "llm-votes.csv"))
	testsupport.NoError(b, err)
	defer file.Close()
	votes, err := recorded.ReadItems(file, "llm-votes.csv", recorded.ItemForm{Left: "left", Right: "right", Winner: "winner"})
	testsupport.NoError(b, err)
	tally := votes.Tally(votes.Plain())
	for b.Loop() {
		var estimator choice.Estimator
		estimate, err := estimator.Estimate(choice.NewFree(votes.Items, tally))
		testsupport.NoError(b, err)
		choice.StandardErrors(estimate.Covariance)
	}
}

// BenchmarkReadMillionRows reads a million rows of four features that are made
// while they are read, and reports the memory that stays, in bytes a row: eight
// for each feature, and what it takes to keep tasks apart.
func BenchmarkReadMillionRows(b *testing.B) {
	const rows = 1_000_000
	columns := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"a", "b", "c", "d"}}
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		source, sink := io.Pipe()
		go func() {
			out := bufio.NewWriter(sink)
			fmt.Fprintln(out, "task,chosen,a,b,c,d")
			for i := range rows {
				fmt.Fprintf(out, "%d,%d,%d.5,%d.25,%d,%d\n", i/4, (4-i%4)/4, i%17, i%13, i%11, i%7)
			}
			_ = sink.CloseWithError(out.Flush())
		}()
		choices, err := recorded.ReadLong(source, "bench.csv", columns)
		testsupport.NoError(b, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(choices)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/rows, "kept-B/row")
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
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
