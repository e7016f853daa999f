package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := sqlite.Backup(ctx, c.Database, c.Out, c.Force)
	if err != nil {
		return forced(err)
	}
	return c.Write(s.Out, newBackupReport(c.Database, c.Out, report),
		command.Line(fmt.Sprintf("%s has %s of %s, which is not damaged\n", c.Out, doctor.Contents(report), c.Database)))
}

// backupReport is the JSON document of `bestpick backup` and `bestpick restore`.
type backupReport struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Studies  int64  `json:"studies"`
	Outcomes int64  `json:"outcomes"`
	Bytes    int64  `json:"bytes"`
}

func newBackupReport(from, to string, r store.Report) backupReport {
	return backupReport{From: from, To: to, Studies: r.Studies, Outcomes: r.Outcomes, Bytes: r.Bytes}
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := sqlite.Restore(ctx, c.Backup, c.Database, c.Force)
	if err != nil {
		return forced(err)
	}
	return c.Write(s.Out, newBackupReport(c.Backup, c.Database, report),
		command.Line(fmt.Sprintf("%s has %s of %s, which is not damaged; questions that were out will be asked again\n",
			c.Database, doctor.Contents(report), c.Backup)))
}

// forced adds a hint to --force if the error is an existing file.
func forced(err error) error {
	if errors.Is(err, sqlite.ErrThere) {
		return command.Invalid(fmt.Errorf("%w; --force overwrites it", err))
	}
	return err
}
