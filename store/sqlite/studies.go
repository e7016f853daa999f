package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"bestpick/study"
)

// Create adds a study and its catalogue.
func (s *Store) Create(ctx context.Context, st study.Study, catalogue []byte) error {
	return s.transact(ctx, func(tx *sql.Tx) error { return create(ctx, tx, st, catalogue) })
}

func create(ctx context.Context, tx *sql.Tx, st study.Study, catalogue []byte) error {
	body, err := json.Marshal(st)
	if err != nil {
		return err
	}
	var key int64
	err = tx.QueryRowContext(ctx, `
		INSERT INTO studies (id, version, state, body) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING RETURNING key`, st.ID, st.Version, string(st.State), string(body)).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		return study.ErrChanged
	} else if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO progress (study) VALUES (?)`, key); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO catalogues (study, bytes) VALUES (?, ?)`, key, present(catalogue))
	return err
}

// Study returns a study.
func (s *Store) Study(ctx context.Context, id string) (study.Study, error) {
	return scanStudy(s.readers.QueryRowContext(ctx, `SELECT body FROM studies WHERE id = ?`, id))
}

// List returns studies, newest first.
func (s *Store) List(ctx context.Context, before string, limit int) ([]study.Study, error) {
	const newest = 1<<63 - 1
	from := int64(newest)
	if before != "" {
		var err error
		if from, err = key(ctx, s.readers, before); err != nil {
			return nil, err
		}
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT body FROM studies WHERE key < ? ORDER BY key DESC LIMIT ?`, from, max(limit, 0))
	return collect(rows, err, scanStudy)
}

// Active returns the ids of the studies that are open or paused, in the order of creation.
func (s *Store) Active(ctx context.Context) ([]string, error) {
	rows, err := s.readers.QueryContext(ctx, `SELECT id FROM studies WHERE state IN ('open', 'paused') ORDER BY key`)
	return collect(rows, err, func(row scanner) (id string, err error) {
		err = row.Scan(&id)
		return id, err
	})
}

// Change replaces a study if its version is still the given one.
func (s *Store) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	return s.change(ctx, st, version, func(tx *sql.Tx, key int64) error {
		if catalogue == nil {
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE catalogues SET bytes = ? WHERE study = ?`, catalogue, key)
		return err
	})
}

// change replaces a study if its version is still the given one, in one piece with what more does.
func (s *Store) change(ctx context.Context, st study.Study, version int, more func(tx *sql.Tx, key int64) error) (study.Study, error) {
	st.Version = version + 1
	err := s.transact(ctx, func(tx *sql.Tx) error {
		var key int64
		var current int
		err := tx.QueryRowContext(ctx, `SELECT key, version FROM studies WHERE id = ?`, st.ID).Scan(&key, &current)
		if err != nil {
			return found(err)
		}
		if current != version {
			return study.ErrChanged
		}
		if err := replace(ctx, tx, key, st); err != nil {
			return err
		}
		return more(tx, key)
	})
	if err != nil {
		return study.Study{}, err
	}
	return st, nil
}

// replace writes another body of a study.
func replace(ctx context.Context, tx *sql.Tx, key int64, st study.Study) error {
	body, err := json.Marshal(st)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE studies SET version = ?, state = ?, body = ? WHERE key = ?`, st.Version, string(st.State), string(body), key)
	return err
}

// Delete removes a study with all that belongs to it.
func (s *Store) Delete(ctx context.Context, id string) error {
	return changed(s.writer.ExecContext(ctx, `DELETE FROM studies WHERE id = ?`, id))
}

// Catalogue returns the bytes of the catalogue.
func (s *Store) Catalogue(ctx context.Context, id string) ([]byte, error) {
	var bytes []byte
	err := s.readers.QueryRowContext(ctx, `
		SELECT bytes FROM catalogues JOIN studies ON key = study WHERE id = ?`, id).Scan(&bytes)
	return bytes, found(err)
}

// A querier asks the database, in a transaction or not.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// key returns the number that stands for a study in the other tables.
func key(ctx context.Context, q querier, id string) (key int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT key FROM studies WHERE id = ?`, id).Scan(&key)
	return key, found(err)
}

// A scanner has the columns of a row.
type scanner interface{ Scan(into ...any) error }

// collect returns what is in rows.
func collect[T any](rows *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err has what went wrong
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

func scanStudy(row scanner) (st study.Study, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return st, found(err)
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
