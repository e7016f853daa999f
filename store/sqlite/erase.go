package sqlite

import (
	"context"
	"fmt"
	"time"

	"bestpick/store/recording"
	"bestpick/store/sqlstore"
	"bestpick/study"
)

// Erase deletes what a respondent has done, and them from the panel.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	err := s.recordTo(ctx, func(r *recorder) error {
		l, err := r.ledger(id)
		if err != nil {
			return err
		}
		st, err := dialect.StudyForUpdate(ctx, querier{r.tx}, l.study)
		switch {
		case err != nil:
			return err
		case st.Version != p.Version:
			return study.ErrChanged
		case p.Known < p.Upto || p.Known > l.last:
			return fmt.Errorf("sqlite: the plan tells outcomes up to %d and knows %d, and there are %d", p.Upto, p.Known, l.last)
		}
		if err := sqlstore.StillStand(ctx, querier{r.tx}, l.study, p); err != nil {
			return err
		}
		if err := r.erase(l, respondent, p.At); err != nil {
			return err
		}
		if err := r.begin(l, &p); err != nil {
			return err
		}
		return sqlstore.Replace(ctx, querier{r.tx}, l.study, p.Begin(st))
	})
	if err != nil {
		return study.Plan{}, err
	}
	s.shorten(ctx)
	return p, nil
}

// erase deletes everything in the outcomes of a respondent but their numbers and positions, and what was
// computed with them. Outcomes that took their answers back are erased with them, whoever recorded them.
func (r *recorder) erase(l *ledger, respondent string, at time.Time) error {
	const erased = `kind = 'erased', shown = 'null', picks = 'null', respondent = '', segment = '', asked = ?3, at = ?4`
	const nothing = erased + `, plan = 0, undoes = NULL, began = NULL`
	for _, statement := range []string{
		`UPDATE outcomes SET ` + nothing + ` WHERE study = ?1 AND undoes IN (SELECT number FROM outcomes WHERE study = ?1 AND respondent = ?2)`,
		`UPDATE outcomes SET ` + nothing + ` WHERE study = ?1 AND respondent = ?2`,
		`UPDATE imported SET ` + erased + ` WHERE import IN (SELECT key FROM imports WHERE study = ?1) AND respondent = ?2`,
		`DELETE FROM plans WHERE study = ?1`,
		`DELETE FROM snapshots WHERE study = ?1`,
		`DELETE FROM members WHERE study = ?1 AND name = ?2`,
	} {
		if _, err := r.tx.ExecContext(r.ctx, statement, l.study, respondent, moment(time.Time{}), moment(at)); err != nil {
			return err
		}
	}
	return nil
}

// begin loses the questions that are out, hands out no more of those that were planned, and writes the plan that
// begins afresh.
func (r *recorder) begin(l *ledger, p *study.Plan) error {
	positions, err := dialect.OpenQuestions(r.ctx, querier{r.tx}, l.study)
	if err != nil {
		return err
	}
	lost, err := recording.Lose(positions, p.At)
	if err != nil {
		return err
	}
	for _, e := range lost {
		if err := r.write(l, e); err != nil {
			return err
		}
	}
	if _, err := r.tx.ExecContext(r.ctx, `UPDATE progress SET claimed = planned WHERE study = ?`, l.study); err != nil {
		return err
	}
	if p.Afresh == nil {
		return nil
	}
	err = r.tx.QueryRowContext(r.ctx, `SELECT plans + 1, planned FROM progress WHERE study = ?`, l.study).Scan(&p.Number, &p.First)
	if err != nil {
		return err
	}
	return sqlstore.AddPlan(r.ctx, querier{r.tx}, l.study, *p)
}

// shorten empties the write-ahead log, which has what was erased. That takes a moment in which nobody reads, for which
// others wait; if none comes soon the log is left to be overwritten as it is used.
func (s *Store) shorten(ctx context.Context) {
	db, err := connect(s.path, "mode=rw&_pragma=busy_timeout(50)")
	if err != nil {
		return
	}
	defer func() { _ = db.Close() }()
	for range 5 {
		var busy, pages, written int
		if db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &written) != nil || busy == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
