package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// Create adds a study and its catalogue.
func (s *Store) Create(ctx context.Context, st study.Study, catalogue []byte) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	return s.transact(ctx, func(tx pgx.Tx) error {
		_, err := create(ctx, tx, st, catalogue)
		return err
	})
}

// create adds a study and returns its key.
func create(ctx context.Context, tx pgx.Tx, st study.Study, catalogue []byte) (key int64, err error) {
	body, err := json.Marshal(st)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `
		INSERT INTO studies (id, version, state, body) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO NOTHING RETURNING key`, st.ID, st.Version, st.State, string(body)).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, study.ErrChanged
	} else if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO progress (study) VALUES ($1)`, key); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO catalogues (study, bytes) VALUES ($1, $2)`, key, present(catalogue))
	return key, err
}

// Study returns a study.
func (s *Store) Study(ctx context.Context, id string) (study.Study, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return study.Study{}, err
	}
	return one(ctx, s.pool, scanStudy, `SELECT body FROM studies WHERE key = $1`, k)
}

// List returns studies, newest first.
func (s *Store) List(ctx context.Context, before string, limit int) ([]study.Study, error) {
	from := int64(math.MaxInt64)
	if before != "" {
		var err error
		if from, err = s.key(ctx, before); err != nil {
			return nil, err
		}
	}
	return all(ctx, s.pool, scanStudy, `SELECT body FROM studies WHERE key < $1 ORDER BY key DESC LIMIT $2`, from, max(limit, 0))
}

// Active returns the ids of the studies that are open or paused, in the order of creation.
func (s *Store) Active(ctx context.Context) ([]string, error) {
	return all(ctx, s.pool, pgx.RowTo[string], `SELECT id FROM studies WHERE state IN ('open', 'paused') ORDER BY key`)
}

// Change replaces a study if its version is still the given one.
func (s *Store) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	return s.change(ctx, st, version, func(tx pgx.Tx, k int64) error {
		if catalogue == nil {
			return nil
		}
		_, err := tx.Exec(ctx, `UPDATE catalogues SET bytes = $1 WHERE study = $2`, catalogue, k)
		return err
	})
}

// change replaces a study if its version is still the given one, in one piece with what more does.
func (s *Store) change(ctx context.Context, st study.Study, version int, more func(tx pgx.Tx, k int64) error) (study.Study, error) {
	st.Version = version + 1
	k, err := s.key(ctx, st.ID)
	if err != nil {
		return study.Study{}, err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		var current int
		if err := tx.QueryRow(ctx, `SELECT version FROM studies WHERE key = $1 FOR NO KEY UPDATE`, k).Scan(&current); err != nil {
			return found(err)
		}
		if current != version {
			return study.ErrChanged
		}
		if err := replace(ctx, tx, k, st); err != nil {
			return err
		}
		return more(tx, k)
	})
	if err != nil {
		return study.Study{}, err
	}
	return st, nil
}

// replace writes another body of a study.
func replace(ctx context.Context, tx pgx.Tx, key int64, st study.Study) error {
	body, err := json.Marshal(st)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE studies SET version = $1, state = $2, body = $3 WHERE key = $4`, st.Version, st.State, string(body), key)
	return err
}

// Delete removes a study with all that belongs to it.
func (s *Store) Delete(ctx context.Context, id string) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	return s.alone(ctx, id, func(tx pgx.Tx, p progress) error {
		_, err := tx.Exec(ctx, `DELETE FROM studies WHERE key = $1`, p.study)
		return err
	})
}

// Catalogue returns the bytes of the catalogue.
func (s *Store) Catalogue(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	return one(ctx, s.pool, pgx.RowTo[[]byte], `SELECT bytes FROM catalogues WHERE study = $1`, k)
}

// key returns the number that stands for a study in the other tables.
func (s *Store) key(ctx context.Context, id string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !isText(id) {
		return 0, study.ErrNotFound
	}
	return one(ctx, s.pool, pgx.RowTo[int64], `SELECT key FROM studies WHERE id = $1`, id)
}

// A progress is how far a study is.
type progress struct {
	study, outcomes, told, planned, claimed int64

	plans   int
	planner string
}

// alone writes everything that f does, or nothing, while it holds the lock of a study under which all
// outcomes and plans are written.
func (s *Store) alone(ctx context.Context, id string, f func(pgx.Tx, progress) error) error {
	k, err := s.key(ctx, id)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error { return locked(ctx, tx, k, f) })
}

// locked locks a study and calls f.
func locked(ctx context.Context, tx pgx.Tx, k int64, f func(pgx.Tx, progress) error) error {
	p := progress{study: k}
	err := tx.QueryRow(ctx, `SELECT outcomes, told, planned, claimed, plans, planner FROM progress WHERE study = $1 FOR UPDATE`, k).
		Scan(&p.outcomes, &p.told, &p.planned, &p.claimed, &p.plans, &p.planner)
	if err != nil {
		return found(err)
	}
	return f(tx, p)
}

// A querier asks the database, in a transaction or not.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// one returns the only row of a query, or ErrNotFound.
func one[T any](ctx context.Context, q querier, scan pgx.RowToFunc[T], query string, args ...any) (item T, err error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return item, err
	}
	item, err = pgx.CollectExactlyOneRow(rows, scan)
	return item, found(err)
}

// all returns the rows of a query.
func all[T any](ctx context.Context, q querier, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

func scanStudy(row pgx.CollectableRow) (st study.Study, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return st, err
	}
	err = json.Unmarshal(body, &st)
	return st, err
}

// present turns the absence of bytes into none.
func present(bytes []byte) []byte {
	if bytes == nil {
		return []byte{}
	}
	return bytes
}
