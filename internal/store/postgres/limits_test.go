package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TestLimits: a statement that takes too long is cancelled, in every way of sending it, unless its
// context has a deadline. The connection is not used again.
func TestLimits(t *testing.T) {
	config, err := pgxpool.ParseConfig(server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	limit(config)
	config.ConnConfig.Tracer = limiter{100 * time.Millisecond}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	const long = `SELECT pg_sleep(20)`
	for name, send := range map[string]func(context.Context) error{
		"a statement": func(ctx context.Context) error {
			_, err := pool.Exec(ctx, long)
			return err
		},
		"a row": func(ctx context.Context) error {
			var nothing string
			return pool.QueryRow(ctx, long).Scan(&nothing)
		},
		"a transaction": func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, long)
				return err
			})
		},
		"a batch": func(ctx context.Context) error {
			var queries pgx.Batch
			queries.Queue(`SELECT 1`)
			queries.Queue(long)
			return pool.SendBatch(ctx, &queries).Close()
		},
	} {
		began := time.Now()
		if err := send(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !unavailable(classify(err)) ||
			time.Since(began) > 10*time.Second {
			t.Errorf("%s took %v: %v", name, time.Since(began), err)
		}
		var one int
		if err := pool.QueryRow(t.Context(), `SELECT 1`).Scan(&one); err != nil || one != 1 {
			t.Errorf("after %s: %d, %v", name, one, err)
		}
	}
	leisurely, cancel := atLeisure(t.Context())
	defer cancel()
	if _, err := pool.Exec(leisurely, `SELECT pg_sleep(0.3)`); err != nil {
		t.Error(err)
	}
}
