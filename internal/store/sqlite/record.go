package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Record writes outcomes. See [study.Outcomes].
func (s *Store) Record(ctx context.Context, id string, terms study.Terms, outcomes ...study.Outcome) ([]error, error) {
	return s.outcomes.Record(ctx, id, terms, outcomes...)
}

// The statements that write outcomes.
const (
	selectProgress = `SELECT ` + sqlstore.ProgressColumns + ` FROM progress JOIN studies ON key = study WHERE id = $1`
	countQuestions = theirs + standingQuestions
	selectStands   = `SELECT EXISTS (SELECT 1 FROM questions WHERE study = $1 AND position = $2 AND stands = 1)`
	stand          = `
		INSERT INTO questions (study, position, number, stands) VALUES ($1, $2, $3, 1)
		ON CONFLICT (study, position) DO UPDATE SET number = excluded.number, stands = 1 WHERE stands = 0`
	selectUndoable = `
		SELECT number FROM questions JOIN outcomes USING (study, number)
		WHERE study = $1 AND questions.position = $2 AND kind = 'answered' AND number > $3 AND undos < $4`
	undo          = `UPDATE questions SET number = $1, stands = 0, undos = undos + 1 WHERE study = $2 AND position = $3`
	insertOutcome = `
		INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, note, undoes, began)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
			CASE WHEN $5 IN ('answered', 'skipped', 'undone', 'arrived') THEN coalesce((SELECT number ` + firstOutcome + `), $3) END)`
	updateProgress = `UPDATE progress SET outcomes = $1, answers = answers + $2, held = held + $3 WHERE study = $4`
)

// write writes the requests of many calls in one transaction. There is one writer, so no study is ever locked.
func (s *Store) write(requests []*sqlstore.Request, _ bool) error {
	ctx := context.Background() // a cancelled caller must not stop the others
	return s.recordTo(ctx, func(r *recorder) error {
		for _, request := range requests {
			if err := r.record(request); err != nil {
				return err
			}
		}
		return nil
	})
}

// recordTo runs f, which appends to logs, in a transaction. It is atomic.
func (s *Store) recordTo(ctx context.Context, f func(*recorder) error) error {
	return s.transact(ctx, func(tx *transaction) error {
		r := recorder{ctx: ctx, tx: tx, studies: map[string]*ledger{}}
		if err := f(&r); err != nil {
			return err
		}
		return r.count()
	})
}

// A recorder writes outcomes in a transaction.
type recorder struct {
	ctx     context.Context //nolint:containedctx // it lives as long as the transaction
	tx      *transaction
	studies map[string]*ledger
}

func (r *recorder) exec(statement string, args ...any) (sql.Result, error) {
	return r.tx.ExecContext(r.ctx, statement, args...)
}

func (r *recorder) row(query string, args ...any) *sql.Row {
	return r.tx.QueryRowContext(r.ctx, query, args...)
}

// A ledger is the end of the log of a study.
type ledger struct {
	sqlstore.Progress

	outcomes, answers, held int64 // before this transaction
}

