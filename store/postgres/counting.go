package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// Length returns the number of the last outcome.
func (s *Store) Length(ctx context.Context, id string) (int64, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return 0, err
	}
	return one(ctx, s.pool, pgx.RowTo[int64], `SELECT outcomes FROM progress WHERE study = $1`, k)
}

// Undone returns the outcomes after a number that take back an answer up to that number.
func (s *Store) Undone(ctx context.Context, id string, after int64) ([]study.Outcome, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	return all(ctx, s.pool, scanOutcome, `
		SELECT `+outcomeColumns+` FROM outcomes WHERE study = $1 AND number > $2 AND undoes <= $2 ORDER BY number`, k, after)
}
