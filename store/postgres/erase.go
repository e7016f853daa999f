package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/store/recording"
	"bestpick/study"
)

// Erase deletes what a respondent has done, and them from the panel.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	err := s.alone(ctx, id, func(tx pgx.Tx, so progress) error {
		st, err := one(ctx, tx, scanStudy, `SELECT body FROM studies WHERE key = $1 FOR UPDATE`, so.study)
		switch {
		case err != nil:
			return err
		case st.Version != p.Version:
			return study.ErrChanged
		case p.Known < p.Upto || p.Known > so.outcomes:
			return fmt.Errorf("postgres: the plan tells outcomes up to %d and knows %d, and there are %d", p.Upto, p.Known, so.outcomes)
		}
		if err := stillStand(ctx, tx, so.study, p); err != nil {
			return err
		}
		if err := erase(ctx, tx, so.study, respondent, p.At); err != nil {
			return err
		}
		if err := begin(ctx, tx, so, &p); err != nil {
			return err
		}
		return replace(ctx, tx, so.study, p.Begin(st))
	})
	if err != nil {
		return study.Plan{}, err
	}
	return p, nil
}

// erase takes everything out of the outcomes of a respondent, and what was computed with them. What took an
// answer of theirs back goes with it, whoever that was.
func erase(ctx context.Context, tx pgx.Tx, k int64, respondent string, at time.Time) error {
	const nothing = `kind = 'erased', shown = 'null', picks = 'null', respondent = '', segment = '', plan = 0, asked = $3, at = $4, undoes = NULL`
	var queries pgx.Batch
	for _, which := range []string{
		`undoes IN (SELECT number FROM outcomes WHERE study = $1 AND respondent = $2)`, `respondent = $2`,
	} {
		queries.Queue(`UPDATE outcomes SET `+nothing+` WHERE study = $1 AND `+which, k, respondent, time.Time{}, at)
	}
	queries.Queue(`DELETE FROM plans WHERE study = $1`, k)
	queries.Queue(`DELETE FROM snapshots WHERE study = $1`, k)
	queries.Queue(`DELETE FROM members WHERE study = $1 AND name = $2`, k, respondent)
	return tx.SendBatch(ctx, &queries).Close()
}

// begin loses the questions that are out, hands out no more of those that were planned, and writes the plan that
// begins afresh.
func begin(ctx context.Context, tx pgx.Tx, so progress, p *study.Plan) error {
	positions, err := all(ctx, tx, pgx.RowTo[study.Position], `SELECT position FROM questions WHERE study = $1 AND NOT stands ORDER BY position`, so.study)
	if err != nil {
		return err
	}
	lost, err := recording.Lose(positions, p.At)
	if err != nil {
		return err
	}
	l := &ledger{study: so.study, last: so.outcomes, told: so.told, questions: map[study.Position]standing{}, changed: map[study.Position]bool{}}
	var o outcomes
	l.addAll(study.NoLimit, lost, &o)
	if err := send(ctx, tx, map[string]*ledger{"": l}, &o); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE progress SET claimed = planned WHERE study = $1`, so.study); err != nil {
		return err
	}
	if p.Afresh == nil {
		return nil
	}
	p.Number, p.First = so.plans+1, study.Position(so.planned)
	return addPlan(ctx, tx, so.study, *p)
}
