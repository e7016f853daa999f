package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// A request is a call of Record that waits.
type request struct {
	id      string
	entries []entry

	refused []error
	err     error
	done    chan struct{}
}

// An entry is an outcome as it is written.
type entry struct {
	study.Outcome

	shown, picks string
}

// Record writes outcomes.
func (s *Store) Record(ctx context.Context, id string, outcomes ...study.Outcome) ([]error, error) {
	if !isText(id) {
		return nil, study.ErrNotFound
	}
	r := &request{id: id, entries: make([]entry, len(outcomes)), done: make(chan struct{})}
	for i, o := range outcomes {
		var err error
		if r.entries[i], err = newEntry(o); err != nil {
			return nil, err
		}
	}
	if err := s.outcomes.Put(ctx, r); err != nil {
		return nil, err
	}
	select {
	case <-r.done:
		return r.refused, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newEntry(o study.Outcome) (entry, error) {
	if err := o.Check(); err != nil {
		return entry{}, err
	}
	shown, err := json.Marshal(o.Shown)
	if err != nil {
		return entry{}, err
	}
	picks, err := json.Marshal(o.Picks)
	return entry{Outcome: o, shown: string(shown), picks: string(picks)}, err
}

// write writes what many calls wait for in one transaction.
func (s *Store) write(requests []*request) {
	ctx := context.Background() // one who has gone away must not stop the others
	err := s.transact(ctx, func(tx pgx.Tx) error {
		logs, err := lock(ctx, tx, requests)
		if err != nil {
			return err
		}
		if err := stand(ctx, tx, logs, requests); err != nil {
			return err
		}
		var b batch
		for _, r := range requests {
			r.refused, r.err = nil, nil
			if l := logs[r.id]; l == nil {
				r.err = study.ErrNotFound
			} else {
				r.refused = b.add(l, r.entries)
			}
		}
		return b.send(ctx, tx, logs)
	})
	for _, r := range requests {
		if err != nil {
			r.refused, r.err = nil, err
		}
		close(r.done)
	}
}

// A ledger is the log of a study, of which only the end is in memory.
type ledger struct {
	study, last, told int64

	questions map[study.Position]standing
	changed   map[study.Position]bool
}

// A standing is the last outcome of a question.
type standing struct {
	number int64
	kind   study.Kind
}

// lock keeps others from writing to the logs that are asked for, and returns those there are. All
// processes lock studies in the same order, so they do not wait for each other in a circle.
func lock(ctx context.Context, tx pgx.Tx, requests []*request) (map[string]*ledger, error) {
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.id
	}
	rows, err := tx.Query(ctx, `
		SELECT id, study, outcomes, told FROM progress JOIN studies ON key = study
		WHERE id = ANY ($1) ORDER BY study FOR UPDATE OF progress`, ids)
	if err != nil {
		return nil, err
	}
	logs := map[string]*ledger{}
	var id string
	var l ledger
	_, err = pgx.ForEachRow(rows, []any{&id, &l.study, &l.last, &l.told}, func() error {
		logs[id] = &ledger{
			study: l.study, last: l.last, told: l.told,
			questions: map[study.Position]standing{}, changed: map[study.Position]bool{},
		}
		return nil
	})
	return logs, err
}

// stand reads the last outcomes of the questions that are asked for. The limit keeps PostgreSQL from
// reading all questions for the sake of a few.
func stand(ctx context.Context, tx pgx.Tx, logs map[string]*ledger, requests []*request) error {
	var studies, positions []int64
	of := map[int64]*ledger{}
	for _, r := range requests {
		l := logs[r.id]
		if l == nil {
			continue
		}
		of[l.study] = l
		for _, e := range r.entries {
			studies, positions = append(studies, l.study), append(positions, int64(e.Position))
		}
	}
	rows, err := tx.Query(ctx, `
		SELECT study, position, number, kind
		FROM unnest($1::bigint[], $2::bigint[]) AS asked (study, position), LATERAL (
			SELECT number, kind FROM questions JOIN outcomes USING (study, number)
			WHERE study = asked.study AND questions.position = asked.position LIMIT 1
		) AS last`, studies, positions)
	if err != nil {
		return err
	}
	var key int64
	var position study.Position
	var last standing
	_, err = pgx.ForEachRow(rows, []any{&key, &position, &last.number, &last.kind}, func() error {
		of[key].questions[position] = last
		return nil
	})
	return err
}

// add writes an outcome to the log, or returns ErrTaken. It returns the number of the answer that
// the outcome takes back, if it does.
func (l *ledger) add(e entry) (undoes *int64, err error) {
	was, known := l.questions[e.Position]
	switch {
	case e.Kind == study.Undone:
		if was.kind != study.Answered || was.number <= l.told {
			return nil, study.ErrTaken
		}
		undoes = &was.number
	case known && was.kind != study.Undone:
		return nil, study.ErrTaken
	}
	l.last++
	l.questions[e.Position], l.changed[e.Position] = standing{l.last, e.Kind}, true
	return undoes, nil
}

// A batch is the columns of the outcomes to be written.
type batch struct {
	studies, numbers, positions                []int64
	kinds, shown, picks, respondents, segments []string
	asked, at                                  []time.Time
	undoes                                     []*int64
}

// add adds outcomes to the log and to the batch. It returns what to say about each.
func (b *batch) add(l *ledger, entries []entry) []error {
	refused := make([]error, len(entries))
	for i, e := range entries {
		undoes, err := l.add(e)
		if err != nil {
			refused[i] = err
			continue
		}
		b.studies, b.numbers, b.positions = append(b.studies, l.study), append(b.numbers, l.last), append(b.positions, int64(e.Position))
		b.kinds, b.shown, b.picks = append(b.kinds, string(e.Kind)), append(b.shown, e.shown), append(b.picks, e.picks)
		b.respondents, b.segments = append(b.respondents, e.Respondent), append(b.segments, e.Segment)
		b.asked, b.at = append(b.asked, e.Asked), append(b.at, e.At)
		b.undoes = append(b.undoes, undoes)
	}
	return refused
}

// send writes the batch and where the logs are now.
func (b *batch) send(ctx context.Context, tx pgx.Tx, logs map[string]*ledger) error {
	if len(b.numbers) == 0 {
		return nil
	}
	var studies, lasts, owners, positions, numbers []int64
	var stands []bool
	for _, l := range logs {
		studies, lasts = append(studies, l.study), append(lasts, l.last)
		for p := range l.changed {
			owners, positions, numbers = append(owners, l.study), append(positions, int64(p)), append(numbers, l.questions[p].number)
			stands = append(stands, l.questions[p].kind != study.Undone)
		}
	}
	var queries pgx.Batch
	queries.Queue(`
		INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, asked, at, undoes)
		SELECT study, number, position, kind, shown::json, picks::json, respondent, segment, asked, at, undoes
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::timestamptz[], $10::timestamptz[], $11::bigint[])
		AS new (study, number, position, kind, shown, picks, respondent, segment, asked, at, undoes)`,
		b.studies, b.numbers, b.positions, b.kinds, b.shown, b.picks, b.respondents, b.segments, b.asked, b.at, b.undoes)
	queries.Queue(`
		INSERT INTO questions (study, position, number, stands)
		SELECT study, position, number, stands
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) AS new (study, position, number, stands)
		ON CONFLICT (study, position) DO UPDATE SET number = excluded.number, stands = excluded.stands`,
		owners, positions, numbers, stands)
	queries.Queue(`
		UPDATE progress SET outcomes = last FROM unnest($1::bigint[], $2::bigint[]) AS new (key, last) WHERE study = key`,
		studies, lasts)
	return tx.SendBatch(ctx, &queries).Close()
}
