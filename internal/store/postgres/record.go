package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Record writes outcomes. See [study.Outcomes].
func (s *Store) Record(ctx context.Context, id string, terms study.Terms, outcomes ...study.Outcome) ([]error, error) {
	if !study.IsText(id) {
		return nil, study.ErrNotFound
	}
	return s.outcomes.Record(ctx, id, terms, outcomes...)
}

// write writes the requests of many calls in one transaction. It skips studies that others have locked, unless wait is set.
func (s *Store) write(requests []*sqlstore.Request, wait bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout) // a cancelled caller must not stop the others
	defer cancel()
	patience, waiting := recordTimeout, skipLocked
	if wait {
		patience, waiting = lockTimeout, ""
	}
	err := s.transactWithin(ctx, patience, durable, func(tx pgx.Tx) error {
		logs, err := lock(ctx, tx, requests, waiting)
		if err != nil {
			return err
		}
		if err := stand(ctx, tx, logs, requests); err != nil {
			return err
		}
		if err := counts(ctx, tx, logs, requests); err != nil {
			return err
		}
		var o outcomes
		for _, r := range requests {
			r.Refused, r.Err, r.Locked = nil, nil, false
			if l, exists := logs[r.Study]; !exists {
				r.Err = study.ErrNotFound
			} else if l == nil {
				r.Locked = true
			} else if r.Err = l.CheckVersion(r.Terms); r.Err == nil {
				r.Refused = l.addAll(r.Terms.Each, r.Entries, &o)
			}
		}
		return send(ctx, tx, logs, &o)
	})
	if wait && errors.Is(err, study.ErrBusy) {
		for _, r := range requests {
			r.Refused, r.Err, r.Locked = nil, nil, true
		}
		return nil
	}
	return err
}

// A ledger is the log of a study, with only its end in memory.
type ledger struct {
	sqlstore.Progress

	answers, held int64 // before this transaction

	questions map[study.Position]standing
	changed   map[study.Position]bool
	done      map[string]int // standing questions by respondent, for requests with a limit
}

// newLedger returns the ledger of a locked study.
func newLedger(p sqlstore.Progress) *ledger {
	return &ledger{
		Progress: p, answers: p.Answers, held: p.Held, questions: map[study.Position]standing{}, changed: map[study.Position]bool{},
	}
}

// A standing is the last outcome of a question.
type standing struct {
	number     int64
	kind       study.Kind
	respondent string
	undos      int
}

// skipLocked makes a statement skip rows that other transactions have locked.
const skipLocked = "SKIP LOCKED"

// lock locks the logs of the studies of requests, and returns the existing ones: nil for a study
// that was skipped because it is locked.
func lock(ctx context.Context, tx pgx.Tx, requests []*sqlstore.Request, waiting string) (map[string]*ledger, error) {
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.Study
	}
	rows, err := tx.Query(ctx, `SELECT id, `+sqlstore.ProgressColumns+` FROM progress JOIN studies ON key = study
		WHERE id = ANY ($1) FOR UPDATE OF progress `+waiting, ids)
	if err != nil {
		return nil, err
	}
	logs := map[string]*ledger{}
	var id string
	var p sqlstore.Progress
	_, err = pgx.ForEachRow(rows, append([]any{&id}, p.Fields()...), func() error {
		logs[id] = newLedger(p)
		return nil
	})
	missing := slices.DeleteFunc(ids, func(id string) bool { return logs[id] != nil })
	if err != nil || len(missing) == 0 {
		return logs, err
	}
	if rows, err = tx.Query(ctx, `SELECT id FROM studies WHERE id = ANY ($1)`, missing); err != nil {
		return nil, err
	}
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		logs[id] = nil
		return nil
	})
	return logs, err
}

// stand reads the last outcomes of the questions in requests. The limit keeps PostgreSQL from reading all
// questions to find a few.
func stand(ctx context.Context, tx pgx.Tx, logs map[string]*ledger, requests []*sqlstore.Request) error {
	var studies, positions []int64
	of := map[int64]*ledger{}
	for _, r := range requests {
		l := logs[r.Study]
		if l == nil {
			continue
		}
		of[l.Study] = l
		for _, e := range r.Entries {
			studies, positions = append(studies, l.Study), append(positions, int64(e.Position))
		}
	}
	rows, err := tx.Query(ctx, `
		SELECT study, position, number, kind, respondent, undos
		FROM unnest($1::bigint[], $2::bigint[]) AS asked (study, position), LATERAL (
			SELECT number, kind, respondent, undos FROM questions JOIN outcomes USING (study, number)
			WHERE study = asked.study AND questions.position = asked.position
			LIMIT 1
		) AS last`, studies, positions)
	if err != nil {
		return err
	}
	var key int64
	var position study.Position
	var last standing
	_, err = pgx.ForEachRow(rows, []any{&key, &position, &last.number, &last.kind, &last.respondent, &last.undos}, func() error {
		of[key].questions[position] = last
		return nil
	})
	return err
}

// add appends an outcome to the log, or returns ErrTaken or why the study refuses it. It returns the number of the
// answer that an Undone outcome takes back.
func (l *ledger) add(each int, e sqlstore.Entry) (undoes *int64, err error) {
	was, known := l.questions[e.Position]
	switch {
	case e.Kind == study.Undone:
		if was.kind != study.Answered || was.number <= l.Told || was.undos >= study.MaxUndos {
			return nil, study.ErrTaken
		}
		undoes = &was.number
		was.undos++
	case known && was.kind != study.Undone:
		return nil, study.ErrTaken
	case each != study.NoLimit && limited(e.Kind) && l.done[e.Respondent] >= each:
		return nil, study.ErrEnough
	}
	if err := l.Refuse(e); err != nil {
		return nil, err
	}
	l.note(was, e)
	l.Settle(e.Kind)
	l.questions[e.Position], l.changed[e.Position] = standing{l.Outcomes, e.Kind, e.Respondent, was.undos}, true
	return undoes, nil
}

