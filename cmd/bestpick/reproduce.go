package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"bestpick/internal/paper"
	"bestpick/internal/reproduction"
	"bestpick/internal/sweep"
)

// reproduceCommand reproduces the paper's exhibits.
type reproduceCommand struct {
	jsonFlag `embed:""`

	Exhibit string      `arg:"" enum:"all,figure1a,figure1b,figure2,table1,figure3" help:"all, figure1a, figure1b, figure2, table1 or figure3."`
	Out     string      `required:"" placeholder:"DIR" help:"Directory for numbers, charts and the report; created if needed."`
	Shard   sweep.Shard `help:"Carry out this part of the runs only, such as 3/100: shards from 0 to 99 may run anywhere, and the command without --shard merges them." placeholder:"I/N"`
	Queue   string      `help:"PostgreSQL database in which to queue the runs, for bestpick worker to execute." placeholder:"URL"`
	Runs    int         `default:"0" min:"0" max:"1000000" help:"Runs of every point; 0 for as many as the paper has, 10 and 100 for Figure 3."`
	Quick   bool        ` help:"One run of every point, 10 for Figure 3: under a minute, without error bars."`
	Seed    uint64      `default:"1" help:"Makes everything repeatable."`
	Workers int         `default:"0" min:"0" help:"Runs at a time; 0 for all cores."`
	Quiet   bool        `help:"Show no progress."`
}

// Help is the long help of the command.
func (c *reproduceCommand) Help() string {
	return `Everything, as in the paper, in some minutes:

    bestpick reproduce all --out reproduction

Open reproduction/report.html afterwards. To continue after an interruption, repeat the command. Finished runs are on
disk: they are not repeated, and count for every exhibit that needs them.`
}

// runs returns the number of runs of an exhibit.
func (c *reproduceCommand) runs(e paper.Exhibit) int {
	switch {
	case c.Runs > 0:
		return c.Runs
	case c.Quick:
		return e.Runs / 10
	default:
		return e.Runs
	}
}

// Run reproduces.
func (c *reproduceCommand) Run(s streams) error {
	if c.Runs > 0 && c.Quick {
		return inputError{errors.New("--runs and --quick exclude each other")}
	}
	folder, err := reproduction.Open(c.Out, release, c.Seed, c.Shard)
	if err != nil {
		return inputError{err}
	}
	defer folder.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.do(ctx, folder, s); err != nil {
		return err
	}
	if !c.Shard.IsWhole() {
		return c.writeShard(s.out, len(folder.Runs()), c.Out)
	}
	report, err := folder.WriteExhibits()
	if err != nil {
		return err
	}
	return c.write(s.out, newReproduceReport(c, report), func(w io.Writer) error { return printReproduction(w, c.Out, report) })
}

// do carries out the missing runs.
func (c *reproduceCommand) do(ctx context.Context, folder *reproduction.Folder, s streams) error {
	var exhibits []paper.Exhibit
	for _, e := range paper.Exhibits() {
		if c.Exhibit == all || c.Exhibit == e.Name {
			exhibits = append(exhibits, e)
		}
	}
	jobs := folder.Missing(exhibits, c.runs)
	cost := 0.0
	for _, job := range jobs {
		cost += job.Cell.Cost()
	}
	bar := newBar(int64(cost), "reproducing", c.Quiet, s)
	_ = bar.RenderBlank()               // progress only
	defer func() { _ = bar.Finish() }() // progress only
	done, err := folder.Run(ctx, jobs, c.execute(s.err), func(job paper.Job) {
		bar.Describe(job.Cell.Key())
		_ = bar.Add64(int64(job.Cell.Cost()))
	})
	if err == nil && done < len(jobs) {
		err = interruption{fmt.Errorf("interrupted after %d of %d runs; they are saved in %s, and the same command continues", done, len(jobs), c.Out)}
	}
	return err
}

// reproduceReport is the JSON document of `bestpick reproduce`.
type reproduceReport struct {
	Out      string            `json:"out"`
	Exhibits []reproducedEntry `json:"exhibits"`
}

type reproducedEntry struct {
	Exhibit  string          `json:"exhibit"`
	Runs     int             `json:"runs"`
	Findings []paper.Finding `json:"findings"`
}

func newReproduceReport(c *reproduceCommand, report *paper.Report) reproduceReport {
	r := reproduceReport{Out: c.Out}
	for _, e := range report.Exhibits {
		r.Exhibits = append(r.Exhibits, reproducedEntry{e.Name, e.Runs, e.Findings})
	}
	return r
}

// countRuns writes a number of runs.
func countRuns(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// printReproduction prints which results agree with the paper.
func printReproduction(w io.Writer, out string, report *paper.Report) error {
	for _, e := range report.Exhibits {
		if _, err := fmt.Fprintf(w, "%s (%s)\n", e.Title, countRuns(e.Runs)); err != nil {
			return err
		}
		for _, f := range e.Findings {
			sign := "agrees "
			if !f.Agrees {
				sign = "differs"
			}
			if _, err := fmt.Fprintf(w, "  %s  %s\n           %s\n", sign, f.Paper, f.Here); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "\nNumbers, pictures and report.html are in %s\n", out)
	return err
}
