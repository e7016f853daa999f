// Command peers fits a conditional logit to recorded choices with bestpick and with other packages, in turn on this
// machine, and compares their times and log-likelihoods. Reading the file is not part of the times.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// command is the command line.
type command struct {
	Data    string `arg:"" help:"Folder of the data files of docs/data.md."`
	Scripts string `default:"tools/peers" help:"Folder of the scripts that run other packages."`
	R       string `name:"r" default:"Rscript" help:"Rscript with the package survival; empty for none."`
	Python  string `default:"python3" help:"Python with statsmodels; empty for none."`
}

func main() {
	log.SetFlags(0)
	var c command
	kong.Parse(&c, kong.Name("peers"), kong.Description("Compares estimates and their times with those of other packages."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, os.Stdout); err != nil {
		log.Fatal(err) //nolint:gocritic // the signal handler ends with the process
	}
}

// A fit is the result of one package.
type fit struct {
	by            string
	milliseconds  float64 // of the estimate with standard errors, median
	logLikelihood float64
}

// run compares the packages on each file.
func (c *command) run(ctx context.Context, out io.Writer) error {
	files := []struct {
		name     string
		features []string
	}{
		{"swissmetro", []string{"asc_train", "asc_car", "time", "cost"}},
		{"electricity", []string{"pf", "cl", "loc", "wk", "tod", "seas"}},
	}
	var text strings.Builder
	for _, file := range files {
		fits, err := c.fits(ctx, filepath.Join(c.Data, file.name+".csv"), file.features)
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		fmt.Fprintln(&text, file.name)
		for _, f := range fits {
			fmt.Fprintf(&text, "  %-44s %9.1f ms %6.0f times  log-likelihood %.4f\n", f.by, f.milliseconds,
				f.milliseconds/fits[0].milliseconds, f.logLikelihood)
			if !(math.Abs(f.logLikelihood-fits[0].logLikelihood) < 1e-3) {
				err = errors.Join(err, fmt.Errorf("%s: the log-likelihood of %s is %v, ours is %v", file.name, f.by, f.logLikelihood,
					fits[0].logLikelihood))
			}
		}
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// fits returns the results of all packages, ours first.
func (c *command) fits(ctx context.Context, file string, features []string) ([]fit, error) {
	ours, err := fitted(file, features)
	if err != nil {
		return nil, err
	}
	fits := []fit{ours}
	for _, peer := range []struct{ by, program, script, repetitions string }{
		{"survival::clogit of R", c.R, "fit.R", "5"},
		{"ConditionalLogit of statsmodels", c.Python, "fit.py", "1"}, // takes seconds
	} {
		if peer.program == "" {
			continue
		}
		arguments := append([]string{filepath.Join(c.Scripts, peer.script), file, peer.repetitions}, features...)
		printed, err := exec.CommandContext(ctx, peer.program, arguments...).Output() //nolint:gosec // the caller names the program
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.by, err)
		}
		f, err := parsed(peer.by, string(printed))
		if err != nil {
			return nil, err
		}
		fits = append(fits, f)
	}
	return fits, nil
}

// parsed reads the line that a script prints: milliseconds, log-likelihood, version.
func parsed(by, printed string) (f fit, err error) {
	fields := strings.Fields(printed)
	if len(fields) != 3 {
		return f, fmt.Errorf("%s: expected three fields, found %q", by, printed)
	}
	f.by = by + " " + fields[2]
	if f.milliseconds, err = strconv.ParseFloat(fields[0], 64); err != nil {
		return f, err
	}
	f.logLikelihood, err = strconv.ParseFloat(fields[1], 64)
	return f, err
}

// fitted is the result of bestpick.
func fitted(path string, features []string) (f fit, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = file.Close() }() // only read
	choices, err := recorded.ReadLong(file, path, recorded.LongForm{Task: "task", Chosen: "chosen", Features: features})
	if err != nil {
		return f, err
	}
	times := make([]float64, 21)
	for i := range times {
		began := time.Now()
		estimate, err := new(choice.Estimator).Estimate(choices.Records)
		if err != nil {
			return f, err
		}
		choice.StandardErrors(estimate.Covariance)
		times[i] = float64(time.Since(began).Microseconds()) / 1000
		f.logLikelihood = estimate.LogLikelihood
	}
	slices.Sort(times)
	f.by, f.milliseconds = "bestpick", times[len(times)/2]
	return f, nil
}
