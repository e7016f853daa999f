package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

const outcomeColumns = `number, position, kind, shown, picks, respondent, segment, plan, asked, at`

// At returns the last outcome of a question.
func (s *Store) At(ctx context.Context, id string, position study.Position) (study.Outcome, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return study.Outcome{}, err
	}
	return one(ctx, s.pool, scanOutcome, `
		SELECT `+outcomeColumns+` FROM questions JOIN outcomes USING (study, position, number)
		WHERE study = $1 AND position = $2`, k, position)
}

// Log returns outcomes in order.
func (s *Store) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	return all(ctx, s.pool, scanOutcome, `
		SELECT `+outcomeColumns+` FROM outcomes WHERE study = $1 AND number > $2 ORDER BY number LIMIT $3`, k, after, max(limit, 0))
}

func scanOutcome(row pgx.CollectableRow) (o study.Outcome, err error) {
	err = row.Scan(&o.Number, &o.Position, &o.Kind, &o.Shown, &o.Picks, &o.Respondent, &o.Segment, &o.Plan, &o.Asked, &o.At)
	o.Asked, o.At = utc(o.Asked), utc(o.At)
	return o, err
}
