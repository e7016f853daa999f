package main

import (
	"context"
	"errors"
	"fmt"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/doctor"
	"bestpick/internal/store"
	"bestpick/internal/store/sqlite"
)

// backupCommand backs up a database while it is in use.
type backupCommand struct {
	command.JSONFlag `embed:""`

	Database string `env:"BESTPICK_DATABASE" default:"bestpick.db" help:"The database file."`
	Out      string `required:"" help:"The file to write." placeholder:"FILE"`
	Force    bool   `help:"Overwrite an existing file."`
}

// Run writes the backup.
func (c *backupCommand) Run(s command.Streams) error {
	if store.IsPostgres(c.Database) {
		return command.Invalid(errors.New("PostgreSQL makes its own backups: pg_dump --format=custom " +
			"--exclude-table-data=secrets --file=FILE ADDRESS (docs/operations.md)"))
	}
	report, err := copyDatabase(sqlite.Backup, c.Database, c.Out, c.Force)
	if err != nil {
		return err
	}
	return c.Write(s.Out, report, report.text("\n"))
}

// restoreCommand restores a backup.
type restoreCommand struct {
	command.JSONFlag `embed:""`

	Backup   string `arg:"" help:"A file written by bestpick backup."`
	Database string `required:"" help:"The database file to write." placeholder:"FILE"`
	Force    bool   `help:"Overwrite an existing database that no process has open."`
}

// Run restores the backup.
func (c *restoreCommand) Run(s command.Streams) error {
	if store.IsPostgres(c.Database) {
		return command.Invalid(errors.New("PostgreSQL restores its own backups: pg_restore --dbname=ADDRESS FILE (docs/operations.md)"))
	}
	report, err := copyDatabase(sqlite.Restore, c.Backup, c.Database, c.Force)
	if err != nil {
		return err
	}
	return c.Write(s.Out, report, report.text("; questions that were out will be asked again\n"))
}

// backupReport is the JSON document of `bestpick backup` and `bestpick restore`.
type backupReport struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Studies  int64  `json:"studies"`
	Outcomes int64  `json:"outcomes"`
	Bytes    int64  `json:"bytes"`

	contents string
}

func (r backupReport) text(end string) string {
	return fmt.Sprintf("%s has %s of %s, which is not damaged%s", r.To, r.contents, r.From, end)
}

// copyDatabase backs up or restores a database, until a signal. The error of an existing file mentions --force.
func copyDatabase(transfer func(ctx context.Context, from, to string, force bool) (store.Report, error), from, to string,
	force bool,
) (backupReport, error) {
	ctx, stop := command.Context()
	defer stop()
	r, err := transfer(ctx, from, to, force)
	if errors.Is(err, sqlite.ErrThere) {
		err = command.Invalid(fmt.Errorf("%w; --force overwrites it", err))
	}
	return backupReport{from, to, r.Studies, r.Outcomes, r.Bytes, doctor.Contents(r)}, err
}
