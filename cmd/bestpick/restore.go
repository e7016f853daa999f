package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/access"
	"bestpick/internal/store"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/terminal"
	"bestpick/serve"
)

// restoreCommand restores a backup.
type restoreCommand struct {
	command.JSONFlag `embed:""`

	Backup   string `arg:"" help:"A file written by bestpick backup."`
	Database string `required:"" help:"The database file to write." placeholder:"FILE"`
	Force    bool   `help:"Overwrite an existing database that no process has open."`
	Tokens   string `enum:"ask,keep,drop" default:"ask" help:"Tokens of the backup that the overwritten database does not have: ask, keep or drop."`
}

// Run restores the backup.
func (c *restoreCommand) Run(s command.Streams) error {
	if store.IsPostgres(c.Database) {
		return command.Invalid(errors.New("PostgreSQL restores its own backups: pg_restore --dbname=ADDRESS FILE (docs/operations.md)"))
	}
	if _, err := os.Stat(c.Backup); err != nil {
		return command.Invalid(fmt.Errorf("%s: no such file or directory", c.Backup))
	}
	revived, unread := c.revived(context.Background())
	if len(revived) > 0 {
		if err := c.ask(s, revived); err != nil {
			return err
		}
	}
	report, err := copyDatabase(sqlite.Restore, c.Backup, c.Database, c.Force)
	if err = errors.Join(err, unread); err != nil { // a backup whose tokens cannot be read is not restored either
		return err
	}
	err = databaseFlag{c.Database}.with(func(ctx context.Context, opened store.Store) error {
		detail := fmt.Sprintf("of %s, %s of %s", c.Backup, c.Tokens, terminal.Count(len(revived), "revived token"))
		return errors.Join(c.drop(ctx, s, opened, revived), enter(ctx, opened, "restore", "", detail))
	})
	if err != nil {
		return err
	}
	return c.Write(s.Out, report, report.text("; questions that were out will be asked again\n"))
}

// revived returns the tokens of the backup that the database to overwrite does not have. There are none if it must not be
// overwritten.
func (c *restoreCommand) revived(ctx context.Context) ([]access.Token, error) {
	_, err := os.Stat(c.Database)
	exists := err == nil
	if exists && !c.Force {
		return nil, nil
	}
	tokens, err := sqlite.Tokens(ctx, c.Backup)
	if !exists || err != nil {
		return tokens, err
	}
	current, _ := sqlite.Tokens(ctx, c.Database) // a damaged database has none
	return slices.DeleteFunc(tokens, func(t access.Token) bool {
		return slices.ContainsFunc(current, func(other access.Token) bool { return other.Hash == t.Hash })
	}), nil
}

// ask lists tokens, and asks what to do with them unless a flag says it.
func (c *restoreCommand) ask(s command.Streams, revived []access.Token) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s has %s, perhaps revoked, that %s does not have:\n", c.Backup, terminal.Count(len(revived), "token"), c.Database)
	for _, t := range revived {
		text.WriteString("  " + tokenLine(t))
	}
	if c.Tokens == "ask" {
		text.WriteString("Make them valid again? [y/N] ")
	}
	if _, err := fmt.Fprint(s.Err, text.String()); err != nil || c.Tokens != "ask" {
		return err
	}
	line, err := bufio.NewReader(s.In).ReadString('\n')
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case err != nil && answer == "":
		return command.Invalid(errors.New("there is no answer: --tokens keep or --tokens drop says what to do with them"))
	case answer == "y" || answer == "yes":
		c.Tokens = "keep"
	default:
		c.Tokens = "drop"
	}
	return nil
}

// drop revokes tokens unless they are kept. The last token of an owner stays.
func (c *restoreCommand) drop(ctx context.Context, s command.Streams, opened store.Store, revived []access.Token) error {
	for _, t := range revived {
		if c.Tokens == "keep" {
			break
		}
		err := opened.RemoveToken(ctx, t.Name)
		if errors.Is(err, access.ErrLast) {
			_, err = fmt.Fprintf(s.Err, "the last token of an owner stays: %s; revoke it when there is another\n", terminal.Quoted(t.Name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rotateCommand replaces the secret of an SQLite database.
type rotateCommand struct {
	databaseFlag
}

// Run replaces the secret.
func (c *rotateCommand) Run(s command.Streams) error {
	if store.IsPostgres(c.Database) {
		return command.Invalid(errors.New("the secret of PostgreSQL is where you keep it: replace it, and restart all replicas (docs/operations.md)"))
	}
	err := c.with(func(ctx context.Context, opened store.Store) error {
		return enter(ctx, opened, "rotate-secret", "", "")
	})
	if err != nil {
		return err
	}
	file, err := serve.RotateSecret(c.path())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s has a new secret. Restart the server: all sessions end, open questions are asked again, "+
		"and logs are signed with another key.\n", file)
	return err
}
