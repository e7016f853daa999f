package sqlstore

import (
	"context"
	"fmt"

	"bestpick/internal/study"
)

// MayErase locks a study, whose log has last outcomes, and returns it. It returns an error if the
// plan that follows an erasure does not fit the study and its log.
func (d *Dialect) MayErase(ctx context.Context, tx Querier, k, last int64, p study.Plan) (study.Study, error) {
	st, err := d.StudyForUpdate(ctx, tx, k)
	switch {
	case err != nil:
		return st, err
	case st.Version != p.Version:
		return st, study.ErrChanged
	case p.Known < p.Upto || p.Known > last:
		return st, fmt.Errorf("store: the plan counts outcomes up to %d and has seen %d, but the log has %d", p.Upto, p.Known, last)
	}
	return st, StillStand(ctx, tx, k, p)
}

// Restart withholds the unclaimed questions of a study, and writes the plan that starts afresh, if
// p is one. It sets the number and the first position of the plan.
func Restart(ctx context.Context, tx Querier, k int64, p *study.Plan) error {
	if _, err := tx.Exec(ctx, `UPDATE progress SET claimed = planned WHERE study = $1`, k); err != nil {
		return err
	}
	if p.Afresh == nil {
		return nil
	}
	if err := tx.QueryRow(ctx, `SELECT plans + 1, planned FROM progress WHERE study = $1`, k).Scan(&p.Number, &p.First); err != nil {
		return err
	}
	return AddPlan(ctx, tx, k, *p)
}
