package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"bestpick/access"
	"bestpick/study"
)

// AddFirstToken adds a token if there is none at all. A statement that writes has the file to
// itself, so nobody adds one in between.
func (s *Store) AddFirstToken(ctx context.Context, t access.Token) error {
	return s.addToken(ctx, t, `
		INSERT INTO tokens (name, role, hash, created) SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM tokens)`)
}

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t access.Token) error {
	return s.addToken(ctx, t, `INSERT INTO tokens (name, role, hash, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
}

func (s *Store) addToken(ctx context.Context, t access.Token, insert string) error {
	if err := t.Check(); err != nil {
		return err
	}
	err := changed(s.writer.ExecContext(ctx, insert, t.Name, string(t.Role), t.Hash, moment(t.Created)))
	if errors.Is(err, study.ErrNotFound) {
		return access.ErrTaken
	}
	return err
}

// Token returns the token with a hash.
func (s *Store) Token(ctx context.Context, hash string) (access.Token, error) {
	t, err := scanToken(s.readers.QueryRowContext(ctx, `SELECT name, role, hash, created FROM tokens WHERE hash = ?`, hash))
	if errors.Is(err, sql.ErrNoRows) {
		return access.Token{}, access.ErrUnknown
	}
	return t, err
}

// Tokens returns all tokens by name.
func (s *Store) Tokens(ctx context.Context) ([]access.Token, error) {
	rows, err := s.readers.QueryContext(ctx, `SELECT name, role, hash, created FROM tokens ORDER BY name`)
	return collect(rows, err, scanToken)
}

// RemoveToken removes the token with a name, unless it is the last one of an owner.
func (s *Store) RemoveToken(ctx context.Context, name string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		var last bool
		err := tx.QueryRowContext(ctx, `
			SELECT role = 'owner' AND NOT EXISTS (SELECT 1 FROM tokens AS other WHERE other.role = 'owner' AND other.name <> tokens.name)
			FROM tokens WHERE name = ?`, name).Scan(&last)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return access.ErrUnknown
		case err != nil:
			return err
		case last:
			return access.ErrLast
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM tokens WHERE name = ?`, name)
		return err
	})
}

func scanToken(row scanner) (t access.Token, err error) {
	var created int64
	err = row.Scan(&t.Name, &t.Role, &t.Hash, &created)
	t.Created = fromMoment(created)
	return t, err
}
