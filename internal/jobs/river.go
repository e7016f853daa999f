package jobs

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// MigrateRiver creates or updates the tables of River in a schema, one process at a time. If the schema exists, the role
// does not need the right to create it.
func MigrateRiver(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	migrator, err := newMigrator(pool, schema)
	if err != nil {
		return err
	}
	if state, err := migrator.Validate(ctx, nil); err != nil || state.OK {
		return err
	}
	config := pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0 // one for the lock
	config.ConnConfig.Tracer = nil                                  // without timeouts
	larger, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer larger.Close()
	return pgx.BeginFunc(ctx, larger, func(lock pgx.Tx) error {
		if _, err := lock.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", schema); err != nil {
			return err
		}
		var exists bool
		if err := larger.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL", schema).Scan(&exists); err != nil {
			return err
		}
		if !exists {
			if _, err := larger.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
				return err
			}
		}
		migrator, err := newMigrator(larger, schema)
		if err != nil {
			return err
		}
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

func newMigrator(pool *pgxpool.Pool, schema string) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
}
