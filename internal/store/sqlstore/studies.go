package sqlstore

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"bestpick/internal/study"
)

// Create adds a study and its catalogue.
func (s *Store) Create(ctx context.Context, st study.Study, catalogue []byte) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	return s.db.Transact(ctx, func(tx Querier) error {
		_, err := create(ctx, tx, st, catalogue)
		return err
	})
}

// create adds a study and returns its key.
func create(ctx context.Context, tx Querier, st study.Study, catalogue []byte) (key int64, err error) {
	body, err := json.Marshal(st)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `
		INSERT INTO studies (id, version, body) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO NOTHING RETURNING key`, st.ID, st.Version, string(body)).Scan(&key)
	if err != nil {
		return 0, instead(err, study.ErrChanged)
	}
	_, err = tx.Exec(ctx, `INSERT INTO progress (study, version, state, budget, deadline) VALUES ($1, $2, $3, $4, $5)`, key,
		st.Version, string(st.State), st.Settings.Budget, st.Settings.Deadline)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO catalogues (study, bytes) VALUES ($1, $2)`, key, present(catalogue))
	return key, err
}

// Study returns a study.
func (s *Store) Study(ctx context.Context, id string) (study.Study, error) {
	return scanStudy(row(ctx, s.db, `SELECT body FROM studies WHERE id = $1`, id))
}

// studyForUpdate returns a study and locks it.
func (d *Dialect) studyForUpdate(ctx context.Context, tx Querier, k int64) (study.Study, error) {
	return scanStudy(tx.QueryRow(ctx, `SELECT body FROM studies WHERE key = $1 `+d.ForNoKeyUpdate, k))
}

func scanStudy(row Row) (st study.Study, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return st, Found(err)
	}
	err = json.Unmarshal(body, &st)
	return st, err
}

// List returns studies, newest first.
func (s *Store) List(ctx context.Context, before string, limit int) ([]study.Study, error) {
	from := int64(math.MaxInt64)
	if before != "" {
		var err error
		if from, err = s.Key(ctx, before); err != nil {
			return nil, err
		}
	}
	rows, err := s.db.Query(ctx, `SELECT body FROM studies WHERE key < $1 ORDER BY key DESC LIMIT $2`, from, max(limit, 0))
	return Collect(rows, err, scanStudy)
}

// Backlog returns what waits for planners.
func (s *Store) Backlog(ctx context.Context) (b Backlog, err error) {
	err = s.db.QueryRow(ctx, `
		SELECT CAST(coalesce(sum(CASE WHEN state = 'done' THEN outcomes - told END), 0) AS bigint),
			CAST(coalesce(sum(CASE WHEN state = 'done' THEN 0 ELSE outcomes - told END), 0) AS bigint),
			count(CASE WHEN outcomes = told THEN 1 END)
		FROM progress WHERE due < $1`, time.Time{}).Scan(&b.Done, &b.Others, &b.Due)
	return b, err
}

// Change replaces a study if it still has the given version.
func (s *Store) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	return s.change(ctx, st, version, func(ctx context.Context, tx Querier, k int64) error {
		if catalogue == nil {
			return nil
		}
		_, err := tx.Exec(ctx, `UPDATE catalogues SET bytes = $1 WHERE study = $2`, catalogue, k)
		return err
	})
}

// change replaces a study if it still has the given version. It calls more in the same transaction.
func (s *Store) change(ctx context.Context, st study.Study, version int, more func(ctx context.Context, tx Querier,
	k int64) error,
) (study.Study, error) {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	st.Version = version + 1
	err := s.alone(ctx, st.ID, func(tx Querier, p Progress) error {
		var current int
		k := p.Study
		if err := tx.QueryRow(ctx, `SELECT version FROM studies WHERE key = $1 `+s.d.ForNoKeyUpdate, k).Scan(&current); err != nil {
			return Found(err)
		}
		if current != version {
			return study.ErrChanged
		}
		if p.Budget == 0 && st.Settings.Budget > 0 { // hands that were dealt before reserve nothing
			_, err := tx.Exec(ctx, `UPDATE progress SET held = (SELECT count(*) FROM questions WHERE questions.study = $1 AND `+s.d.Open+`
				AND questions.claimed IS NOT NULL) WHERE study = $1`, k)
			if err != nil {
				return err
			}
		}
		if err := replace(ctx, tx, k, st); err != nil {
			return err
		}
		return more(ctx, tx, k)
	})
	if err != nil {
		return study.Study{}, err
	}
	return st, nil
}

// replace writes the body of a study, whose progress the caller has locked.
func replace(ctx context.Context, tx Querier, k int64, st study.Study) error {
	body, err := json.Marshal(st)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE studies SET version = $1, body = $2 WHERE key = $3`, st.Version, string(body), k); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE progress SET over = over AND state = $1 AND outcomes <= told, state = $1, budget = $2, deadline = $3, version = $4
		WHERE study = $5`, string(st.State), st.Settings.Budget, st.Settings.Deadline, st.Version, k)
	return err
}

// Delete removes a study with all its data.
func (s *Store) Delete(ctx context.Context, id string) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	return s.alone(ctx, id, func(tx Querier, p Progress) error {
		_, err := tx.Exec(ctx, `DELETE FROM studies WHERE key = $1`, p.Study)
		return err
	})
}

// DeleteUnchanged removes a study unless its version or its log changed.
func (s *Store) DeleteUnchanged(ctx context.Context, id string, version int, last int64) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	return s.alone(ctx, id, func(tx Querier, p Progress) error {
		if p.Outcomes != last {
			return study.ErrChanged
		}
		n, err := tx.Exec(ctx, `DELETE FROM studies WHERE key = $1 AND version = $2`, p.Study, version)
		return changed(n, err, study.ErrChanged)
	})
}

// Catalogue returns the bytes of the catalogue.
func (s *Store) Catalogue(ctx context.Context, id string) (bytes []byte, err error) {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	err = row(ctx, s.db, `SELECT bytes FROM catalogues JOIN studies ON key = study WHERE id = $1`, id).Scan(&bytes)
	return bytes, Found(err)
}

// Progress is the progress of a study.
type Progress struct {
	Study                            int64 // key of the study
	Outcomes, Told, Planned, Claimed int64
	Plans                            int
	Planner                          string
	Until                            time.Time // when the lease of the planner ends
	Version                          int
	State                            study.State
	Budget                           int64 // 0 for none
	Deadline                         time.Time
	Answers                          int64 // that stand, but for excluded ones: the used part of the budget
	Held                             int64 // claimed and dealt questions without a standing outcome: reservations against the budget
}

// refuse returns why the study takes no answers and deals no questions at a time, nil if it does. A paused study takes answers.
func (p *Progress) refuse(at time.Time, paused bool) error {
	st := study.Study{State: p.State, Settings: study.Settings{Deadline: utc(p.Deadline)}}.AsOf(at)
	if st.State == study.Open || st.State == study.Paused && paused {
		return nil
	}
	return st.NotOpen()
}

// Refuse returns why the log takes no such outcome, nil if it does. It takes lost questions at any time.
func (p *Progress) Refuse(e Entry) error {
	if e.Kind == study.Lost {
		return nil
	}
	if e.Kind == study.Answered && p.Budget > 0 && p.Answers >= p.Budget {
		return study.ErrFull
	}
	return p.refuse(e.At, true)
}

// CheckVersion returns ErrChanged if the study is not the one that a caller relies on.
func (p *Progress) CheckVersion(terms study.Terms) error {
	if terms.Version != 0 && terms.Version != p.Version {
		return study.ErrChanged
	}
	return nil
}

// Settle counts an outcome of a question that was claimed or dealt.
func (p *Progress) Settle(kind study.Kind) {
	p.Outcomes++
	if kind == study.Undone {
		p.Held, p.Answers = p.Held+1, p.Answers-1
		return
	}
	if p.Held = max(0, p.Held-1); kind == study.Answered {
		p.Answers++
	}
}

// reserve returns how many of n questions the study may deal at a time without exceeding its budget.
func (p *Progress) reserve(n int64, at time.Time) (int64, error) {
	err := p.refuse(at, false)
	if left := p.Budget - p.Answers - p.Held; err == nil && p.Budget > 0 {
		if n = min(n, left); left <= 0 {
			err = study.ErrFull
		}
	}
	return n, err
}

// Lock locks a study against other writers of outcomes and plans, and returns its progress.
func (d *Dialect) Lock(ctx context.Context, tx Querier, id string) (Progress, error) {
	var p Progress
	locked := row(ctx, tx, `SELECT `+ProgressColumns+` FROM progress WHERE study = `+KeyOf+` `+d.ForUpdate, id)
	return p, Found(locked.Scan(p.Fields()...))
}

// ProgressColumns are the columns of [Progress.Fields].
const ProgressColumns = `study, outcomes, told, planned, claimed, plans, planner, until, progress.version, state, budget, deadline, answers - excluded, held`

// Fields returns pointers to the fields, in the order of [ProgressColumns].
func (p *Progress) Fields() []any {
	return []any{
		&p.Study, &p.Outcomes, &p.Told, &p.Planned, &p.Claimed, &p.Plans, &p.Planner, &p.Until, &p.Version, &p.State, &p.Budget,
		&p.Deadline, &p.Answers, &p.Held,
	}
}

// alone runs f in a transaction that holds the lock of a study.
func (s *Store) alone(ctx context.Context, id string, f func(tx Querier, p Progress) error) error {
	return s.db.Transact(ctx, s.d.locked(ctx, id, f))
}

// locked returns a function that locks a study in a transaction and calls f.
func (d *Dialect) locked(ctx context.Context, id string, f func(tx Querier, p Progress) error) func(tx Querier) error {
	return func(tx Querier) error {
		p, err := d.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		return f(tx, p)
	}
}

// AddPictures adds pictures to a study.
func (s *Store) AddPictures(ctx context.Context, id string, pictures []study.Picture) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	return s.transact(ctx, id, func(tx Querier, k int64) error { return addPictures(ctx, tx, k, pictures) })
}

// addPictures adds pictures to the study with a key.
func addPictures(ctx context.Context, tx Querier, key int64, pictures []study.Picture) error {
	for _, p := range pictures {
		_, err := tx.Exec(ctx, `
			INSERT INTO pictures (study, hash, type, bytes) VALUES ($1, $2, $3, $4)
			ON CONFLICT (study, hash) DO NOTHING`, key, p.Hash, p.Type, present(p.Bytes))
		if err != nil {
			return err
		}
	}
	return nil
}

// Picture returns a picture of a study.
func (s *Store) Picture(ctx context.Context, id, hash string) (p study.Picture, err error) {
	p.Hash = hash
	found := row(ctx, s.db, `SELECT p.type, p.bytes FROM pictures p JOIN studies s ON s.key = p.study WHERE s.id = $1
		AND p.hash = $2`, id, hash)
	return p, Found(found.Scan(&p.Type, &p.Bytes))
}

// PictureHashes returns the hashes of all pictures of a study, in order.
func (s *Store) PictureHashes(ctx context.Context, id string) ([]string, error) {
	return list(ctx, s, id, Column[string], `SELECT hash FROM pictures WHERE study = `+KeyOf+` ORDER BY hash`)
}