// record writes the outcomes of a request. An error fails the whole transaction.
func (r *recorder) record(request *sqlstore.Request) error {
	l, err := r.ledger(request.Study)
	if err == nil {
		err = l.CheckVersion(request.Terms)
	}
	if errors.Is(err, study.ErrNotFound) || errors.Is(err, study.ErrChanged) {
		request.Err = err
		return nil
	} else if err != nil {
		return err
	}
	request.Refused = make([]error, len(request.Entries))
	for i, e := range request.Entries {
		err := r.admit(l, request.Terms.Each, e)
		if err == nil {
			err = r.write(l, e)
		}
		if refusal := (*refusal)(nil); errors.As(err, &refusal) {
			request.Refused[i] = refusal.error
		} else if errors.Is(err, study.ErrTaken) {
			request.Refused[i] = err
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) ledger(id string) (*ledger, error) {
	if l, known := r.studies[id]; known {
		return l, nil
	}
	l := &ledger{}
	if err := r.row(selectProgress, id).Scan(scanMoments(l.Fields())...); err != nil {
		return nil, sqlstore.Found(err)
	}
	l.outcomes, l.answers, l.held = l.Outcomes, l.Answers, l.Held
	r.studies[id] = l
	return l, nil
}

// write writes the outcome of a question, or returns ErrTaken.
func (r *recorder) write(l *ledger, e sqlstore.Entry) error {
	number := l.Outcomes + 1
	var undoes any
	if e.Kind == study.Undone {
		var answer int64
		err := r.row(selectUndoable, l.Study, e.Position, l.Told, study.MaxUndos).Scan(&answer)
		if errors.Is(err, sql.ErrNoRows) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
		undoes = answer
		if _, err := r.exec(undo, number, l.Study, e.Position); err != nil {
			return err
		}
	} else {
		err := changed(r.exec(stand, l.Study, e.Position, number))
		if errors.Is(err, study.ErrNotFound) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
	}
	l.Settle(e.Kind)
	return r.append(l, e, undoes)
}

// append writes the outcome with the last number to the log.
func (r *recorder) append(l *ledger, e sqlstore.Entry, undoes any) error {
	_, err := r.exec(insertOutcome, l.Study, e.Respondent, l.Outcomes, e.Position, string(e.Kind), e.ShownJSON, e.PicksJSON,
		e.Segment, e.Plan, moment(e.Asked), moment(e.At), e.NoteJSON, undoes)
	return err
}

// count writes the counters of the studies that have new outcomes.
func (r *recorder) count() error {
	for _, l := range r.studies {
		if l.Outcomes == l.outcomes {
			continue
		}
		if _, err := r.exec(updateProgress, l.Outcomes, l.Answers-l.answers, l.Held-l.held, l.Study); err != nil {
			return err
		}
	}
	clear(r.studies)
	return nil
}

// A refusal is an error of one outcome, which does not fail the transaction.
type refusal struct{ error }

// admit returns nil if the study takes an outcome, and its respondent with a limit of each questions may have another. It
// returns ErrTaken rather than a refusal if the question has a standing outcome, so that answers can be repeated. The
// counts include earlier writes of the transaction.
func (r *recorder) admit(l *ledger, each int, e sqlstore.Entry) error {
	refused := l.Refuse(e)
	if refused == nil && each != study.NoLimit && (e.Kind == study.Answered || e.Kind == study.Skipped) {
		var questions int
		if err := r.row(countQuestions, l.Study, e.Respondent).Scan(&questions); err != nil {
			return err
		}
		if questions >= each {
			refused = study.ErrEnough
		}
	}
	if refused == nil {
		return nil
	}
	var stands bool
	if err := r.row(selectStands, l.Study, e.Position).Scan(&stands); err != nil {
		return err
	}
	if stands {
		return study.ErrTaken
	}
	return &refusal{refused}
}

// Erase deletes the outcomes of a respondent, and removes the respondent from the panel.
func (s *Store) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	err := s.recordTo(ctx, func(r *recorder) error {
		l, err := r.ledger(id)
		if err != nil {
			return err
		}
		return dialect.Erase(ctx, querier{r.tx}, l.Study, l.Outcomes, respondent, &p,
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
		if _, err := r.exec(statement, l.Study, respondent, moment(time.Time{}), moment(at)); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a study, also from the write-ahead log.
func (s *Store) Delete(ctx context.Context, id string) error {
	err := s.Store.Delete(ctx, id)
	if err == nil {
		s.shorten(ctx)
	}
	return err
}

// DeleteUnchanged removes a study that was moved, like Delete.
func (s *Store) DeleteUnchanged(ctx context.Context, id string, version int, last int64) error {
	err := s.Store.DeleteUnchanged(ctx, id, version, last)
	if err == nil {
		s.shorten(ctx)
	}
	return err
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
