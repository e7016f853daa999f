package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"bestpick/internal/doctor"
	"bestpick/internal/terminal"
)

// doctorCommand checks the configuration, the database and the machine of a server.
type doctorCommand struct {
	jsonFlag `embed:""`

	Listen   string `default:"127.0.0.1:8080" env:"BESTPICK_LISTEN" help:"Address and port that bestpick serve will listen on."`
	Database string `default:"bestpick.db" env:"BESTPICK_DATABASE" help:"The database: a file for SQLite, or postgres://…"`
}

// doctorReport is the JSON document of `bestpick doctor`.
type doctorReport struct {
	Findings []doctor.Finding `json:"findings"`
	Problems int              `json:"problems"`
}

// Run checks everything and changes nothing.
func (c *doctorCommand) Run(s streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // checking a large file takes time
	defer cancel()
	r := doctorReport{Findings: doctor.Check(ctx, c.Database, c.Listen)}
	for _, f := range r.Findings {
		if f.Status == doctor.Problem {
			r.Problems++
		}
	}
	if err := c.write(s.out, r, r.print); err != nil {
		return err
	}
	if r.Problems > 0 {
		return errors.New(terminal.Count(r.Problems, "problem"))
	}
	return nil
}

func (r doctorReport) print(w io.Writer) error {
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(lines, "%s\t%s\t%s\n", f.Status, f.Check, terminal.Visible(f.Message)); err != nil {
			return err
		}
	}
	return lines.Flush()
}
