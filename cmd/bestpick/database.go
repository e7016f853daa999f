package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/doctor"
	"bestpick/internal/store"
	"bestpick/internal/terminal"
)

// defaultDatabase is the database file if --database is not set.
const defaultDatabase = "bestpick.db"

// databaseFlag names the database.
type databaseFlag struct {
	Database string `env:"BESTPICK_DATABASE" help:"The database: a file for SQLite (default bestpick.db), or postgres://…" placeholder:"DATABASE"`
}

// openExisting opens an existing database. It does not create one, so that a mistyped name is an error.
func openExisting(ctx context.Context, path, flag string) (store.Store, error) {
	if _, err := os.Stat(path); !store.IsPostgres(path) && errors.Is(err, fs.ErrNotExist) {
		return nil, command.Invalid(fmt.Errorf("%s: no such file; name the database with %s", terminal.Visible(path), flag))
	}
	return store.Open(ctx, path)
}

// doctorCommand checks the configuration, the database and the machine of a server.
type doctorCommand struct {
	command.JSONFlag `embed:""`

	Listen   string `default:"127.0.0.1:8080" env:"BESTPICK_LISTEN" help:"Address and port that bestpick serve will listen on."`
	Database string `default:"bestpick.db" env:"BESTPICK_DATABASE" help:"The database: a file for SQLite, or postgres://…"`
}

// doctorReport is the JSON document of `bestpick doctor`.
type doctorReport struct {
	Findings []doctor.Finding `json:"findings"`
	Problems int              `json:"problems"`
}

// Run checks everything and changes nothing.
func (c *doctorCommand) Run(s command.Streams) error {
	ctx, stop := command.Context()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // checking a large file takes time
	defer cancel()
	r := doctorReport{Findings: doctor.Check(ctx, c.Database, c.Listen)}
	for _, f := range r.Findings {
		if f.Status == doctor.Problem {
			r.Problems++
		}
	}
	if err := c.Write(s.Out, r, r.text()); err != nil {
		return err
	}
	if r.Problems > 0 {
		return errors.New(terminal.Count(r.Problems, "problem"))
	}
	return nil
}

func (r doctorReport) text() string {
	var text command.Text
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", f.Status, f.Check, terminal.Visible(f.Message)))
	}
	text.Columns(0, lines)
	return text.String()
}
