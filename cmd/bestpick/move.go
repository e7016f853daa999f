package main

import (
	"context"
	"errors"
	"fmt"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/terminal"
)

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
	return c.Write(s.Out, newMoveReport(whole, c.To, c.Delete), c.text(whole))
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

func newMoveReport(whole study.Archive, to string, deleted bool) moveReport {
	return moveReport{whole.Study.ID, whole.Study.Name, whole.Study.State, len(whole.Outcomes), len(whole.Plans), to, deleted}
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
`, terminal.Quoted(whole.Study.Name), whole.Study.ID, whole.Study.State, terminal.Count(len(whole.Outcomes), "outcome"), terminal.Count(len(whole.Plans), "plan"), left)
}
