package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/store/recording"
	"bestpick/study"
)

// Erase deletes the outcomes of a respondent, and removes them from the panel. It looks for the outcomes
// before it locks the study: that reads the whole log.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	k, err := s.key(ctx, id)
	if err != nil {
		return study.Plan{}, err
	}
	var theirs traces
	if err := theirs.find(ctx, s.pool, k, respondent); err != nil {
		return study.Plan{}, err
	}
	err = s.alone(ctx, id, func(tx pgx.Tx, so progress) error {
		st, err := one(ctx, tx, scanStudy, `SELECT body FROM studies WHERE key = $1 FOR NO KEY UPDATE`, so.study)
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
		theirs := theirs.clone() // of this attempt
		if err := theirs.find(ctx, tx, so.study, respondent); err != nil {
			return err
		}
		if err := theirs.erase(ctx, tx, so.study, respondent, p.At); err != nil {
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

// traces are where the outcomes of a respondent are.
type traces struct {
	upto            int64   // the part of the log that was looked through
	numbers         []int64 // of outcomes
	imports, places []int64 // of imported ones
}

// clone returns a copy that shares nothing.
func (t traces) clone() traces {
	return traces{t.upto, slices.Clone(t.numbers), slices.Clone(t.imports), slices.Clone(t.places)}
}

// find looks through what was added to the log since it was last called.
func (t *traces) find(ctx context.Context, q querier, k int64, respondent string) error {
	last, err := one(ctx, q, pgx.RowTo[int64], `SELECT outcomes FROM progress WHERE study = $1`, k)
	if err != nil {
		return err
	}
	numbers, err := all(ctx, q, pgx.RowTo[int64], `SELECT number FROM outcomes WHERE study = $1 AND number > $2 AND respondent = $3`, k, t.upto, respondent)
	if err != nil {
		return err
	}
	type place struct{ Import, Place int64 }
	places, err := all(ctx, q, pgx.RowToStructByPos[place], `
		SELECT import, place FROM imports JOIN imported ON import = key
		WHERE study = $1 AND (after IS NULL OR after >= $2) AND respondent = $3`, k, t.upto, respondent)
	if err != nil {
		return err
	}
	t.upto, t.numbers = last, append(t.numbers, numbers...)
	for _, p := range places {
		t.imports, t.places = append(t.imports, p.Import), append(t.places, p.Place)
	}
	return nil
}

// erase deletes everything in the outcomes but their numbers and positions, and what was computed with
// them. Outcomes that took their answers back are erased with them, whoever recorded them.
func (t *traces) erase(ctx context.Context, tx pgx.Tx, k int64, respondent string, at time.Time) error {
	const nothing = `kind = 'erased', shown = 'null', picks = 'null', respondent = '', segment = '', asked = $3, at = $4`
	var queries pgx.Batch
	for _, which := range []string{`undoes`, `number`} {
		queries.Queue(`UPDATE outcomes SET plan = 0, undoes = NULL, `+nothing+` WHERE study = $1 AND `+which+` = ANY ($2)`, k, t.numbers, time.Time{}, at)
	}
	queries.Queue(`
		UPDATE imported SET `+nothing+` FROM unnest($1::bigint[], $2::bigint[]) AS theirs (key, number)
		WHERE import = theirs.key AND place = theirs.number`, t.imports, t.places, time.Time{}, at)
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
