package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"bestpick/access"
)

// SessionToken returns the token with a hash, unless the session was ended.
func (s *Store) SessionToken(ctx context.Context, hash, session string) (access.Token, error) {
	t, err := scanToken(s.readers.QueryRowContext(ctx, `
		SELECT name, role, hash, created FROM tokens
		WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM ended_sessions WHERE session = ?)`, hash, session))
	if errors.Is(err, sql.ErrNoRows) {
		return access.Token{}, access.ErrUnknown
	}
	return t, err
}

// EndSession ends a session.
func (s *Store) EndSession(ctx context.Context, session string, until, now time.Time) error {
	if err := access.CheckHash(session); err != nil {
		return err
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM ended_sessions WHERE until < ?`, moment(now)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO ended_sessions (session, until) VALUES (?, ?) ON CONFLICT DO NOTHING`, session, moment(until))
		return err
	})
}
