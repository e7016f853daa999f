package sqlite

import (
	"context"
	"time"

	"bestpick/store/sqlstore"
)

// Lead acquires the planning lease of a study until a time.
func (s *Store) Lead(ctx context.Context, id, planner string, now, until time.Time) error {
	k, err := s.Key(ctx, id)
	if err != nil {
		return err
	}
	return database{querier{s.readers}, s}.Transact(ctx, func(tx sqlstore.Querier) error {
		if _, err := dialect.Lock(ctx, tx, k); err != nil {
			return err
		}
		return sqlstore.Lead(ctx, tx, k, planner, now, until)
	})
}
