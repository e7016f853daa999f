package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Adopt adds a study with all its data.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.recordTo(ctx, func(r *recorder) error {
		if _, err := sqlstore.Create(ctx, querier{r.tx}, w.Study, w.Catalogue); err != nil {
			return err
		}
		l, err := r.ledger(w.Study.ID)
		if err != nil {
			return err
		}
		if err := r.adopt(l, entries); err != nil {
			return err
		}
		if err := putMembers(ctx, querier{r.tx}, l.study, w.Members, true); err != nil {
			return err
		}
		if err := sqlstore.AddPictures(ctx, querier{r.tx}, l.study, w.Pictures); err != nil {
			return err
		}
		if err := sqlstore.AddProfiles(ctx, querier{r.tx}, l.study, w.Profiles); err != nil {
			return err
		}
		for _, p := range w.Plans {
			if err := sqlstore.AddPlan(ctx, querier{r.tx}, l.study, p); err != nil {
				return err
			}
		}
		for _, name := range w.Batches {
			if _, err := r.tx.ExecContext(ctx, `INSERT INTO batches (study, name) VALUES (?, ?)`, l.study, name); err != nil {
				return err
			}
		}
		return dialect.Claim(ctx, querier{r.tx}, l.study, int64(w.Begun()), int64(w.Claimed), time.Unix(0, 0))
	})
}

// adopt writes a log that another store wrote.
func (r *recorder) adopt(l *ledger, entries []sqlstore.Entry) error {
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
