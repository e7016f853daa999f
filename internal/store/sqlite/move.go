package sqlite

import (
	"context"
	"errors"
	"fmt"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Adopt writes a study from another store.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.recordTo(ctx, func(r *recorder) error {
		return dialect.Adopt(ctx, querier{r.tx}, w, func(int64) error {
			l, err := r.ledger(w.Study.ID)
			if err != nil {
				return err
			}
			return r.adopt(l, entries)
		})
	})
}

// adopt writes a log that another store wrote.
func (r *recorder) adopt(l *ledger, entries []sqlstore.Entry) error {
	for _, e := range entries {
		var err error
		switch {
		case e.Position == study.OutsideDeck:
			err = r.append(l, e, nil)
		case e.Kind == study.Erased:
			err = r.writeErased(l, e)
		default:
			err = r.write(l, e)
		}
		if errors.Is(err, study.ErrTaken) {
			return fmt.Errorf("sqlite: outcome %d contradicts earlier ones of its question", e.Number)
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

// writeErased writes an outcome that was erased elsewhere. Its kind is unknown: it may have been an
// answer or an undo, so any outcome of the question may follow.
func (r *recorder) writeErased(l *ledger, e sqlstore.Entry) error {
	number := l.last + 1
	if _, err := r.exec(r.stand, l.study, e.Position, number); err != nil {
		return err
	}
	if _, err := r.exec(r.undo, number, l.study, e.Position); err != nil {
		return err
	}
	return r.append(l, e, nil)
}
