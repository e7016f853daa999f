package sqlstore

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// Bulky returns the studies that Compact makes smaller.
func (s *Store) Bulky(ctx context.Context, upgraded time.Time) ([]string, error) {
	rows, err := s.db.Query(ctx, `
		SELECT id FROM studies JOIN progress ON study = key
		WHERE (plans - compacted >= $1 OR state = 'done' AND plans > compacted) AND (SELECT at FROM upgrades) < $2
		ORDER BY key`, blockPlans, upgraded)
	return Collect(rows, err, Column[string])
}

// Compact moves old plans and questions into blocks, and prunes the verdicts of other plans. It prepares each block before it locks the study. If another
// process or an erasure was faster, a later call continues.
func (s *Store) Compact(ctx context.Context, id string) error {
	st, err := s.Study(ctx, id)
	if err != nil {
		return err
	}
	k, err := s.Key(ctx, id)
	if err != nil {
		return err
	}
	p, err := scanProgress(s.db.QueryRow(ctx, selectProgress+`WHERE study = $1`, k))
	if err != nil {
		return err
	}
	err = s.packPlans(ctx, id, p, st.State == study.Done)
	if err == nil {
		err = s.pruneVerdicts(ctx, id, p)
	}
	if err == nil {
		err = s.packQuestions(ctx, id, p)
	}
	if err == nil {
		err = s.db.Transact(ctx, func(tx Querier) error {
			_, err := tx.Exec(ctx, `UPDATE progress SET compacted = $1 WHERE study = $2`, p.Plans, k)
			return err
		})
	}
	if errors.Is(err, study.ErrChanged) {
		return nil
	}
	return err
}

// replaceRows runs two statements with the lock of a study: one that inserts a block, and one that deletes the rows in
// it. It returns ErrChanged if those are not the given number of rows.
func (s *Store) replaceRows(ctx context.Context, id string, rows int, insert, remove func(tx Querier, p Progress) (int64, error)) error {
	return s.alone(ctx, id, func(tx Querier, p Progress) error {
		removed, err := remove(tx, p)
		if err != nil {
			return err
		}
		if removed != int64(rows) {
			return study.ErrChanged
		}
		_, err = insert(tx, p)
		return err
	})
}
