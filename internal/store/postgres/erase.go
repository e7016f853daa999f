package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Erase deletes the outcomes of a respondent, and removes the respondent from the panel. It
// searches for the outcomes before it locks the study, because the search reads the whole log.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Plan{}, err
	}
	var theirs traces
	if err := theirs.find(ctx, s.pool, k, respondent); err != nil {
		return study.Plan{}, err
	}
	err = s.alone(ctx, id, func(tx pgx.Tx, so sqlstore.Progress) error {
		theirs := theirs.clone() // for this attempt
		return dialect.Erase(ctx, querier{tx}, so.Study, so.Outcomes, respondent, &p, func() error {
			if err := theirs.find(ctx, tx, so.Study, respondent); err != nil {
				return err
			}
			return theirs.erase(ctx, tx, so.Study, p.At)
		}, func(lost []sqlstore.Entry) error {
			l := newLedger(so)
			var o outcomes
			l.addAll(study.NoLimit, lost, &o)
			return send(ctx, tx, map[string]*ledger{"": l}, &o)
		})
	})
	if err != nil {
		return study.Plan{}, err
	}
	return p, nil
}

// traces are the places of a respondent's outcomes.
type traces struct {
	upto            int64   // the part of the log searched so far
	numbers         []int64 // numbers of outcomes
	imports, places []int64 // places of imported outcomes
}

// clone returns a copy that shares nothing.
func (t *traces) clone() traces {
	return traces{t.upto, slices.Clone(t.numbers), slices.Clone(t.imports), slices.Clone(t.places)}
}

// find searches the part of the log that was added since the last call.
func (t *traces) find(ctx context.Context, q statements, k int64, respondent string) error {
	var last int64
	if err := q.QueryRow(ctx, `SELECT outcomes FROM progress WHERE study = $1`, k).Scan(&last); err != nil {
		return sqlstore.Found(err)
	}
	rows, err := querier{q}.Query(ctx, `SELECT number FROM outcomes WHERE study = $1 AND number > $2
		AND respondent = $3`, k, t.upto, respondent)
	numbers, err := sqlstore.Collect(rows, err, sqlstore.Column[int64])
	if err != nil {
		return err
	}
	type place struct{ Import, Place int64 }
	rows, err = querier{q}.Query(ctx, `
		SELECT import, place FROM imports JOIN imported ON import = key
		WHERE study = $1 AND (after IS NULL OR after >= $2) AND respondent = $3`, k, t.upto, respondent)
	places, err := sqlstore.Collect(rows, err, func(row sqlstore.Row) (p place, err error) {
		err = row.Scan(&p.Import, &p.Place)
		return p, err
	})
	if err != nil {
		return err
	}
	t.upto, t.numbers = last, append(t.numbers, numbers...)
	for _, p := range places {
		t.imports, t.places = append(t.imports, p.Import), append(t.places, p.Place)
	}
	return nil
}

// erase deletes everything in the outcomes except numbers and positions. Outcomes that took the respondent's answers
// back are erased, too.
func (t *traces) erase(ctx context.Context, tx pgx.Tx, k int64, at time.Time) error {
	const nothing = `kind = 'erased', shown = 'null', picks = 'null', respondent = '', segment = '', note = '', asked = $3, at = $4`
	var queries pgx.Batch
	for _, which := range []string{`undoes`, `number`} {
		queries.Queue(`UPDATE outcomes SET plan = 0, undoes = NULL, `+nothing+` WHERE study = $1 AND `+which+` = ANY ($2)`,
			k, t.numbers, time.Time{}, at)
	}
	queries.Queue(`
		UPDATE imported SET `+nothing+` FROM unnest($1::bigint[], $2::bigint[]) AS theirs (key, number)
		WHERE import = theirs.key AND place = theirs.number`, t.imports, t.places, time.Time{}, at)
	return tx.SendBatch(ctx, &queries).Close()
}
