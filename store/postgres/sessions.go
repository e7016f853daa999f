package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/access"
	"bestpick/study"
)

// SessionToken returns the token with a hash, unless the session was ended.
func (s *Store) SessionToken(ctx context.Context, hash, session string) (access.Token, error) {
	if !isText(hash) || !isText(session) {
		return access.Token{}, access.ErrUnknown
	}
	t, err := one(ctx, s.pool, scanToken, `
		SELECT name, role, hash, created FROM tokens
		WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM ended_sessions WHERE session = $2)`, hash, session)
	if errors.Is(err, study.ErrNotFound) {
		return access.Token{}, access.ErrUnknown
	}
	return t, err
}

// EndSession ends a session.
func (s *Store) EndSession(ctx context.Context, session string, until, now time.Time) error {
	if err := access.CheckHash(session); err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM ended_sessions WHERE until < $1`, now); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO ended_sessions (session, until) VALUES ($1, $2) ON CONFLICT DO NOTHING`, session, until)
		return err
	})
}
