package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// Lead acquires the planning lease of a study until a time. It does not wait for other writers for long:
// the time that it was called with would be over.
func (s *Store) Lead(ctx context.Context, id, planner string, now, until time.Time) error {
	k, err := s.key(ctx, id)
	if err != nil {
		return err
	}
	return contended(s.transactWithin(ctx, leadTimeout, func(tx pgx.Tx) error {
		return locked(ctx, tx, k, func(tx pgx.Tx, p progress) error {
			done, err := tx.Exec(ctx, `
				UPDATE progress SET planner = $1, until = $2 WHERE study = $3 AND (planner = $1 OR planner = '' OR until <= $4)`,
				planner, until, p.study, now)
			if err != nil || done.RowsAffected() > 0 {
				return err
			}
			led := &study.LedError{}
			if err := tx.QueryRow(ctx, `SELECT until FROM progress WHERE study = $1`, p.study).Scan(&led.Until); err != nil {
				return err
			}
			return led
		})
	}))
}

// contended turns ErrBusy into ErrNotYours: a planner then lets others lead, and tries again.
func contended(err error) error {
	if errors.Is(err, study.ErrBusy) {
		return fmt.Errorf("%w (%w)", study.ErrNotYours, err)
	}
	return err
}

// Append writes a plan with its questions.
func (s *Store) Append(ctx context.Context, id, planner string, p study.Plan) error {
	return contended(s.alone(ctx, id, func(tx pgx.Tx, so progress) error {
		if err := mayAppend(ctx, tx, so, planner, p); err != nil {
			return err
		}
		if err := addPlan(ctx, tx, so.study, p); err != nil || p.Done == "" {
			return err
		}
		return end(ctx, tx, so.study, p)
	}))
}

// addPlan writes a plan, and how far the study is with it.
func addPlan(ctx context.Context, tx pgx.Tx, k int64, p study.Plan) error {
	questions, err := json.Marshal(p.Questions)
	if err != nil {
		return err
	}
	withdrawn, err := json.Marshal(p.Withdrawn)
	if err != nil {
		return err
	}
	afresh, err := json.Marshal(p.Afresh)
	if err != nil {
		return err
	}
	var verdict *string
	if p.Verdict != nil {
		text := string(p.Verdict)
		verdict = &text
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO plans (study, number, afresh, arms, withdrawn, upto, known, first, questions, verdict, done, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		k, p.Number, string(afresh), p.Arms, string(withdrawn), p.Upto, p.Known, p.First, string(questions), verdict, p.Done, p.At)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE progress SET plans = $1, told = $2, planned = $3 WHERE study = $4`,
		p.Number, p.Upto, int(p.First)+len(p.Questions), k)
	return err
}

// mayAppend returns an error unless a plan is the next of its planner.
func mayAppend(ctx context.Context, tx pgx.Tx, so progress, planner string, p study.Plan) error {
	var intime bool
	err := tx.QueryRow(ctx, `SELECT until > $2 FROM progress WHERE study = $1`, so.study, p.At).Scan(&intime)
	switch {
	case err != nil:
		return err
	case so.planner != planner || !intime || p.Number != so.plans+1:
		return study.ErrNotYours
	case p.Upto < so.told || p.Known < p.Upto || p.Known > so.outcomes:
		return fmt.Errorf("postgres: plan %d tells outcomes up to %d and knows %d, but %d were told and there are %d", p.Number, p.Upto, p.Known, so.told, so.outcomes)
	case int64(p.First) != so.planned:
		return fmt.Errorf("postgres: plan %d begins with question %d, but %d were planned", p.Number, p.First, so.planned)
	}
	return stillStand(ctx, tx, so.study, p)
}

// stillStand returns ErrChanged if an answer that a plan tells was undone after what it knows.
func stillStand(ctx context.Context, tx pgx.Tx, k int64, p study.Plan) error {
	undone, err := one(ctx, tx, pgx.RowTo[bool], `
		SELECT EXISTS (SELECT 1 FROM outcomes WHERE study = $1 AND number > $2 AND undoes <= $3)`, k, p.Known, p.Upto)
	if err == nil && undone {
		return study.ErrChanged
	}
	return err
}

// end sets the state of a study that is over with a plan.
func end(ctx context.Context, tx pgx.Tx, k int64, p study.Plan) error {
	st, err := one(ctx, tx, scanStudy, `SELECT body FROM studies WHERE key = $1 FOR NO KEY UPDATE`, k)
	if err != nil || st.State == study.Done {
		return err
	}
	if st.Version != p.Version {
		return study.ErrChanged
	}
	st.State, st.Reason, st.Changed = study.Done, p.Done, p.At
	st.Version++
	return replace(ctx, tx, k, st)
}

const planColumns = `number, afresh, arms, withdrawn, upto, known, first, questions, verdict, done, at`

// Plans returns plans in order.
func (s *Store) Plans(ctx context.Context, id string, after, limit int) ([]study.Plan, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	return all(ctx, s.pool, scanPlan, `
		SELECT `+planColumns+` FROM plans WHERE study = $1 AND number > $2 ORDER BY number LIMIT $3`, k, after, max(limit, 0))
}

// Last returns the last plan.
func (s *Store) Last(ctx context.Context, id string) (study.Plan, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return study.Plan{}, err
	}
	return one(ctx, s.pool, scanPlan, `SELECT `+planColumns+` FROM plans WHERE study = $1 ORDER BY number DESC LIMIT 1`, k)
}

func scanPlan(row pgx.CollectableRow) (p study.Plan, err error) {
	var verdict []byte
	err = row.Scan(&p.Number, &p.Afresh, &p.Arms, &p.Withdrawn, &p.Upto, &p.Known, &p.First, &p.Questions, &verdict, &p.Done, &p.At)
	p.Verdict, p.At = verdict, utc(p.At)
	return p, err
}

// SaveSnapshot keeps the strategy's state after a plan.
func (s *Store) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	return s.alone(ctx, id, func(tx pgx.Tx, p progress) error {
		if plan > p.plans {
			return fmt.Errorf("postgres: a snapshot after plan %d, but there are %d", plan, p.plans)
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO snapshots AS kept (study, plan, state)
			SELECT $1, $2, $3::bytea WHERE EXISTS (SELECT 1 FROM plans WHERE study = $1 AND number = $2)
			ON CONFLICT (study) DO UPDATE SET plan = excluded.plan, state = excluded.state WHERE kept.plan <= excluded.plan`,
			p.study, plan, present(state))
		return err
	})
}

// Snapshot returns the snapshot kept.
func (s *Store) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return 0, nil, err
	}
	err = s.pool.QueryRow(ctx, `SELECT plan, state FROM snapshots WHERE study = $1`, k).Scan(&plan, &state)
	return plan, state, found(err)
}
