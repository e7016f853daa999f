package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bestpick/store/inspection"
	"bestpick/store/sqlite"
)

// backupCommand copies a database while it is in use.
type backupCommand struct {
	Database string `env:"BESTPICK_DATABASE" default:"bestpick.db" help:"The file in which studies are kept."`
	Out      string `required:"" help:"The file to write."`
	Force    bool   `help:"Overwrite it if it is there."`
}

// Run writes the backup.
func (c *backupCommand) Run(s streams) error {
	if isPostgres(c.Database) {
		return inputError{errors.New("PostgreSQL makes its own backups: pg_dump --format=custom --exclude-table-data=secrets --file=FILE ADDRESS (docs/operations.md)")}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := sqlite.Backup(ctx, c.Database, c.Out, c.Force)
	if err != nil {
		return forced(err)
	}
	_, err = fmt.Fprintf(s.out, "%s has %s of %s, which is not damaged\n", c.Out, contents(report), c.Database)
	return err
}

// restoreCommand puts a backup in place.
type restoreCommand struct {
	Backup   string `arg:"" help:"A file that bestpick backup has written."`
	Database string `required:"" help:"The file in which studies are to be kept."`
	Force    bool   `help:"Overwrite a database that is there, and that no process has open."`
}

// Run restores the backup.
func (c *restoreCommand) Run(s streams) error {
	if isPostgres(c.Database) {
		return inputError{errors.New("PostgreSQL restores its own backups: pg_restore --dbname=ADDRESS FILE (docs/operations.md)")}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := sqlite.Restore(ctx, c.Backup, c.Database, c.Force)
	if err != nil {
		return forced(err)
	}
	_, err = fmt.Fprintf(s.out, "%s has %s of %s, which is not damaged; questions that were out will be asked again\n", c.Database, contents(report), c.Backup)
	return err
}

// contents says what is in a database.
func contents(r inspection.Report) string {
	studies := "1 study"
	if r.Studies != 1 {
		studies = fmt.Sprintf("%d studies", r.Studies)
	}
	return studies + " with " + counted(int(r.Outcomes), "outcome")
}

// forced says how a file can be overwritten, where one is in the way.
func forced(err error) error {
	if errors.Is(err, sqlite.ErrThere) {
		return inputError{fmt.Errorf("%w; --force overwrites it", err)}
	}
	return err
}
