package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bestpick/store/recording"
	"bestpick/study"
)

// Import writes a batch of imported outcomes.
func (s *Store) Import(ctx context.Context, id, batch string, imported []study.Outcome) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	entries, err := recording.Import(batch, imported)
	if err != nil {
		return err
	}
	return s.alone(ctx, id, func(tx pgx.Tx, p progress) error {
		done, err := tx.Exec(ctx, `INSERT INTO batches (study, name) VALUES ($1, $2) ON CONFLICT DO NOTHING`, p.study, batch)
		if err != nil {
			return err
		}
		if done.RowsAffected() == 0 {
			return study.ErrTaken
		}
		var o outcomes
		for _, e := range entries {
			p.outcomes++
			o.add(p.study, p.outcomes, e, nil)
		}
		var queries pgx.Batch
		o.queue(&queries)
		queries.Queue(`UPDATE progress SET outcomes = $1 WHERE study = $2`, p.outcomes, p.study)
		return tx.SendBatch(ctx, &queries).Close()
	})
}
