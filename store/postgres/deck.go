package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// Claim hands out questions that nobody has claimed. They are always the first ones, so that one
// number says which they are.
func (s *Store) Claim(ctx context.Context, id string, n int, now time.Time) (c study.Claim, err error) {
	err = s.alone(ctx, id, func(tx pgx.Tx, p progress) error {
		c = study.Claim{First: study.Position(p.claimed), At: now}
		end := min(p.planned, p.claimed+int64(max(n, 0)))
		if end == p.claimed {
			return nil
		}
		var err error
		if c.Questions, c.Plans, err = questions(ctx, tx, p.study, p.claimed, end); err != nil {
			return err
		}
		return claim(ctx, tx, p.study, p.claimed, end, now)
	})
	if err != nil {
		return study.Claim{}, err
	}
	return c, nil
}

// claim writes that the questions from one to before another are claimed.
func claim(ctx context.Context, tx pgx.Tx, k, first, end int64, at time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE progress SET claimed = $1 WHERE study = $2`, end, k); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO questions (study, position, claimed) SELECT $1, position, $4 FROM generate_series($2::bigint, $3::bigint - 1) AS position
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`, k, first, end, at)
	return err
}

// questions returns those with positions from first to before end, out of the plans they are in,
// and the numbers of these.
func questions(ctx context.Context, tx pgx.Tx, k, first, end int64) (list [][]int, of []int, err error) {
	plans, err := all(ctx, tx, scanPlan, `
		SELECT `+planColumns+` FROM plans
		WHERE study = $1 AND first >= (SELECT max(first) FROM plans WHERE study = $1 AND first <= $2) AND first < $3
		ORDER BY number`, k, first, end)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range plans {
		from, to := max(first-int64(p.First), 0), min(end-int64(p.First), int64(len(p.Questions)))
		for i := from; i < to; i++ {
			list, of = append(list, p.Questions[i]), append(of, p.Number)
		}
	}
	return list, of, nil
}

// Overdue returns claimed questions without an outcome that stands.
func (s *Store) Overdue(ctx context.Context, id string, before time.Time, limit int) (positions []study.Position, unclaimed int, err error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	unclaimed, err = one(ctx, s.pool, pgx.RowTo[int], `SELECT planned - claimed FROM progress WHERE study = $1`, k)
	if err != nil {
		return nil, 0, err
	}
	positions, err = all(ctx, s.pool, pgx.RowTo[study.Position], `
		SELECT position FROM questions WHERE study = $1 AND NOT stands AND claimed < $2 ORDER BY claimed, position LIMIT $3`,
		k, before, max(limit, 0))
	if err != nil {
		return nil, 0, err
	}
	return positions, unclaimed, nil
}
