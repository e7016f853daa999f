package sqlite

import (
	"context"
	"errors"

	"bestpick/store/recording"
	"bestpick/study"
)

// Import writes a batch of imported outcomes.
func (s *Store) Import(ctx context.Context, id, batch string, outcomes []study.Outcome) error {
	entries, err := recording.Import(batch, outcomes)
	if err != nil {
		return err
	}
	return s.recordTo(ctx, func(r *recorder) error {
		l, err := r.ledger(id)
		if err != nil {
			return err
		}
		err = changed(r.tx.ExecContext(ctx, `INSERT INTO batches (study, name) VALUES (?, ?) ON CONFLICT DO NOTHING`, l.study, batch))
		if errors.Is(err, study.ErrNotFound) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
		for _, e := range entries {
			if err := r.append(l, e, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
