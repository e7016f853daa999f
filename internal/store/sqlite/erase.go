package sqlite

import (
	"context"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Erase deletes the outcomes of a respondent, and removes the respondent from the panel.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	err := s.recordTo(ctx, func(r *recorder) error {
		l, err := r.ledger(id)
		if err != nil {
			return err
		}
		return dialect.Erase(ctx, querier{r.tx}, l.study, l.last, respondent, &p,
			func() error { return r.erase(l, respondent, p.At) },
			func(lost []sqlstore.Entry) error {
				for _, e := range lost {
					if err := r.write(l, e); err != nil {
						return err
					}
				}
				return nil
			})
	})
	if err != nil {
		return study.Plan{}, err
	}
	s.shorten(ctx)
	return p, nil
}

// erase deletes everything in the outcomes of a respondent except numbers and positions. Outcomes that took the
// respondent's answers back are erased, too.
func (r *recorder) erase(l *ledger, respondent string, at time.Time) error {
	const erased = `kind = 'erased', shown = 'null', picks = 'null', respondent = '', segment = '', note = '', asked = ?3, at = ?4`
	const nothing = erased + `, plan = 0, undoes = NULL, began = NULL`
	for _, statement := range []string{
		`UPDATE outcomes SET ` + nothing + ` WHERE study = ?1 AND undoes IN (SELECT number FROM outcomes WHERE study = ?1
			AND respondent = ?2)`,
		`UPDATE outcomes SET ` + nothing + ` WHERE study = ?1 AND respondent = ?2`,
		`UPDATE imported SET ` + erased + ` WHERE import IN (SELECT key FROM imports WHERE study = ?1) AND respondent = ?2`,
	} {
		if _, err := r.tx.ExecContext(r.ctx, statement, l.study, respondent, moment(time.Time{}), moment(at)); err != nil {
			return err
		}
	}
	return nil
}

// shorten truncates the write-ahead log, which still contains the erased data. That needs a moment
// without readers; if none comes soon, later writes overwrite the log.
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