// addAll appends outcomes to the log. It returns one error per outcome, nil for those it appended.
func (l *ledger) addAll(each int, entries []sqlstore.Entry, o *outcomes) []error {
	refused := make([]error, len(entries))
	for i, e := range entries {
		undoes, err := l.add(each, e)
		if err != nil {
			refused[i] = err
			continue
		}
		o.add(l.Study, l.Outcomes, e, undoes)
	}
	return refused
}

// send writes outcomes, the standing outcomes of questions, and the lengths of the logs.
func send(ctx context.Context, tx pgx.Tx, logs map[string]*ledger, o *outcomes) error {
	if len(o.numbers) == 0 {
		return nil
	}
	var studies, lasts, answers, held, owners, positions, numbers, undos []int64
	var stands []bool
	for _, l := range logs {
		if l == nil {
			continue
		}
		studies, lasts = append(studies, l.Study), append(lasts, l.Outcomes)
		answers, held = append(answers, l.Answers-l.answers), append(held, l.Held-l.held)
		for p := range l.changed {
			owners, positions, numbers = append(owners, l.Study), append(positions, int64(p)), append(numbers, l.questions[p].number)
			stands, undos = append(stands, l.questions[p].kind != study.Undone), append(undos, int64(l.questions[p].undos))
		}
	}
	var queries pgx.Batch
	o.queue(&queries)
	queries.Queue(`
		INSERT INTO questions (study, position, number, stands, undos)
		SELECT study, position, number, stands, undos
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[], $5::bigint[])
			AS new (study, position, number, stands, undos)
		ON CONFLICT (study, position) DO UPDATE SET number = excluded.number, stands = excluded.stands, undos = excluded.undos`,
		owners, positions, numbers, stands, undos)
	queries.Queue(`
		UPDATE progress SET outcomes = last, answers = answers + more, held = held + also
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS new (key, last, more, also) WHERE study = key`,
		studies, lasts, answers, held)
	return tx.SendBatch(ctx, &queries).Close()
}

// outcomes holds outcomes to insert, by column.
type outcomes struct {
	studies, numbers, positions, plans         []int64
	kinds, shown, picks, respondents, segments []string
	notes                                      []string
	asked, at                                  []time.Time
	undoes                                     []*int64
}

// add adds an outcome.
func (o *outcomes) add(study, number int64, e sqlstore.Entry, undoes *int64) {
	o.studies, o.numbers = append(o.studies, study), append(o.numbers, number)
	o.positions, o.plans = append(o.positions, int64(e.Position)), append(o.plans, int64(e.Plan))
	o.kinds, o.shown, o.picks = append(o.kinds, string(e.Kind)), append(o.shown, e.ShownJSON), append(o.picks, e.PicksJSON)
	o.respondents, o.segments = append(o.respondents, e.Respondent), append(o.segments, e.Segment)
	o.notes = append(o.notes, e.NoteJSON)
	o.asked, o.at = append(o.asked, e.Asked), append(o.at, e.At)
	o.undoes = append(o.undoes, undoes)
}

// queue adds the insert to a batch.
func (o *outcomes) queue(queries *pgx.Batch) {
	queries.Queue(`
		INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, note)
		SELECT study, number, position, kind, shown::json, picks::json, respondent, segment, plan, asked, at, undoes, note
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::bigint[], $10::timestamptz[], $11::timestamptz[], $12::bigint[], $13::text[])
		AS new (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, note)`,
		o.studies, o.numbers, o.positions, o.kinds, o.shown, o.picks, o.respondents, o.segments, o.plans, o.asked, o.at,
		o.undoes, o.notes)
}

// counts reads how many standing questions the respondents of requests with a limit have. The
// studies must be locked, which keeps the counts valid until the transaction ends.
func counts(ctx context.Context, tx pgx.Tx, logs map[string]*ledger, requests []*sqlstore.Request) error {
	var studies []int64
	var respondents []string
	of := map[int64]*ledger{}
	for _, r := range requests {
		l := logs[r.Study]
		if l == nil || r.Terms.Each == study.NoLimit {
			continue
		}
		of[l.Study] = l
		for _, e := range r.Entries {
			if _, known := l.done[e.Respondent]; known || !limited(e.Kind) {
				continue
			}
			if l.done == nil {
				l.done = map[string]int{}
			}
			l.done[e.Respondent] = 0
			studies, respondents = append(studies, l.Study), append(respondents, e.Respondent)
		}
	}
	if len(studies) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, standingQuestions, studies, respondents)
	if err != nil {
		return err
	}
	var key int64
	var respondent string
	var questions int
	_, err = pgx.ForEachRow(rows, []any{&key, &respondent, &questions}, func() error {
		of[key].done[respondent] = questions
		return nil
	})
	return err
}

// limited reports whether outcomes of a kind count toward each.
func limited(kind study.Kind) bool { return kind == study.Answered || kind == study.Skipped }

// note updates the counts with an outcome that replaces the previous one of the same question.
func (l *ledger) note(was standing, e sqlstore.Entry) {
	if l.done == nil {
		return
	}
	if limited(e.Kind) {
		l.done[e.Respondent]++
	} else if e.Kind == study.Undone {
		l.done[was.respondent]--
	}
}
