// Package postgres keeps studies in a PostgreSQL database, for many processes at once.
//
// Outcomes that come to a process while the database is busy are written in one transaction, and
// acknowledged when it is committed.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/access"
	"bestpick/store/recording"
	"bestpick/study"
	"bestpick/webhook"
)

// Store is a [study.Store] in a database, with the tokens of those who may run studies, what they did, and whom to tell of verdicts.
type Store struct {
	pool     *pgxpool.Pool
	outcomes *recording.Writer
}

var (
	_ study.Store   = (*Store)(nil)
	_ access.Tokens = (*Store)(nil)
	_ access.Audit  = (*Store)(nil)
	_ webhook.Store = (*Store)(nil)
)

// Open opens the store in a database, which is brought to this program's version.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	limit(config) // but not what brings it to that version
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool}
	s.outcomes = recording.New(s.write)
	return s, nil
}

// Close waits for what is being written.
func (s *Store) Close() error {
	s.outcomes.Close()
	s.pool.Close()
	return nil
}

// Secret returns a key that all processes on this store share.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	if _, err := s.pool.Exec(ctx, `INSERT INTO secrets (one, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING`, secret); err != nil {
		return nil, err
	}
	err := s.pool.QueryRow(ctx, `SELECT bytes FROM secrets`).Scan(&secret)
	return secret, err
}

// transact writes everything that f does, or nothing. f may be called again, when others were in
// the way.
func (s *Store) transact(ctx context.Context, f func(pgx.Tx) error) error {
	const attempts = 10
	pause := time.Millisecond
	var err error
	for range attempts {
		if err = pgx.BeginFunc(ctx, s.pool, f); !inTheWay(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
	return err
}

// inTheWay says whether a transaction failed because of others, and was undone.
func inTheWay(err error) bool {
	const serializationFailure, deadlock = "40001", "40P01"
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (failure.Code == serializationFailure || failure.Code == deadlock)
}

// found turns the absence of a row into ErrNotFound.
func found(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return study.ErrNotFound
	}
	return err
}

// isText says whether PostgreSQL would take a text.
func isText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// utc is a time as it was handed in, apart from the zone.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}
