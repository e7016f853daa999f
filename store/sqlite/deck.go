package sqlite

import (
	"context"
	"database/sql"
	"time"

	"bestpick/study"
)

// Claim hands out questions that nobody has claimed. They are always the first ones, so that one
// number says which they are.
func (s *Store) Claim(ctx context.Context, id string, n int, now time.Time) (c study.Claim, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		var k, claimed, planned int64
		err := tx.QueryRowContext(ctx, `SELECT study, claimed, planned FROM progress JOIN studies ON key = study WHERE id = ?`, id).
			Scan(&k, &claimed, &planned)
		if err != nil {
			return found(err)
		}
		c = study.Claim{First: study.Position(claimed), At: now}
		end := min(planned, claimed+int64(max(n, 0)))
		if end == claimed {
			return nil
		}
		if c.Questions, c.Plans, err = questions(ctx, tx, k, claimed, end); err != nil {
			return err
		}
		return claim(ctx, tx, k, claimed, end, now)
	})
	if err != nil {
		return study.Claim{}, err
	}
	return c, nil
}

// claim writes that the questions from one to before another are claimed.
func claim(ctx context.Context, tx *sql.Tx, k, first, end int64, at time.Time) error {
	if _, err := tx.ExecContext(ctx, `UPDATE progress SET claimed = ? WHERE study = ?`, end, k); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		WITH RECURSIVE claims (position) AS (SELECT ?2 WHERE ?2 < ?3 UNION ALL SELECT position + 1 FROM claims WHERE position + 1 < ?3)
		INSERT INTO questions (study, position, claimed) SELECT ?1, position, ?4 FROM claims WHERE true
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`, k, first, end, moment(at))
	return err
}

// questions returns those with positions from first to before end, out of the plans they are in,
// and the numbers of these.
func questions(ctx context.Context, tx *sql.Tx, k, first, end int64) (list [][]int, of []int, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT `+planColumns+` FROM plans
		WHERE study = ?1 AND first >= (SELECT max(first) FROM plans WHERE study = ?1 AND first <= ?2) AND first < ?3
		ORDER BY number`, k, first, end)
	plans, err := collect(rows, err, scanPlan)
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
	var k int64
	err = s.readers.QueryRowContext(ctx, `SELECT study, planned - claimed FROM progress JOIN studies ON key = study WHERE id = ?`, id).
		Scan(&k, &unclaimed)
	if err != nil {
		return nil, 0, found(err)
	}
	rows, err := s.readers.QueryContext(ctx, `
		SELECT position FROM questions WHERE study = ? AND stands = 0 AND claimed < ? ORDER BY claimed, position LIMIT ?`,
		k, moment(before), max(limit, 0))
	positions, err = collect(rows, err, scanPosition)
	if err != nil {
		return nil, 0, err
	}
	return positions, unclaimed, nil
}

func scanPosition(row scanner) (p study.Position, err error) {
	err = row.Scan(&p)
	return p, err
}
