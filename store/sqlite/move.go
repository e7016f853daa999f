package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"bestpick/store/recording"
	"bestpick/study"
)

// Batches returns the names of imported batches.
func (s *Store) Batches(ctx context.Context, id string) ([]string, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `SELECT name FROM batches WHERE study = ? ORDER BY name`, k)
	return collect(rows, err, func(row scanner) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	})
}

// Adopt adds a study with all that belongs to it.
func (s *Store) Adopt(ctx context.Context, w study.Whole) error {
	entries, err := recording.Adopt(w)
	if err != nil {
		return err
	}
	return s.recordTo(ctx, func(r *recorder) error {
		if err := create(ctx, r.tx, w.Study, w.Catalogue); err != nil {
			return err
		}
		l, err := r.ledger(w.Study.ID)
		if err != nil {
			return err
		}
		if err := r.adopt(l, entries); err != nil {
			return err
		}
		if err := adoptMembers(ctx, r.tx, l.study, w.Members); err != nil {
			return err
		}
		for _, p := range w.Plans {
			if err := addPlan(ctx, r.tx, l.study, p); err != nil {
				return err
			}
		}
		for _, name := range w.Batches {
			if _, err := r.tx.ExecContext(ctx, `INSERT INTO batches (study, name) VALUES (?, ?)`, l.study, name); err != nil {
				return err
			}
		}
		if w.Claimed == 0 {
			return nil
		}
		return claim(ctx, r.tx, l.study, 0, int64(w.Claimed), time.Unix(0, 0))
	})
}

// adopt writes a log that was written before, elsewhere.
func (r *recorder) adopt(l *ledger, entries []recording.Entry) error {
	for _, e := range entries {
		var err error
		if e.Kind == study.Imported {
			err = r.append(l, e, nil)
		} else {
			err = r.write(l, e)
		}
		if errors.Is(err, study.ErrTaken) {
			return fmt.Errorf("sqlite: outcome %d cannot follow those before", e.Number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteUnchanged removes a study that is as it was.
func (s *Store) DeleteUnchanged(ctx context.Context, id string, version int, last int64) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		k, err := key(ctx, tx, id)
		if err != nil {
			return err
		}
		err = changed(tx.ExecContext(ctx, `
			DELETE FROM studies WHERE key = ?1 AND version = ?2 AND (SELECT outcomes FROM progress WHERE study = ?1) = ?3`, k, version, last))
		if errors.Is(err, study.ErrNotFound) {
			return study.ErrChanged
		}
		return err
	})
}
