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
		return claim(ctx, r.tx, l.study, int64(w.Begun()), int64(w.Claimed), time.Unix(0, 0))
	})
}

// adopt writes a log that was written before, elsewhere.
func (r *recorder) adopt(l *ledger, entries []recording.Entry) error {
	for _, e := range entries {
		var err error
		switch {
		case e.Position == study.Elsewhere:
			err = r.append(l, e, nil)
		case e.Kind == study.Erased:
			err = r.writeErased(l, e)
		default:
			err = r.write(l, e)
		}
		if errors.Is(err, study.ErrTaken) {
			return fmt.Errorf("sqlite: outcome %d cannot follow those before", e.Number)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.tx.ExecContext(r.ctx, `
		UPDATE questions SET stands = 1
		WHERE study = ?1 AND stands = 0 AND number IN (SELECT number FROM outcomes WHERE study = ?1 AND kind = 'erased')`, l.study)
	return err
}

// writeErased writes an outcome that was erased elsewhere. Nobody knows whether it was an answer or what took that
// back, so the next one of the question, if there is one, may be whatever it is.
func (r *recorder) writeErased(l *ledger, e recording.Entry) error {
	number := l.last + 1
	if _, err := r.exec(r.stand, l.study, e.Position, number); err != nil {
		return err
	}
	if _, err := r.exec(r.undo, number, l.study, e.Position); err != nil {
		return err
	}
	return r.append(l, e, nil)
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
