package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/study"
)

// maxSkew is how far a lease may end in the future. A later end is that of a clock that was set back since.
const maxSkew = time.Minute

// Attend takes and prolongs the leases of due studies.
func (s *Store) Attend(
	ctx context.Context, planner string, clock func() time.Time, lease time.Duration, limit int, ids []string,
) (pulses []study.Pulse, err error) {
	names, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	if ids == nil { // without a lock, since most often there is nothing to do
		var some bool
		err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM progress WHERE due <= $1)`, clock()).Scan(&some)
		if err != nil || !some {
			return nil, err
		}
	}
	const due = `SELECT study FROM progress WHERE due <= $3 AND `
	err = s.db.TransactLazily(ctx, func(tx Querier) error {
		now := clock()
		mine, free, second := `planner = $1`, `planner <> $1 AND (planner = '' OR until <= $3 OR until > $2)`, any(now.Add(maxSkew))
		if ids != nil {
			among := ` AND study IN (SELECT key FROM studies WHERE id IN (` + s.d.Names + `))`
			mine, free, second = mine+among, `planner = ''`+among, string(names)
		}
		rows, err := tx.Query(ctx, `
			WITH mine AS (`+due+mine+s.d.SkipLocked+`), others AS (`+due+free+` ORDER BY due, until LIMIT $6`+s.d.SkipLocked+`)
			UPDATE progress SET planner = $1, until = $4
			WHERE study IN (SELECT study FROM mine UNION ALL SELECT study FROM others)
			RETURNING (SELECT id FROM studies WHERE key = study), until, version, outcomes, claimed, plans, coalesce(`+s.d.waits()+`, $5)`,
			planner, second, now, now.Add(lease), time.Time{}, max(limit, 0))
		pulses, err = Collect(rows, err, scanPulse)
		return err
	})
	slices.SortFunc(pulses, func(a, b study.Pulse) int { return strings.Compare(a.ID, b.ID) })
	return pulses, err
}

func scanPulse(row Row) (p study.Pulse, err error) {
	err = row.Scan(&p.ID, &p.Until, &p.Version, &p.Outcomes, &p.Claimed, &p.Plans, &p.Waiting)
	p.Until, p.Waiting = utc(p.Until), utc(p.Waiting)
	return p, err
}

// waits selects the earliest claim of a question of a row of progress without a standing outcome.
func (d *Dialect) waits() string {
	return `(SELECT q.claimed FROM questions q WHERE q.study = progress.study AND ` + d.Open + ` AND q.claimed IS NOT NULL
		ORDER BY q.claimed LIMIT 1)`
}

// AcquireLease acquires the lease of a study until a time.
func (s *Store) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (w study.Work, err error) {
	err = s.db.TransactLazily(ctx, func(tx Querier) error {
		w, err = s.d.AcquireLease(ctx, tx, id, planner, now, until)
		return err
	})
	return w, err
}

// maxAlong is the number of uncounted outcomes that are read with the work.
const maxAlong = 64

// AcquireLease acquires the lease of a study in a transaction.
func (d *Dialect) AcquireLease(ctx context.Context, tx Querier, id, planner string, now, until time.Time) (study.Work, error) {
	if !study.IsText(id) {
		return study.Work{}, study.ErrNotFound
	}
	w, err := readWork(ctx, tx, id, `
		UPDATE progress SET planner = $3, until = $4 WHERE study = `+KeyOf+` AND (planner = $3 OR planner = '' OR until <= $5)
		RETURNING (SELECT body FROM studies WHERE key = study), `+d.work(), planner, until, now)
	if !errors.Is(err, study.ErrNotFound) {
		return w, err
	}
	if err := tx.QueryRow(ctx, `SELECT key FROM studies WHERE id = $1`, id).Scan(new(int64)); err != nil {
		return study.Work{}, Found(err)
	}
	return study.Work{}, study.ErrNotYours
}

// Look returns what the planner of a study needs to know.
func (s *Store) Look(ctx context.Context, id string) (study.Work, error) {
	if !study.IsText(id) {
		return study.Work{}, study.ErrNotFound
	}
	return readWork(ctx, s.db, id, `SELECT body, `+s.d.work()+` FROM progress JOIN studies ON key = study WHERE id = $1`)
}

// work is the columns that follow the body of the study in [readWork]. Its second argument stands for no time.
func (d *Dialect) work() string {
	return `outcomes, plans, planned - claimed, coalesce(` + d.waits() + `, $2)`
}

// readWork returns the work of a study, as a query selects it, with the first uncounted outcomes but for imported ones.
func readWork(ctx context.Context, q Querier, id, query string, more ...any) (w study.Work, err error) {
	work := Statement{Query: query, Args: append([]any{id, time.Time{}}, more...), Read: one(func(row Row) error {
		var body []byte
		if err := row.Scan(&body, &w.Outcomes, &w.Plans, &w.Unclaimed, &w.Waiting); err != nil {
			return err
		}
		w.Waiting = utc(w.Waiting)
		return json.Unmarshal(body, &w.Study)
	})}
	uncounted := Statement{
		Query: `SELECT ` + OutcomeColumns + ` FROM outcomes
			WHERE study = ` + KeyOf + ` AND number > (SELECT told FROM progress WHERE study = ` + KeyOf + `) ORDER BY number LIMIT $2`,
		Args: []any{id, maxAlong},
		Read: func(rows Rows) (err error) {
			w.Log, err = Collect(rows, nil, scanOutcome)
			return err
		},
	}
	err = q.Batch(ctx, work, uncounted)
	return w, Found(err)
}

// Release frees the lease of a study.
func (s *Store) Release(ctx context.Context, id, planner string, seen int) error {
	return s.db.TransactLazily(ctx, func(tx Querier) error {
		k, err := keyIn(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE progress SET planner = '', seen = CASE WHEN seen < $3 THEN $3 ELSE seen END,
				over = over OR state = 'done' AND $3 = version, waits = `+s.d.waits()+`
			WHERE study = $1 AND planner = $2`, k, planner, seen)
		return err
	})
}

