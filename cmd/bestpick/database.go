package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// defaultDatabase is the database file if --database is not set.
const defaultDatabase = "bestpick.db"

// databaseFlag names the database.
type databaseFlag struct {
	Database string `env:"BESTPICK_DATABASE" help:"The database: a file for SQLite (default bestpick.db), or postgres://…"`
}

// A keeper stores studies, tokens, the audit log and webhooks.
type keeper interface {
	study.Store
	access.Tokens
	access.Audit
	webhook.Store
}

// openStore opens a database: the address of a PostgreSQL database, or a file.
func openStore(ctx context.Context, database string) (keeper, error) {
	if isPostgres(database) {
		return postgres.Open(ctx, database)
	}
	return sqlite.Open(database) //nolint:contextcheck // opening a file does not block
}

// openThere opens an existing database. It does not create one, so that a mistyped name is an error.
func (f databaseFlag) openThere(ctx context.Context) (keeper, error) {
	database := f.Database
	if database == "" {
		database = defaultDatabase
	}
	if _, err := os.Stat(database); !isPostgres(database) && errors.Is(err, fs.ErrNotExist) {
		return nil, inputError{fmt.Errorf("%s: no such file; name the database with --database", visible(database))}
	}
	return openStore(ctx, database)
}

func isPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}
