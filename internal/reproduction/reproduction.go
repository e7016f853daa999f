package reproduction

import (
	"bytes"
	"context"

	"bestpick/internal/paper"
)

// Missing returns the runs of the shard that exhibits need and the folder lacks. Exhibits share runs.
func (f *Folder) Missing(exhibits []paper.Exhibit, runs func(paper.Exhibit) int) []paper.Job {
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

// An Executor carries out jobs, as [paper.Do] does.
type Executor func(ctx context.Context, jobs []paper.Job, done func(paper.Job, paper.Record) error) error

// Run carries out jobs, and saves every run when it ends. It calls done after each, one call at a time. It returns the
// number of runs, fewer than jobs if the context ends.
func (f *Folder) Run(ctx context.Context, jobs []paper.Job, execute Executor, done func(paper.Job)) (count int, err error) {
	err = execute(ctx, jobs, func(job paper.Job, record paper.Record) error {
		count++
		done(job)
		return f.Save(record)
	})
	return count, err
}

// WriteExhibits writes the files of all exhibits that have runs, from all saved runs, including those of earlier calls, and a
// report.
func (f *Folder) WriteExhibits() (*paper.Report, error) {
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
func (f *Folder) complete(e paper.Exhibit) int {
	runs := 0
	for paper.NewResults(f.Runs(), runs+1).Complete(e, runs+1) {
		runs++
	}
	return runs
}

// writeExhibit writes the numbers and the pictures of an exhibit, and adds it to the report.
func (f *Folder) writeExhibit(report *paper.Report, e paper.Exhibit, runs int) error {
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
