package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/access"
	"bestpick/internal/doctor"
	"bestpick/internal/store"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
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
	if report.current { // otherwise opening it would upgrade it
		err := databaseFlag{c.Database}.with(func(ctx context.Context, opened store.Store) error {
			return enter(ctx, opened, "back-up", "", "to "+c.Out)
		})
		if err != nil {
			return err
		}
	}
	return c.Write(s.Out, report, report.text("\n"))
}

// backupReport is the JSON document of `bestpick backup` and `bestpick restore`.
type backupReport struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Studies  int64  `json:"studies"`
	Outcomes int64  `json:"outcomes"`
	Bytes    int64  `json:"bytes"`

	contents string
	current  bool // it has the tables of this program
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
	return backupReport{from, to, r.Studies, r.Outcomes, r.Bytes, doctor.Contents(r), r.Version == r.Newest}, err
}

// moveCommand moves a study to another database.
type moveCommand struct {
	command.JSONFlag `embed:""`

	Study  string `arg:"" help:"The id of the study."`
	From   string `required:"" help:"The source database: a file, or postgres://…" placeholder:"DATABASE"`
	To     string `required:"" help:"The target database: a file, which is created if needed, or postgres://…" placeholder:"DATABASE"`
	Delete bool   `help:"Delete the study from the source database afterwards. If the command is interrupted, repeat it."`
}

// Run copies the study, and prints the effect on respondents.
func (c *moveCommand) Run(s command.Streams) (err error) {
	ctx, stop := command.Context()
	defer stop()
	from, err := openExisting(ctx, c.From, "--from")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := mayLeave(ctx, from, c.Study); err != nil {
		return err
	}
	to, err := store.Open(ctx, c.To)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	move := owner.Copy
	if c.Delete {
		move = owner.Transfer
	}
	whole, err := move(ctx, from, to, c.Study)
	if err != nil {
		return notMoved(c.Study, err)
	}
	st := whole.Study
	if err := errors.Join(enter(ctx, from, "move-study", st.ID, "to "+place(c.To)),
		enter(ctx, to, "move-study", st.ID, "from "+place(c.From))); err != nil {
		return err
	}
	report := moveReport{st.ID, st.Name, st.State, len(whole.Outcomes), len(whole.Plans), c.To, c.Delete}
	return c.Write(s.Out, report, c.text(whole))
}

// place returns the address of a database without its password.
func place(database string) string {
	if address, err := url.Parse(database); err == nil && store.IsPostgres(database) {
		return address.Host + address.Path
	}
	return database
}

// moveReport is the JSON document of the command.
type moveReport struct {
	Study    string      `json:"study"`
	Name     string      `json:"name"`
	State    study.State `json:"state"`
	Outcomes int         `json:"outcomes"`
	Plans    int         `json:"plans"`
	To       string      `json:"to"`
	Deleted  bool        `json:"deleted"` // from the source database
}

// mayLeave returns an error unless the study exists and is not open. It runs before the target is created.
func mayLeave(ctx context.Context, from study.Store, id string) error {
	st, err := from.Study(ctx, id)
	if err == nil && st.State == study.Open {
		err = study.ErrOpen
	}
	return notMoved(id, err)
}

// notMoved adds the study to an error.
func notMoved(id string, err error) error {
	why := ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, study.ErrNotFound):
		return command.Invalid(fmt.Errorf("the source database has no study %s", terminal.Quoted(id)))
	case errors.Is(err, study.ErrOpen):
		return command.Invalid(fmt.Errorf("study %s is open: pause it first", terminal.Quoted(id)))
	case errors.Is(err, study.ErrTaken):
		return command.Invalid(fmt.Errorf("the target database already has a study %s", terminal.Quoted(id)))
	case errors.Is(err, study.ErrChanged):
		why = ": it changes all the time; try again when fewer answers come"
	}
	return fmt.Errorf("study %s was not moved%s: %w", terminal.Quoted(id), why, err)
}

func (c *moveCommand) text(whole study.Archive) string {
	left := "It is still where it was, and the two know nothing of each other: --delete would have removed it."
	if c.Delete {
		left = "It is no longer where it was."
	}
	return fmt.Sprintf(`study %s (%s, %s) was moved with %s, %s and all its arms.
%s
Questions that are out cannot be answered there, since their tokens are good for one database; they are asked again. So are owners' tokens: those of the other database count.
`, terminal.Quoted(whole.Study.Name), whole.Study.ID, whole.Study.State,
		terminal.Count(len(whole.Outcomes), "outcome"), terminal.Count(len(whole.Plans), "plan"), left)
}

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
	fmt.Fprintf(&text, "%s has %s, perhaps revoked, that %s does not have:\n",
		c.Backup, terminal.Count(len(revived), "token"), c.Database)
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
