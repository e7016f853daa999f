package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"bestpick/store/recording"
	"bestpick/study"
)

// Record writes outcomes.
func (s *Store) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) ([]error, error) {
	return s.outcomes.Record(ctx, id, each, outcomes...)
}

// recordStatements are those that write outcomes.
type recordStatements struct {
	progress, questions, stands, stand, undoable, undo, outcome, count *sql.Stmt
}

func prepareRecord(ctx context.Context, db *sql.DB) (s recordStatements, err error) {
	for query, statement := range map[string]**sql.Stmt{
		`SELECT study, outcomes, told FROM progress JOIN studies ON key = study WHERE id = ?`: &s.progress,
		theirs + standingQuestions: &s.questions,
		`SELECT EXISTS (SELECT 1 FROM questions WHERE study = ? AND position = ? AND stands = 1)`: &s.stands,
		`INSERT INTO questions (study, position, number, stands) VALUES (?, ?, ?, 1)
			ON CONFLICT (study, position) DO UPDATE SET number = excluded.number, stands = 1 WHERE stands = 0`: &s.stand,
		`SELECT number FROM questions JOIN outcomes USING (study, number)
			WHERE study = ? AND questions.position = ? AND kind = 'answered' AND number > ?`: &s.undoable,
		`UPDATE questions SET number = ?, stands = 0 WHERE study = ? AND position = ?`: &s.undo,
		`INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, undoes, began)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
				CASE WHEN ?5 IN ('answered', 'skipped', 'undone') THEN coalesce((SELECT number ` + firstOutcome + `), ?3) END)`: &s.outcome,
		`UPDATE progress SET outcomes = ? WHERE study = ?`: &s.count,
	} {
		if *statement, err = db.PrepareContext(ctx, query); err != nil { //nolint:sqlclosecheck // closed with the database
			return s, err
		}
	}
	return s, nil
}

// write writes the requests of many calls in one transaction. There is one writer, so no study is ever
// locked.
func (s *Store) write(requests []*recording.Request, _ bool) error {
	ctx := context.Background() // a caller that goes away must not stop the others
	return s.recordTo(ctx, func(r *recorder) error {
		for _, request := range requests {
			if err := r.record(request); err != nil {
				return err
			}
		}
		return nil
	})
}

// recordTo writes everything that f adds to logs, or nothing.
func (s *Store) recordTo(ctx context.Context, f func(*recorder) error) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		r := recorder{ctx: ctx, tx: tx, recordStatements: s.record, studies: map[string]*ledger{}}
		if err := f(&r); err != nil {
			return err
		}
		return r.count()
	})
}

// A recorder writes outcomes in a transaction.
type recorder struct {
	recordStatements

	ctx     context.Context //nolint:containedctx // it lives as long as the transaction
	tx      *sql.Tx
	studies map[string]*ledger
}

// exec runs a statement in the transaction, which closes it.
func (r *recorder) exec(statement *sql.Stmt, args ...any) (sql.Result, error) {
	return r.tx.StmtContext(r.ctx, statement).ExecContext(r.ctx, args...) //nolint:sqlclosecheck // see above
}

// row asks for a row in the transaction.
func (r *recorder) row(statement *sql.Stmt, args ...any) *sql.Row {
	return r.tx.StmtContext(r.ctx, statement).QueryRowContext(r.ctx, args...) //nolint:sqlclosecheck // as in exec
}

// A ledger is where the log of a study is.
type ledger struct{ study, last, told int64 }

// record writes the outcomes of a request. An error is one of the whole transaction.
func (r *recorder) record(request *recording.Request) error {
	l, err := r.ledger(request.Study)
	if errors.Is(err, study.ErrNotFound) {
		request.Err = err
		return nil
	} else if err != nil {
		return err
	}
	request.Refused = make([]error, len(request.Entries))
	for i, e := range request.Entries {
		err := r.admit(l, request.Each, e)
		if err == nil {
			err = r.write(l, e)
		}
		if errors.Is(err, study.ErrTaken) || errors.Is(err, study.ErrEnough) {
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
	if err := r.row(r.progress, id).Scan(&l.study, &l.last, &l.told); err != nil {
		return nil, found(err)
	}
	r.studies[id] = l
	return l, nil
}

// write writes what became of a question, or returns ErrTaken.
func (r *recorder) write(l *ledger, e recording.Entry) error {
	number := l.last + 1
	var undoes any
	if e.Kind == study.Undone {
		var answer int64
		err := r.row(r.undoable, l.study, e.Position, l.told).Scan(&answer)
		if errors.Is(err, sql.ErrNoRows) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
		undoes = answer
		if _, err := r.exec(r.undo, number, l.study, e.Position); err != nil {
			return err
		}
	} else {
		err := changed(r.exec(r.stand, l.study, e.Position, number))
		if errors.Is(err, study.ErrNotFound) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
	}
	return r.append(l, e, undoes)
}

// append puts an outcome at the end of the log.
func (r *recorder) append(l *ledger, e recording.Entry, undoes any) error {
	l.last++
	_, err := r.exec(r.outcome, l.study, e.Respondent, l.last, e.Position, string(e.Kind), e.ShownJSON, e.PicksJSON,
		e.Segment, e.Plan, moment(e.Asked), moment(e.At), undoes)
	return err
}

// count writes where the logs are now.
func (r *recorder) count() error {
	for _, l := range r.studies {
		if _, err := r.exec(r.recordStatements.count, l.last, l.study); err != nil {
			return err
		}
	}
	return nil
}
