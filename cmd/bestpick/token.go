package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/access"
	"bestpick/internal/store"
	"bestpick/internal/terminal"
)

// tokenCommand manages tokens directly in the database. It needs no token, and so can create one after all are
// lost.
type tokenCommand struct {
	Add    tokenAddCommand    `cmd:"" help:"Create a token, and show it once."`
	List   tokenListCommand   `cmd:"" help:"List all tokens."`
	Revoke tokenRevokeCommand `cmd:"" help:"Revoke a token."`
}

// tokenAddCommand creates a token.
type tokenAddCommand struct {
	databaseFlag
	command.JSONFlag `embed:""`

	Name string      `arg:"" help:"Name of the holder."`
	Role access.Role `required:"" enum:"owner,viewer" help:"owner, who may do everything, or viewer, who may read results."`
}

// Run creates a token. It prints only the token to standard output, for scripts.
func (c *tokenAddCommand) Run(s command.Streams) error {
	name := strings.TrimSpace(c.Name)
	if err := access.CheckName(name); err != nil {
		return command.Invalid(err)
	}
	secret, token := access.New(name, c.Role, time.Now())
	err := c.with(func(ctx context.Context, store store.Store) error {
		err := store.AddToken(ctx, token)
		if errors.Is(err, access.ErrTaken) {
			return command.Invalid(fmt.Errorf("%s already has a token", name))
		}
		if err != nil {
			return err
		}
		return enter(ctx, store, "create-token", "", fmt.Sprintf("%q, %s", name, c.Role))
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.Err, "the token of %s (%s), shown this once:\n", name, c.Role); err != nil {
		return err
	}
	return c.Write(s.Out, addedToken{name, c.Role, secret}, secret+"\n")
}

// addedToken is the JSON document of `bestpick token add`.
type addedToken struct {
	Name   string      `json:"name"`
	Role   access.Role `json:"role"`
	Secret string      `json:"secret"`
}

// tokenListCommand lists tokens.
type tokenListCommand struct {
	databaseFlag
	command.JSONFlag `embed:""`
}

// Run lists tokens.
func (c *tokenListCommand) Run(s command.Streams) error {
	tokens := []access.Token{}
	err := c.with(func(ctx context.Context, store store.Store) error {
		found, err := store.Tokens(ctx)
		tokens = append(tokens, found...)
		return err
	})
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, t := range tokens {
		list.WriteString(tokenLine(t))
	}
	return c.Write(s.Out, tokens, list.String())
}

// tokenLine describes a token.
func tokenLine(t access.Token) string {
	return fmt.Sprintf("%-6s  %s  %s\n", t.Role, t.Created.Format(time.DateTime), terminal.Quoted(t.Name))
}

// tokenRevokeCommand revokes a token.
type tokenRevokeCommand struct {
	databaseFlag

	Name string `arg:"" help:"Name of the holder, as in token list."`
}

// Run revokes a token. Errors do not contain the name, which may be a token by mistake.
func (c *tokenRevokeCommand) Run(command.Streams) error {
	return c.with(func(ctx context.Context, store store.Store) error {
		err := store.RemoveToken(ctx, c.Name)
		switch {
		case errors.Is(err, access.ErrUnknown):
			return command.Invalid(errors.New("no token has this name; bestpick token list lists them"))
		case errors.Is(err, access.ErrLast):
			return command.Invalid(errors.New("this is the last token of an owner: create another one first"))
		case err != nil:
			return err
		}
		return enter(ctx, store, "revoke-token", "", strconv.Quote(c.Name))
	})
}

// enter adds an operation of the command line to the audit log, with the name of the API operation and that of the
// system's user.
func enter(ctx context.Context, store store.Store, operation, study, detail string) error {
	by := "command line"
	if who, err := user.Current(); err == nil && utf8.ValidString(who.Username) {
		by += " (" + who.Username + ")"
	}
	return store.AddEntry(ctx, access.Entry{At: time.Now(), By: by, Operation: operation, Study: study, Detail: detail})
}

// with opens the database, calls a function, and closes the database.
func (f databaseFlag) with(do func(ctx context.Context, store store.Store) error) error {
	ctx := context.Background()
	store, err := openExisting(ctx, cmp.Or(f.Database, defaultDatabase), "--database")
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
}
