package sqlstore

import (
	"context"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// lock locks a table against other writers until the transaction ends.
func (d *Dialect) lock(ctx context.Context, tx Querier, table string) error {
	if d.LockTable == "" {
		return nil
	}
	_, err := tx.Exec(ctx, d.LockTable+" "+table+" "+d.LockMode)
	return err
}

// AddFirstToken adds a token if there are no tokens besides an expired invitation.
func (s *Store) AddFirstToken(ctx context.Context, t access.Token) error {
	return s.addToken(ctx, t, `
		INSERT INTO tokens (name, role, hash, created, study, expires, look) SELECT $1, $2, $3, $4, $5, $6, $7
			WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE name <> $1 OR expires < created OR expires > $4)
			ON CONFLICT (name) DO UPDATE SET role = $2, hash = $3, created = $4, study = $5, expires = $6`)
}

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t access.Token) error {
	return s.addToken(ctx, t, `INSERT INTO tokens (name, role, hash, created, study, expires, look)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`)
}

func (s *Store) addToken(ctx context.Context, t access.Token, insert string) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		if err := s.d.lock(ctx, tx, "tokens"); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insert, t.Name, string(t.Role), t.Hash, t.Created, t.Study, t.Expires, access.Look(t.Name))
		return changed(n, err, access.ErrTaken)
	})
}

const selectTokens = `SELECT name, role, hash, created, study, expires FROM tokens ` //nolint:gosec // a query, not a token

// Token returns the token with a hash.
func (s *Store) Token(ctx context.Context, hash string) (access.Token, error) {
	t, err := scanToken(row(ctx, s.db, selectTokens+`WHERE hash = $1 AND expires = $2`, hash, time.Time{}))
	return t, instead(err, access.ErrUnknown)
}

// Accept turns an invitation into a token.
func (s *Store) Accept(ctx context.Context, invitation, hash string, now time.Time) (t access.Token, err error) {
	if err := access.CheckHash(hash); err != nil {
		return t, err
	}
	if !study.IsText(invitation) {
		return t, access.ErrUnknown
	}
	err = s.db.Transact(ctx, func(tx Querier) error {
		if err := s.d.lock(ctx, tx, "tokens"); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `UPDATE tokens SET hash = $1, expires = $2 WHERE hash = $3 AND expires > $4`, hash,
			time.Time{}, invitation, now)
		if err := changed(n, err, access.ErrUnknown); err != nil {
			return err
		}
		t, err = scanToken(tx.QueryRow(ctx, selectTokens+`WHERE hash = $1`, hash))
		return err
	})
	return t, err
}

// Tokens returns all tokens by name.
func (s *Store) Tokens(ctx context.Context) ([]access.Token, error) {
	rows, err := s.db.Query(ctx, selectTokens+`ORDER BY name`)
	return Collect(rows, err, scanToken)
}

// RemoveToken removes the token with a name, unless it is the last owner token.
func (s *Store) RemoveToken(ctx context.Context, name string) error {
	if !study.IsText(name) {
		return access.ErrUnknown
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		if err := s.d.lock(ctx, tx, "tokens"); err != nil {
			return err
		}
		var last bool
		err := tx.QueryRow(ctx, `
			SELECT role = 'owner' AND expires = $1
				AND NOT EXISTS (SELECT 1 FROM tokens AS other WHERE other.role = 'owner' AND other.expires = $1 AND other.name <> tokens.name)
			FROM tokens WHERE name = $2`, time.Time{}, name).Scan(&last)
		if err != nil {
			return instead(err, access.ErrUnknown)
		}
		if last {
			return access.ErrLast
		}
		_, err = tx.Exec(ctx, `DELETE FROM tokens WHERE name = $1`, name)
		return err
	})
}

func scanToken(row Row) (t access.Token, err error) {
	err = row.Scan(&t.Name, &t.Role, &t.Hash, &t.Created, &t.Study, &t.Expires)
	t.Created, t.Expires = utc(t.Created), utc(t.Expires)
	return t, err
}

// SessionToken returns the token with a hash, unless the session was ended.
func (s *Store) SessionToken(ctx context.Context, hash, session string) (access.Token, error) {
	if !study.IsText(session) {
		return access.Token{}, access.ErrUnknown
	}
	t, err := scanToken(row(ctx, s.db, selectTokens+`
		WHERE hash = $1 AND expires = $2 AND NOT EXISTS (SELECT 1 FROM ended_sessions WHERE session = $3)`, hash, time.Time{}, session))
	return t, instead(err, access.ErrUnknown)
}

// EndSession ends a session.
func (s *Store) EndSession(ctx context.Context, session string, until, now time.Time) error {
	if err := access.CheckHash(session); err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		if _, err := tx.Exec(ctx, `DELETE FROM ended_sessions WHERE until < $1`, now); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `INSERT INTO ended_sessions (session, until) VALUES ($1, $2) ON CONFLICT DO NOTHING`, session, until)
		return changed(n, err, access.ErrUnknown)
	})
}

// AddEntry adds an entry to the audit log. Entries are committed in the order of their numbers, so
// a reader that pages through them misses none.
func (s *Store) AddEntry(ctx context.Context, e access.Entry) error {
	if err := e.Check(); err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		if err := s.d.lock(ctx, tx, "audit"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO audit (at, actor, token, operation, about, detail) VALUES ($1, $2, $3, $4, $5, $6)`,
			e.At, e.By, e.Token, e.Operation, e.Study, e.Detail)
		return err
	})
}

// Entries returns the entries of the audit log, newest first.
func (s *Store) Entries(ctx context.Context, before int64, limit int) ([]access.Entry, error) {
	rows, err := s.db.Query(ctx, `
		SELECT number, at, actor, token, operation, about, detail FROM audit WHERE number < $1
			ORDER BY number DESC LIMIT $2`, before, max(limit, 0))
	return Collect(rows, err, func(row Row) (e access.Entry, err error) {
		err = row.Scan(&e.Number, &e.At, &e.By, &e.Token, &e.Operation, &e.Study, &e.Detail)
		e.At = utc(e.At)
		return e, err
	})
}
