package postgres

import (
	"context"
	"math"

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

// logged asks for the outcomes of the study $1 with numbers from after $2 to $3. Numbers come without gaps, so
// there are no more of them. The limit keeps PostgreSQL from reading a whole import for the sake of a few.
const logged = `
	SELECT ` + outcomeColumns + ` FROM outcomes WHERE study = $1 AND number > $2 AND number <= $3
	UNION ALL
	SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at
	FROM imports, LATERAL (
		SELECT * FROM imported WHERE import = key AND place > $2 - after AND place <= $3 - after ORDER BY place LIMIT $3 - $2
	) AS staged
	WHERE study = $1 AND after < $3 AND after + rows > $2
	ORDER BY number`

// Log returns outcomes in order.
func (s *Store) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	after = max(after, 0)
	upto := after + min(int64(max(limit, 0)), math.MaxInt64-after)
	return all(ctx, s.pool, scanOutcome, logged, k, after, upto)
}

func scanOutcome(row pgx.CollectableRow) (o study.Outcome, err error) {
	err = row.Scan(&o.Number, &o.Position, &o.Kind, &o.Shown, &o.Picks, &o.Respondent, &o.Segment, &o.Plan, &o.Asked, &o.At)
	o.Asked, o.At = utc(o.Asked), utc(o.At)
	return o, err
}
