package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bestpick/internal/study"
)

// Adopt writes a study from another store. record writes its outcomes.
func (d *Dialect) Adopt(ctx context.Context, tx Querier, w study.Archive, record func(k int64) error) error {
	k, err := create(ctx, tx, w.Study, w.Catalogue)
	if err != nil {
		return err
	}
	if err := record(k); err != nil {
		return err
	}
	if err := d.PutMembers(ctx, tx, k, w.Members, true); err != nil {
		return err
	}
	if err := addPictures(ctx, tx, k, w.Pictures); err != nil {
		return err
	}
	if err := adoptProfiles(ctx, tx, k, w); err != nil {
		return err
	}
	for _, p := range w.Plans {
		if err := d.addPlan(ctx, tx, k, p); err != nil {
			return err
		}
	}
	for _, name := range w.Batches {
		if _, err := tx.Exec(ctx, `INSERT INTO batches (study, name) VALUES ($1, $2)`, k, name); err != nil {
			return err
		}
	}
	begun := int64(w.Begun())
	for _, o := range w.Outcomes { // questions of hands are never overdue
		if o.Kind != study.Arrived || int64(o.Hand.First) < begun {
			continue
		}
		if err := d.claim(ctx, tx, k, begun, int64(o.Hand.First), time.Unix(0, 0)); err != nil {
			return err
		}
		begun = int64(o.Hand.First) + int64(len(o.Hand.Cards))
	}
	if err := d.claim(ctx, tx, k, begun, int64(w.Claimed), time.Unix(0, 0)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE progress SET over = state = 'done' AND outcomes = told, held = $2 + (
		SELECT count(*) FROM questions WHERE study = $1 AND `+d.Open+` AND questions.claimed IS NOT NULL) WHERE study = $1`, k, unsettled(w.Outcomes))
	if err != nil {
		return err
	}
	return countAnswers(ctx, tx, k)
}

// unsettled returns the number of questions in hands without a standing outcome.
func unsettled(log []study.Outcome) (open int) {
	dealt := map[study.Position]bool{} // to false once settled
	for _, o := range log {
		if o.Kind == study.Arrived {
			for i := range o.Hand.Cards {
				dealt[o.Hand.First+study.Position(i)] = true
			}
		} else if _, is := dealt[o.Position]; is {
			dealt[o.Position] = o.Kind == study.Undone
		}
	}
	for _, is := range dealt {
		if is {
			open++
		}
	}
	return open
}

// countAnswers counts the standing answers of a study anew.
func countAnswers(ctx context.Context, tx Querier, k int64) error {
	_, err := tx.Exec(ctx, `UPDATE progress SET answers =
		(SELECT count(*) FROM questions q JOIN outcomes o ON o.study = q.study AND o.number = q.number
			WHERE q.study = $1 AND kind = 'answered')
		+ (SELECT count(*) FROM outcomes WHERE study = $1 AND kind = 'imported')
		+ (SELECT count(*) FROM imports JOIN imported ON import = key
			WHERE study = $1 AND after IS NOT NULL AND kind = 'imported')
		WHERE study = $1`, k)
	return err
}

// Erase deletes everything of a respondent, records open questions as lost, withholds planned ones, and writes the plan
// that restarts the strategy, if p is one, whose number and first position it sets. The caller has locked the log, which has
// last outcomes. erase deletes the respondent's outcomes, and record writes others.
func (d *Dialect) Erase(ctx context.Context, tx Querier, k, last int64, respondent string, p *study.Plan,
	erase func() error, record func(lost []Entry) error,
) error {
	st, err := d.studyForUpdate(ctx, tx, k)
	switch {
	case err != nil:
		return err
	case st.Version != p.Version:
		return study.ErrChanged
	case p.LastSeen < p.LastCounted || p.LastSeen > last:
		return fmt.Errorf("store: the plan counts outcomes up to %d and has seen %d, but the log has %d",
			p.LastCounted, p.LastSeen, last)
	}
	if err := stillStand(ctx, tx, k, *p); err != nil {
		return err
	}
	arrival, err := d.arrival(ctx, tx, k, respondent)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return err
	}
	if err := erase(); err != nil {
		return err
	}
	if err := countAnswers(ctx, tx, k); err != nil {
		return err
	}
	for _, table := range []string{"plans", "verdicts", "snapshots"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE study = $1`, k); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM members WHERE study = $1 AND name = $2`, k, respondent); err != nil {
		return err
	}
	if err := eraseProfile(ctx, tx, k, respondent); err != nil {
		return err
	}
	lost, err := d.lost(ctx, tx, k, arrival.Hand, p.At)
	if err != nil {
		return err
	}
	if err := record(lost); err != nil {
		return err
	}
	if err := d.restart(ctx, tx, k, p); err != nil {
		return err
	}
	return replace(ctx, tx, k, p.Begin(st))
}

// RemoveNames seals the log of a study, page by page, and deletes what else is known of its people.
func (s *Store) RemoveNames(ctx context.Context, id string, at time.Time) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	for after, next := int64(0), int64(0); after >= 0; after = next {
		err := s.alone(ctx, id, func(tx Querier, p Progress) (err error) {
			next, err = s.seal(ctx, tx, p.Study, after, at)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// seal seals the next outcomes of a study, and returns the number of the last one; −1 when the study has no names any more.
func (s *Store) seal(ctx context.Context, tx Querier, k, after int64, at time.Time) (int64, error) {
	const atOnce = 500
	st, err := s.d.studyForUpdate(ctx, tx, k)
	if err != nil || st.Salt == "" {
		return -1, err
	}
	if st.State != study.Done {
		return 0, study.ErrChanged
	}
	rows, err := tx.Query(ctx, s.d.Log, st.ID, after, after+atOnce)
	log, err := Collect(rows, err, scanOutcome)
	for _, o := range log {
		if err == nil {
			err = rename(ctx, tx, k, o, o.Sealed(st.Salt))
		}
	}
	if err != nil || len(log) > 0 && !st.Unnamed.IsZero() {
		return after + int64(len(log)), err
	}
	st.Version, st.Changed, st.Unnamed = st.Version+1, at, cmp.Or(st.Unnamed, at)
	if len(log) > 0 {
		return after + int64(len(log)), replace(ctx, tx, k, st)
	}
	for _, what := range []string{
		"profiles WHERE", "places WHERE", "members WHERE",
		"networks WHERE", "imports WHERE after IS NULL AND",
	} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+what+` study = $1`, k); err != nil {
			return 0, err
		}
	}
	st.Salt = ""
	return -1, replace(ctx, tx, k, st)
}

// rename replaces the name and the note of an outcome, if they differ. It is recorded or imported.
func rename(ctx context.Context, tx Querier, k int64, o, sealed study.Outcome) error {
	if o.Respondent == sealed.Respondent && o.Note.Removed == sealed.Note.Removed {
		return nil
	}
	e, err := newEntry(sealed)
	if err != nil {
		return err
	}
	const names = ` SET respondent = $3, note = $4 WHERE `
	n, err := tx.Exec(ctx, `UPDATE outcomes`+names+`study = $1 AND number = $2`, k, e.Number, e.Respondent, e.NoteJSON)
	if err == nil && n == 0 {
		_, err = tx.Exec(ctx, `UPDATE imported`+names+`(import, place) = (
			SELECT key, $2 - after FROM imports WHERE study = $1 AND after < $2 AND after + rows >= $2)`, k, e.Number, e.Respondent, e.NoteJSON)
	}
	return err
}

// lost returns entries that settle the claimed questions without a standing outcome, and those of a hand, which may be nil.
// Other hands go on.
func (d *Dialect) lost(ctx context.Context, tx Querier, k int64, hand *study.Hand, at time.Time) (lost []Entry, err error) {
	rows, err := tx.Query(ctx, `SELECT position FROM questions WHERE study = $1 AND `+d.Open+` AND claimed IS NOT NULL`, k)
	open, err := Collect(rows, err, Column[study.Position])
	if err != nil {
		return nil, err
	}
	if hand != nil {
		settled, err := d.settled(ctx, tx, k, *hand)
		if err != nil {
			return nil, err
		}
		for i := range hand.Cards {
			if p := hand.First + study.Position(i); !slices.Contains(settled, p) {
				open = append(open, p)
			}
		}
	}
	slices.Sort(open)
	for _, p := range open {
		e, err := newEntry(study.Outcome{Position: p, Kind: study.Lost, At: at})
		if err != nil {
			return nil, err
		}
		lost = append(lost, e)
	}
	return lost, nil
}

// restart withholds the unclaimed questions of a study, and writes a plan that restarts the strategy.
func (d *Dialect) restart(ctx context.Context, tx Querier, k int64, p *study.Plan) error {
	if _, err := tx.Exec(ctx, `UPDATE progress SET claimed = planned, excluded = 0 WHERE study = $1`, k); err != nil || p.Restart == nil {
		return err
	}
	if err := tx.QueryRow(ctx, `SELECT plans + 1, planned FROM progress WHERE study = $1`, k).Scan(&p.Number, &p.First); err != nil {
		return err
	}
	return d.addPlan(ctx, tx, k, *p)
}
