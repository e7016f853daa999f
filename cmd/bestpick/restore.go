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
)

// restoreCommand restores a backup.
type restoreCommand struct {
	command.JSONFlag `embed:""`

	Backup   string `arg:"" help:"A file written by bestpick backup."`
	Database string `required:"" help:"The database file to write." placeholder:"FILE"`
	Force    bool   `help:"Overwrite an existing database that no process has open."`

	KeepTokens bool `help:"Do not ask about tokens of the backup that the overwritten database does not have."`
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
		return enter(ctx, opened, "restore", "", fmt.Sprintf("of %s, revives %s", c.Backup, terminal.Count(len(revived), "token")))
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

// ask lists tokens, and asks whether they may be valid again unless a flag says it.
func (c *restoreCommand) ask(s command.Streams, revived []access.Token) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s has %s, perhaps revoked, that %s does not have:\n", c.Backup, terminal.Count(len(revived), "token"), c.Database)
	for _, t := range revived {
		text.WriteString("  " + tokenLine(t))
	}
	if !c.KeepTokens {
		text.WriteString("Make them valid again? [y/N] ")
	}
	if _, err := fmt.Fprint(s.Err, text.String()); err != nil || c.KeepTokens {
		return err
	}
	line, _ := bufio.NewReader(s.In).ReadString('\n') // without an answer it is no
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return command.Invalid(errors.New("nothing was restored: --keep-tokens restores these tokens; " +
			"revoke them with bestpick token revoke before a server starts"))
	}
	return nil
}
