package sqlite

import (
	"context"

	"bestpick/study"
)

// Length returns the number of the last outcome.
func (s *Store) Length(ctx context.Context, id string) (last int64, err error) {
	err = s.readers.QueryRowContext(ctx, `SELECT outcomes FROM progress JOIN studies ON key = study WHERE id = ?`, id).Scan(&last)
	return last, found(err)
}

// Undone returns the outcomes after a number that take back an answer up to that number.
func (s *Store) Undone(ctx context.Context, id string, after int64) ([]study.Outcome, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `
		SELECT `+outcomeColumns+` FROM outcomes
		WHERE study = ?1 AND number > ?2 AND undoes IS NOT NULL AND undoes <= ?2 ORDER BY number`, k, after)
	return collect(rows, err, scanOutcome)
}
