package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

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

func (c *ReproduceCommand) header() reproductionHeader {
	return reproductionHeader{command.Release, c.Seed}
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

// Run reproduces.
func (c *ReproduceCommand) Run(s command.Streams) error {
	if c.Runs > 0 && c.Quick {
		return command.Invalid(errors.New("--runs and --quick exclude each other"))
	}
	folder, err := sweep.Open(c.Out, c.header(), c.Shard, paper.Record.Valid)
	if err != nil {
		return command.Invalid(err)
	}
	defer folder.Close()
	ctx, stop := command.Context()
	defer stop()
	if err := c.execute(ctx, folder, s); err != nil {
		return err
	}
	if !c.Shard.IsWhole() {
		return writeShard(c.JSONFlag, s.Out, len(folder.Runs()), c.Out)
	}
	report, err := c.writeExhibits(folder)
	if err != nil {
		return err
	}
	document := reproduceReport{Out: c.Out}
	for _, e := range report.Exhibits {
		document.Exhibits = append(document.Exhibits, reproducedEntry{e.Name, e.Runs, e.Findings})
	}
	return c.Write(s.Out, document, c.text(report))
}

// missing returns the runs of the shard that exhibits need and the folder lacks. Exhibits share runs.
func (c *ReproduceCommand) missing(folder *sweep.Folder[paper.Record]) []paper.Job {
	type run struct {
		cell   string
		number int
	}
	var jobs []paper.Job
	planned := map[run]bool{}
	for _, e := range paper.Exhibits() {
		if c.Exhibit != "all" && c.Exhibit != e.Name {
			continue
		}
		results := paper.NewResults(folder.Runs(), c.runs(e))
		for _, cell := range e.Cells {
			for number := range c.runs(e) {
				this := run{cell.Key(), number}
				if !planned[this] && c.Shard.Has(len(planned)) && !results.Has(cell, number) {
					jobs = append(jobs, paper.Job{Cell: cell, Run: number})
				}
				planned[this] = true
			}
		}
	}
	return jobs
}

// execute carries out the missing runs, here or in a queue, and saves each when it ends.
func (c *ReproduceCommand) execute(ctx context.Context, folder *sweep.Folder[paper.Record], s command.Streams) error {
	jobs := c.missing(folder)
	cost := 0.0
	for _, job := range jobs {
		cost += job.Cell.Cost()
	}
	bar := command.NewBar(int64(cost), "reproducing", c.Quiet, s)
	_ = bar.RenderBlank()               // progress only
	defer func() { _ = bar.Finish() }() // progress only
	count := 0
	done := func(job paper.Job, record paper.Record) error {
		count++
		bar.Describe(job.Cell.Key())
		_ = bar.Add64(int64(job.Cell.Cost()))
		return folder.Save(record)
	}
	var err error
	if c.Queue == "" {
		err = paper.Do(ctx, jobs, c.Seed, c.Workers, done)
	} else {
		header := c.header()
		err = inQueue(ctx, c.Queue, queuedSweep{Reproduce: &header}, jobs, s.Err, done)
	}
	if err == nil && count < len(jobs) {
		err = command.Interrupted(fmt.Errorf("interrupted after %d of %d runs; they are saved in %s, and the same command continues",
			count, len(jobs), c.Out))
	}
	return err
}

// writeExhibits writes the files of all exhibits that have runs, from all saved runs, including those of earlier calls,
// and a report.
func (c *ReproduceCommand) writeExhibits(folder *sweep.Folder[paper.Record]) (*paper.Report, error) {
	report, err := paper.NewReport(command.Release, c.Seed)
	if err != nil {
		return nil, err
	}
	for _, e := range paper.Exhibits() {
		runs := 0 // that every cell has
		for paper.NewResults(folder.Runs(), runs+1).Complete(e, runs+1) {
			runs++
		}
		if runs == 0 {
			continue
		}
		if err := writeExhibit(folder, report, e, runs); err != nil {
			return nil, err
		}
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page); err != nil {
		return nil, err
	}
	return report, folder.Write("report.html", page.Bytes())
}

// writeExhibit writes the numbers and the picture of an exhibit, and adds it to the report.
func writeExhibit(folder *sweep.Folder[paper.Record], report *paper.Report, e paper.Exhibit, runs int) error {
	results := paper.NewResults(folder.Runs(), runs)
	report.Add(e, results, runs)
	var numbers bytes.Buffer
	if err := e.Table(results).WriteCSV(&numbers); err != nil {
		return err
	}
	if err := folder.Write(e.Name+".csv", numbers.Bytes()); err != nil {
		return err
	}
	return folder.Write(e.Name+".svg", e.Draw(results))
}

// text says which results agree with the paper.
func (c *ReproduceCommand) text(report *paper.Report) string {
	var text strings.Builder
	for _, e := range report.Exhibits {
		fmt.Fprintf(&text, "%s (%s)\n", e.Title, terminal.Count(e.Runs, "run"))
		for _, f := range e.Findings {
			sign := "agrees "
			if !f.Agrees {
				sign = "differs"
			}
			fmt.Fprintf(&text, "  %s  %s\n           %s\n", sign, f.Paper, f.Here)
		}
	}
	fmt.Fprintf(&text, "\nNumbers, pictures and report.html are in %s\n", c.Out)
	return text.String()
}
