package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"bestpick/access"
	"bestpick/study"
)

// alone keeps everybody else from adding or removing tokens until the transaction ends.
const alone = `LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE`

// AddFirstToken adds a token if there is none at all.
func (s *Store) AddFirstToken(ctx context.Context, t access.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, alone); err != nil {
			return err
		}
		return addToken(ctx, tx, t, `
			INSERT INTO tokens (name, role, hash, created) SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM tokens)`)
	})
}

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t access.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		return addToken(ctx, tx, t, `INSERT INTO tokens (name, role, hash, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`)
	})
}

func addToken(ctx context.Context, tx pgx.Tx, t access.Token, insert string) error {
	done, err := tx.Exec(ctx, insert, t.Name, t.Role, t.Hash, t.Created)
	if err == nil && done.RowsAffected() == 0 {
		return access.ErrTaken
	}
	return err
}

// Token returns the token with a hash.
func (s *Store) Token(ctx context.Context, hash string) (access.Token, error) {
	if !isText(hash) {
		return access.Token{}, access.ErrUnknown
	}
	t, err := one(ctx, s.pool, scanToken, `SELECT name, role, hash, created FROM tokens WHERE hash = $1`, hash)
	if errors.Is(err, study.ErrNotFound) {
		return access.Token{}, access.ErrUnknown
	}
	return t, err
}

// Tokens returns all tokens by name.
func (s *Store) Tokens(ctx context.Context) ([]access.Token, error) {
	return all(ctx, s.pool, scanToken, `SELECT name, role, hash, created FROM tokens ORDER BY name`)
}

// RemoveToken removes the token with a name, unless it is the last one of an owner.
func (s *Store) RemoveToken(ctx context.Context, name string) error {
	if !isText(name) {
		return access.ErrUnknown
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, alone); err != nil {
			return err
		}
		var last bool
		err := tx.QueryRow(ctx, `
			SELECT role = 'owner' AND NOT EXISTS (SELECT 1 FROM tokens AS other WHERE other.role = 'owner' AND other.name <> tokens.name)
			FROM tokens WHERE name = $1`, name).Scan(&last)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return access.ErrUnknown
		case err != nil:
			return err
		case last:
			return access.ErrLast
		}
		_, err = tx.Exec(ctx, `DELETE FROM tokens WHERE name = $1`, name)
		return err
	})
}

func scanToken(row pgx.CollectableRow) (t access.Token, err error) {
	err = row.Scan(&t.Name, &t.Role, &t.Hash, &t.Created)
	t.Created = utc(t.Created)
	return t, err
}
