package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bestpick/study"
)

// Lead makes somebody the planner of a study until a time.
func (s *Store) Lead(ctx context.Context, id, planner string, now, until time.Time) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		k, err := key(ctx, tx, id)
		if err != nil {
			return err
		}
		err = changed(tx.ExecContext(ctx, `
			UPDATE progress SET planner = ?1, until = ?2 WHERE study = ?3 AND (planner = ?1 OR until <= ?4 OR planner = '')`,
			planner, moment(until), k, moment(now)))
		if !errors.Is(err, study.ErrNotFound) {
			return err
		}
		var led int64
		if err := tx.QueryRowContext(ctx, `SELECT until FROM progress WHERE study = ?`, k).Scan(&led); err != nil {
			return err
		}
		return &study.LedError{Until: fromMoment(led)}
	})
}

// Append writes a plan with its questions.
func (s *Store) Append(ctx context.Context, id, planner string, p study.Plan) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		k, err := key(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayAppend(ctx, tx, k, planner, p); err != nil {
			return err
		}
		if err := addPlan(ctx, tx, k, p); err != nil || p.Done == "" {
			return err
		}
		return end(ctx, tx, k, p)
	})
}

// addPlan writes a plan, and how far the study is with it.
func addPlan(ctx context.Context, tx *sql.Tx, k int64, p study.Plan) error {
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
	_, err = tx.ExecContext(ctx, `
		INSERT INTO plans (study, number, afresh, arms, withdrawn, upto, known, first, questions, verdict, done, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		k, p.Number, string(afresh), p.Arms, string(withdrawn), p.Upto, p.Known, p.First, string(questions), sql.NullString{String: string(p.Verdict), Valid: p.Verdict != nil}, string(p.Done), moment(p.At))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE progress SET plans = ?, told = ?, planned = ? WHERE study = ?`,
		p.Number, p.Upto, int(p.First)+len(p.Questions), k)
	return err
}

// mayAppend returns an error unless a plan is the next of its planner.
func mayAppend(ctx context.Context, tx *sql.Tx, k int64, planner string, p study.Plan) error {
	var leader string
	var until, last, told, planned int64
	var number int
	err := tx.QueryRowContext(ctx, `SELECT planner, until, plans, outcomes, told, planned FROM progress WHERE study = ?`, k).
		Scan(&leader, &until, &number, &last, &told, &planned)
	switch {
	case err != nil:
		return err
	case leader != planner || moment(p.At) >= until || p.Number != number+1:
		return study.ErrNotYours
	case p.Upto < told || p.Known < p.Upto || p.Known > last:
		return fmt.Errorf("sqlite: plan %d tells outcomes up to %d and knows %d, but %d were told and there are %d", p.Number, p.Upto, p.Known, told, last)
	case int64(p.First) != planned:
		return fmt.Errorf("sqlite: plan %d begins with question %d, but %d were planned", p.Number, p.First, planned)
	}
	return stillStand(ctx, tx, k, p)
}

// stillStand returns ErrChanged if an answer that a plan tells was undone after what it knows.
func stillStand(ctx context.Context, tx *sql.Tx, k int64, p study.Plan) error {
	var undone bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM outcomes WHERE study = ? AND number > ? AND undoes IS NOT NULL AND undoes <= ?)`,
		k, p.Known, p.Upto).Scan(&undone)
	if err == nil && undone {
		return study.ErrChanged
	}
	return err
}

// end sets the state of a study that is over with a plan.
func end(ctx context.Context, tx *sql.Tx, k int64, p study.Plan) error {
	st, err := scanStudy(tx.QueryRowContext(ctx, `SELECT body FROM studies WHERE key = ?`, k))
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
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `
		SELECT `+planColumns+` FROM plans WHERE study = ? AND number > ? ORDER BY number LIMIT ?`, k, after, max(limit, 0))
	return collect(rows, err, scanPlan)
}

// Last returns the last plan.
func (s *Store) Last(ctx context.Context, id string) (study.Plan, error) {
	return scanPlan(s.readers.QueryRowContext(ctx, `
		SELECT `+planColumns+` FROM plans JOIN studies ON key = study WHERE id = ? ORDER BY number DESC LIMIT 1`, id))
}

func scanPlan(row scanner) (p study.Plan, err error) {
	var afresh, withdrawn, questions, verdict []byte
	var at int64
	if err := row.Scan(&p.Number, &afresh, &p.Arms, &withdrawn, &p.Upto, &p.Known, &p.First, &questions, &verdict, &p.Done, &at); err != nil {
		return study.Plan{}, found(err)
	}
	p.Verdict, p.At = verdict, fromMoment(at)
	if err := json.Unmarshal(afresh, &p.Afresh); err != nil {
		return study.Plan{}, err
	}
	if err := json.Unmarshal(withdrawn, &p.Withdrawn); err != nil {
		return study.Plan{}, err
	}
	err = json.Unmarshal(questions, &p.Questions)
	return p, err
}

// SaveSnapshot keeps the strategy's state after a plan.
func (s *Store) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		var k int64
		var last int
		err := tx.QueryRowContext(ctx, `SELECT study, plans FROM progress JOIN studies ON key = study WHERE id = ?`, id).Scan(&k, &last)
		if err != nil {
			return found(err)
		}
		if plan > last {
			return fmt.Errorf("sqlite: a snapshot after plan %d, but there are %d", plan, last)
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO snapshots (study, plan, state) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM plans WHERE study = ?1 AND number = ?2)
			ON CONFLICT (study) DO UPDATE SET plan = excluded.plan, state = excluded.state WHERE plan <= excluded.plan`,
			k, plan, present(state))
		return err
	})
}

// Snapshot returns the snapshot kept.
func (s *Store) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	err = s.readers.QueryRowContext(ctx, `
		SELECT plan, snapshots.state FROM snapshots JOIN studies ON key = study WHERE id = ?`, id).Scan(&plan, &state)
	return plan, state, found(err)
}
