package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"bestpick/access"
	"bestpick/store/postgres"
	"bestpick/store/sqlite"
	"bestpick/study"
	"bestpick/webhook"
)

// defaultDatabase is the file in which studies are kept unless somebody says otherwise.
const defaultDatabase = "bestpick.db"

// databaseFlag says where studies are kept.
type databaseFlag struct {
	Database string `env:"BESTPICK_DATABASE" help:"Where studies are kept: a file for SQLite (default bestpick.db), or postgres://…"`
}

// A keeper is where studies and tokens are kept, what was done, and whom to tell.
type keeper interface {
	study.Store
	access.Tokens
	access.Audit
	webhook.Store
}

// openStore opens the database with a name: an address of PostgreSQL, or else a file.
func openStore(ctx context.Context, database string) (keeper, error) {
	if isPostgres(database) {
		return postgres.Open(ctx, database)
	}
	return sqlite.Open(database) //nolint:contextcheck // a file is opened at once or not at all
}

// openThere opens the database if it is there: whoever mistypes its name makes no new one.
func (f databaseFlag) openThere(ctx context.Context) (keeper, error) {
	database := f.Database
	if database == "" {
		database = defaultDatabase
	}
	if _, err := os.Stat(database); !isPostgres(database) && errors.Is(err, fs.ErrNotExist) {
		return nil, inputError{fmt.Errorf("%s: there is no such file; --database says where studies are kept", visible(database))}
	}
	return openStore(ctx, database)
}

func isPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}
