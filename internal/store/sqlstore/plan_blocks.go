package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"bestpick/internal/study"
)

// packPlans moves plans into blocks. The last plan stays in its row, and while the study is not over also plans with
// unclaimed questions and plans that do not fill a block.
func (s *Store) packPlans(ctx context.Context, id string, p Progress, over bool) error {
	for {
		rows, err := s.db.Query(ctx, `
			SELECT `+planColumns+` FROM plans WHERE study = $1 AND number < $2 ORDER BY number LIMIT $3`, p.Study, p.Plans, blockPlans)
		plans, err := Collect(rows, err, scanPlan)
		if err != nil {
			return err
		}
		if len(plans) == 0 || !over && (len(plans) < blockPlans || planned(plans[blockPlans-1]) > p.Claimed) {
			return nil
		}
		packed, err := pack(plans)
		if err != nil {
			return err
		}
		first, last := plans[0].Number, plans[len(plans)-1].Number
		err = s.replaceRows(ctx, id, len(plans), func(tx Querier, _ Progress) (int64, error) {
			return tx.Exec(ctx, `INSERT INTO plan_blocks (study, first, last, plans) VALUES ($1, $2, $3, $4)`, p.Study, first, last, packed)
		}, func(tx Querier, _ Progress) (int64, error) {
			return tx.Exec(ctx, `DELETE FROM plans WHERE study = $1 AND number >= $2 AND number <= $3`, p.Study, first, last)
		})
		if err != nil {
			return err
		}
	}
}

// pruneVerdicts prunes the verdicts of plans that stay in their rows, but for the last.
func (s *Store) pruneVerdicts(ctx context.Context, id string, p Progress) error {
	rows, err := s.db.Query(ctx, `SELECT `+planColumns+` FROM plans WHERE study = $1 AND number < $2 ORDER BY number`, p.Study, p.Plans)
	plans, err := Collect(rows, err, scanPlan)
	if err != nil {
		return err
	}
	for _, plan := range plans {
		pruned := plan.Prune()
		if len(pruned.Verdict) == len(plan.Verdict) {
			continue
		}
		err := s.alone(ctx, id, func(tx Querier, _ Progress) error {
			_, err := tx.Exec(ctx, `UPDATE plans SET verdict = $1 WHERE study = $2 AND number = $3`, string(pruned.Verdict), p.Study, plan.Number)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// planned returns the number of questions in all plans up to one.
func planned(p study.Plan) int64 { return int64(p.First) + int64(len(p.Questions)) }

// packedPlans returns plans in blocks with numbers larger than after, at most limit.
func packedPlans(ctx context.Context, q Querier, k int64, after, limit int) (plans []study.Plan, err error) {
	for len(plans) < limit {
		var last int
		var packed []byte
		err := q.QueryRow(ctx, `SELECT last, plans FROM plan_blocks WHERE study = $1 AND last > $2 ORDER BY last LIMIT 1`, k, after).Scan(&last, &packed)
		if errors.Is(err, sql.ErrNoRows) {
			return plans, nil
		}
		if err != nil {
			return nil, err
		}
		some, err := unpack(packed)
		if err != nil {
			return nil, err
		}
		some = slices.DeleteFunc(some, func(p study.Plan) bool { return p.Number <= after })
		plans, after = append(plans, some[:min(len(some), limit-len(plans))]...), last
	}
	return plans, nil
}