// Contended replaces ErrBusy by ErrNotYours, so that a planner lets others lead and tries again.
func Contended(err error) error {
	if errors.Is(err, study.ErrBusy) {
		return fmt.Errorf("%w (%w)", study.ErrNotYours, err)
	}
	return err
}

// Append writes a plan with its questions.
func (s *Store) Append(ctx context.Context, id, planner string, p study.Plan) error {
	transact := s.db.Transact
	if p.Done == "" { // where the database loses a plan in a crash, no person was dealt it
		transact = s.db.TransactLazily
	}
	return Contended(transact(ctx, s.d.locked(ctx, id, func(tx Querier, so Progress) error {
		if err := mayAppend(ctx, tx, so, planner, p); err != nil {
			return err
		}
		if err := s.d.addPlan(ctx, tx, so.Study, p); err != nil || p.Done == "" {
			return err
		}
		return s.end(ctx, tx, so.Study, p)
	})))
}

// addPlan writes a plan with a pruned verdict, keeps the complete one as that of the last plan, and updates the
// progress of the study.
func (d *Dialect) addPlan(ctx context.Context, tx Querier, k int64, p study.Plan) error {
	questions, err := json.Marshal(p.Questions)
	if err != nil {
		return err
	}
	changed, err := changes{p.Restart, p.Arms, p.Withdrawn, p.People}.text()
	if err != nil {
		return err
	}
	var wakes any // NULL for never
	if !p.Wakes.IsZero() {
		wakes = p.Wakes
	}
	return tx.Batch(ctx, Statement{
		Query: `INSERT INTO plans (study, number, upto, known, first, changes, questions, verdict, done, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		Args: []any{
			k, p.Number, p.LastCounted, p.LastSeen, p.First, changed, string(questions), string(p.Prune().Verdict), string(p.Done),
			p.At,
		},
	}, Statement{
		Query: `INSERT INTO verdicts (study, plan, verdict) VALUES ($1, $2, $3)
		ON CONFLICT (study) DO UPDATE SET plan = excluded.plan, verdict = excluded.verdict`,
		Args: []any{k, p.Number, string(p.Verdict)},
	}, Statement{
		Query: `UPDATE progress SET plans = $1, told = $2, planned = $3, seen = $4, low = $5, wakes = $6, excluded = $7, waits = ` + d.waits() + `
		WHERE study = $8`,
		Args: []any{p.Number, p.LastCounted, int(p.First) + len(p.Questions), p.Version, p.Low, wakes, p.Excluded(), k},
	})
}

// changes are what few plans change.
type changes struct {
	Restart   *study.Restart `json:"afresh,omitempty"`
	Arms      int            `json:"arms,omitempty"`
	Withdrawn []int          `json:"withdrawn,omitempty"`
	People    []int64        `json:"people,omitempty"`
}

// text returns the changes as JSON, empty if there are none.
func (c changes) text() (string, error) {
	text, err := json.Marshal(c)
	if string(text) == "{}" {
		return "", err
	}
	return string(text), err
}

// mayAppend returns an error if a plan is not the next one of the lease holder.
func mayAppend(ctx context.Context, tx Querier, so Progress, planner string, p study.Plan) error {
	switch {
	case so.Planner != planner || !so.Until.After(p.At) || p.Number != so.Plans+1:
		return study.ErrNotYours
	case p.LastCounted < so.Told || p.LastSeen < p.LastCounted || p.LastSeen > so.Outcomes:
		return fmt.Errorf("store: plan %d counts outcomes up to %d and has seen %d, "+
			"but the last counted is %d and the last recorded %d", p.Number, p.LastCounted, p.LastSeen, so.Told, so.Outcomes)
	case int64(p.First) != so.Planned:
		return fmt.Errorf("store: plan %d must start at the next question, got %d after %d questions", p.Number, p.First, so.Planned)
	}
	if p.LastSeen == so.Outcomes {
		return nil
	}
	return stillStand(ctx, tx, so.Study, p)
}

// stillStand returns ErrChanged if an answer that a plan counts was undone after the outcomes that the planner has seen.
func stillStand(ctx context.Context, tx Querier, k int64, p study.Plan) error {
	var undone bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM outcomes WHERE study = $1 AND number > $2 AND undoes IS NOT NULL AND undoes <= $3)`,
		k, p.LastSeen, p.LastCounted).Scan(&undone)
	if err == nil && undone {
		return study.ErrChanged
	}
	return err
}

// end sets the state of a study that ends with a plan.
func (s *Store) end(ctx context.Context, tx Querier, k int64, p study.Plan) error {
	st, err := s.d.studyForUpdate(ctx, tx, k)
	if err != nil || st.State == study.Done {
		return err
	}
	if st.Version != p.Version {
		return study.ErrChanged
	}
	st.State, st.Reason, st.Changed, st.Ended = study.Done, p.Done, p.At, p.At
	st.Version++
	return replace(ctx, tx, k, st)
}

// selectPlans selects plans, with pruned verdicts but for the last one.
const selectPlans = `
	SELECT number, upto, known, first, changes, questions,
		CASE WHEN verdicts.plan = number THEN verdicts.verdict ELSE plans.verdict END, done, at
	FROM plans JOIN verdicts USING (study) `

// Plans returns plans in order.
func (s *Store) Plans(ctx context.Context, id string, after, limit int) ([]study.Plan, error) {
	return list(ctx, s, id, scanPlan, selectPlans+`WHERE study = `+KeyOf+` AND number > $2 ORDER BY number LIMIT $3`,
		max(after, 0), max(limit, 0))
}

// LastPlan returns the last plan.
func (s *Store) LastPlan(ctx context.Context, id string) (study.Plan, error) {
	return scanPlan(row(ctx, s.db, selectPlans+`
		WHERE study = (SELECT key FROM studies WHERE id = $1) ORDER BY number DESC LIMIT 1`, id))
}

func scanPlan(row Row) (p study.Plan, err error) {
	var changed, verdict []byte
	var questions string
	err = row.Scan(&p.Number, &p.LastCounted, &p.LastSeen, &p.First, &changed, &questions, &verdict, &p.Done, &p.At)
	if err != nil {
		return study.Plan{}, Found(err)
	}
	if p.At = utc(p.At); len(verdict) > 0 {
		p.Verdict = verdict
	}
	if len(changed) > 0 {
		var c changes
		if err := json.Unmarshal(changed, &c); err != nil {
			return p, err
		}
		p.Restart, p.Arms, p.Withdrawn, p.People = c.Restart, c.Arms, c.Withdrawn, c.People
	}
	p.Questions, err = parseQuestions(questions)
	return p, err
}

// parseQuestions is json.Unmarshal of questions, ten times as fast for what json.Marshal writes.
func parseQuestions(text string) (questions [][]int, err error) {
	inner, opened := strings.CutPrefix(text, "[[")
	inner, closed := strings.CutSuffix(inner, "]]")
	for list := range strings.SplitSeq(inner, "],[") {
		question := make([]int, strings.Count(list, ",")+1)
		for i, arm := range strings.Split(list, ",") {
			if question[i], err = strconv.Atoi(arm); !opened || !closed || err != nil { // there are none, or it is other JSON
				questions = nil
				return questions, json.Unmarshal([]byte(text), &questions)
			}
		}
		questions = append(questions, question)
	}
	return questions, nil
}

// SaveSnapshot stores the strategy's state after a plan, unless the plan was erased or a later snapshot is stored.
func (s *Store) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	return s.alone(ctx, id, func(tx Querier, p Progress) error {
		if plan > p.Plans {
			return fmt.Errorf("store: a snapshot must follow a stored plan, got plan %d of %d", plan, p.Plans)
		}
		var exists bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM plans WHERE study = $1 AND number = $2)`, p.Study, plan).Scan(&exists)
		if err != nil || !exists {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO snapshots AS kept (study, plan, state) VALUES ($1, $2, $3)
			ON CONFLICT (study) DO UPDATE SET plan = excluded.plan, state = excluded.state WHERE kept.plan <= excluded.plan`,
			p.Study, plan, present(state))
		return err
	})
}

// Snapshot returns the stored snapshot.
func (s *Store) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	found := row(ctx, s.db, `SELECT plan, snapshots.state FROM snapshots JOIN studies ON key = study WHERE id = $1`, id)
	err = found.Scan(&plan, &state)
	return plan, state, Found(err)
}
