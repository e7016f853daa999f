package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

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
func (f databaseFlag) openExisting(ctx context.Context) (store.Store, error) {
	path := cmp.Or(f.Database, defaultDatabase)
	if _, err := os.Stat(path); !store.IsPostgres(path) && errors.Is(err, fs.ErrNotExist) {
		return nil, inputError{fmt.Errorf("%s: no such file; name the database with --database", terminal.Visible(path))}
	}
	return store.Open(ctx, path)
}
