package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/paper"
	"bestpick/internal/sweep"
	"bestpick/internal/terminal"
)

// ReproduceCommand reproduces the paper's exhibits.
type ReproduceCommand struct {
	command.JSONFlag `embed:""`

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
func (c *ReproduceCommand) Help() string {
	return `Everything, as in the paper, in some minutes:

    bestpick reproduce all --out reproduction

Open reproduction/report.html afterwards. To continue after an interruption, repeat the command. Finished runs are on
disk: they are not repeated, and count for every exhibit that needs them.`
}

// runs returns the number of runs of an exhibit.
func (c *ReproduceCommand) runs(e paper.Exhibit) int {
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
func (c *ReproduceCommand) Run(s command.Streams) error {
	if c.Runs > 0 && c.Quick {
		return command.Invalid(errors.New("--runs and --quick exclude each other"))
	}
	folder, err := openReproduction(c.Out, command.Release, c.Seed, c.Shard)
	if err != nil {
		return command.Invalid(err)
	}
	defer folder.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.do(ctx, folder, s); err != nil {
		return err
	}
	if !c.Shard.IsWhole() {
		return writeShard(c.JSONFlag, s.Out, len(folder.Runs()), c.Out)
	}
	report, err := folder.writeExhibits()
	if err != nil {
		return err
	}
	return c.Write(s.Out, newReproduceReport(c, report), func(w io.Writer) error { return printReproduction(w, c.Out, report) })
}

// do carries out the missing runs.
func (c *ReproduceCommand) do(ctx context.Context, folder *reproduction, s command.Streams) error {
	var exhibits []paper.Exhibit
	for _, e := range paper.Exhibits() {
		if c.Exhibit == "all" || c.Exhibit == e.Name {
			exhibits = append(exhibits, e)
		}
	}
	jobs := folder.missing(exhibits, c.runs)
	cost := 0.0
	for _, job := range jobs {
		cost += job.Cell.Cost()
	}
	bar := command.NewBar(int64(cost), "reproducing", c.Quiet, s)
	_ = bar.RenderBlank()               // progress only
	defer func() { _ = bar.Finish() }() // progress only
	done, err := folder.run(ctx, jobs, c.execute(s.Err), func(job paper.Job) {
		bar.Describe(job.Cell.Key())
		_ = bar.Add64(int64(job.Cell.Cost()))
	})
	if err == nil && done < len(jobs) {
		err = command.Interrupted(fmt.Errorf("interrupted after %d of %d runs; they are saved in %s, and the same command continues", done, len(jobs), c.Out))
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

func newReproduceReport(c *ReproduceCommand, report *paper.Report) reproduceReport {
	r := reproduceReport{Out: c.Out}
	for _, e := range report.Exhibits {
		r.Exhibits = append(r.Exhibits, reproducedEntry{e.Name, e.Runs, e.Findings})
	}
	return r
}

// printReproduction prints which results agree with the paper.
func printReproduction(w io.Writer, out string, report *paper.Report) error {
	for _, e := range report.Exhibits {
		if _, err := fmt.Fprintf(w, "%s (%s)\n", e.Title, terminal.Count(e.Runs, "run")); err != nil {
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

// execute carries out jobs, here or in a queue, see [paper.Do].
func (c *ReproduceCommand) execute(errOut io.Writer) jobExecutor {
	return func(ctx context.Context, jobs []paper.Job, done func(paper.Job, paper.Record) error) error {
		if c.Queue == "" {
			return paper.Do(ctx, jobs, c.Seed, c.Workers, done)
		}
		return inQueue(ctx, c.Queue, queuedSweep{Reproduce: &reproductionHeader{Version: command.Release, Seed: c.Seed}}, jobs, errOut, done)
	}
}

// A reproduction is a directory with the paper's exhibits and the runs behind them. Not safe for concurrent use.
type reproduction struct {
	*sweep.Folder[paper.Record]

	header reproductionHeader
	shard  sweep.Shard
}

// A reproductionHeader identifies a reproduction.
type reproductionHeader struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// openReproduction opens a directory that was created by this version of the program with this seed, or creates it, see [sweep.Open].
func openReproduction(path, version string, seed uint64, shard sweep.Shard) (*reproduction, error) {
	h := reproductionHeader{version, seed}
	runs, err := sweep.Open(path, h, shard, paper.Record.Valid)
	if err != nil {
		return nil, err
	}
	return &reproduction{runs, h, shard}, nil
}

// missing returns the runs of the shard that exhibits need and the folder lacks. Exhibits share runs.
func (f *reproduction) missing(exhibits []paper.Exhibit, runs func(paper.Exhibit) int) []paper.Job {
	type run struct {
		cell   string
		number int
	}
	var jobs []paper.Job
	planned := map[run]bool{}
	for _, e := range exhibits {
		results := paper.NewResults(f.Runs(), runs(e))
		for _, cell := range e.Cells {
			for number := range runs(e) {
				this := run{cell.Key(), number}
				if planned[this] {
					continue
				}
				if f.shard.Has(len(planned)) && !results.Has(cell, number) {
					jobs = append(jobs, paper.Job{Cell: cell, Run: number})
				}
				planned[this] = true
			}
		}
	}
	return jobs
}

// A jobExecutor carries out jobs, as [paper.Do] does.
type jobExecutor func(ctx context.Context, jobs []paper.Job, done func(paper.Job, paper.Record) error) error

// run carries out jobs, and saves every run when it ends. It calls done after each, one call at a time. It returns the
// number of runs, fewer than jobs if the context ends.
func (f *reproduction) run(ctx context.Context, jobs []paper.Job, execute jobExecutor, done func(paper.Job)) (count int, err error) {
	err = execute(ctx, jobs, func(job paper.Job, record paper.Record) error {
		count++
		done(job)
		return f.Save(record)
	})
	return count, err
}

// writeExhibits writes the files of all exhibits that have runs, from all saved runs, including those of earlier calls, and a
// report.
func (f *reproduction) writeExhibits() (*paper.Report, error) {
	report, err := paper.NewReport(f.header.Version, f.header.Seed)
	if err != nil {
		return nil, err
	}
	for _, e := range paper.Exhibits() {
		if runs := f.complete(e); runs > 0 {
			if err := f.writeExhibit(report, e, runs); err != nil {
				return nil, err
			}
		}
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page); err != nil {
		return nil, err
	}
	return report, f.Write("report.html", page.Bytes())
}

// complete returns the number of runs that every cell of an exhibit has.
func (f *reproduction) complete(e paper.Exhibit) int {
	runs := 0
	for paper.NewResults(f.Runs(), runs+1).Complete(e, runs+1) {
		runs++
	}
	return runs
}

// writeExhibit writes the numbers and the pictures of an exhibit, and adds it to the report.
func (f *reproduction) writeExhibit(report *paper.Report, e paper.Exhibit, runs int) error {
	results := paper.NewResults(f.Runs(), runs)
	if err := report.Add(e, results, runs); err != nil {
		return err
	}
	var numbers bytes.Buffer
	if err := e.Table(results).WriteCSV(&numbers); err != nil {
		return err
	}
	if err := f.Write(e.Name+".csv", numbers.Bytes()); err != nil {
		return err
	}
	for _, format := range []string{"svg", "png"} {
		picture, err := e.Draw(results, format)
		if err != nil {
			return err
		}
		if err := f.Write(e.Name+"."+format, picture); err != nil {
			return err
		}
	}
	return nil
}
