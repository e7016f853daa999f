package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/studyfolder"
	"bestpick/internal/terminal"
)

// archiveCommand moves a study to a folder.
type archiveCommand struct {
	databaseFlag
	command.JSONFlag `embed:""`

	Study string `arg:"" help:"The id of the study, which must not be open."`
	Out   string `required:"" help:"The folder to write." placeholder:"DIR"`
}

// Help is the long help of the command.
func (c *archiveCommand) Help() string {
	return `The folder has the study (study.db), its log (log.jsonl) and its answers (answers.parquet). The study is deleted from
the database when the folder is complete and its log has been verified. If the command is interrupted, repeat it.

    bestpick archive p7x2 --out archive/p7x2
    bestpick verify archive/p7x2
    bestpick restore archive/p7x2 --database bestpick.db`
}

// Run archives the study.
func (c *archiveCommand) Run(s command.Streams) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	from, err := c.openExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := mayLeave(ctx, from, c.Study); err != nil {
		return err
	}
	whole, err := studyfolder.Archive(ctx, from, c.Study, c.Out)
	if err != nil {
		return notMoved(c.Study, err)
	}
	text := fmt.Sprintf("study %s (%s) is in %s, with %s\n", terminal.Quoted(whole.Study.Name), whole.Study.ID, c.Out, terminal.Count(len(whole.Outcomes), "outcome"))
	return c.Write(s.Out, newMoveReport(whole, c.Out, true), command.Line(text))
}

// restoreStudy adds an archived study to a database.
func (c *restoreCommand) restoreStudy(s command.Streams) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	to, err := store.Open(ctx, c.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	whole, err := studyfolder.Restore(ctx, c.Backup, to)
	if errors.Is(err, study.ErrTaken) {
		err = command.Invalid(errors.New("the database already has the study; an archived study is never overwritten nor merged"))
	}
	if err != nil {
		return fmt.Errorf("%s was not restored: %w", c.Backup, err)
	}
	text := fmt.Sprintf("study %s (%s) of %s is in the database, with %s\n", terminal.Quoted(whole.Study.Name), whole.Study.ID, c.Backup, terminal.Count(len(whole.Outcomes), "outcome"))
	return c.Write(s.Out, newMoveReport(whole, c.Database, false), command.Line(text))
}
