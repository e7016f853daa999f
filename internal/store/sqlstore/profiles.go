package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"bestpick/internal/study"
)

// withProfile runs f with the profile of a respondent in a transaction that has locked the study, which keeps concurrent
// calls from exceeding a quota.
func (s *Store) withProfile(ctx context.Context, id, respondent string,
	f func(tx Querier, k int64, st study.Study, p study.Profile) error,
) error {
	return s.transact(ctx, id, func(tx Querier, k int64) error {
		st, err := s.d.studyForUpdate(ctx, tx, k)
		if err != nil {
			return err
		}
		p, err := profile(ctx, tx, k, respondent)
		if err != nil {
			return err
		}
		return f(tx, k, st, p)
	})
}

// Admit stores answers of a respondent.
func (s *Store) Admit(ctx context.Context, id, respondent string, answers map[string]string) error {
	return s.withProfile(ctx, id, respondent, func(tx Querier, k int64, st study.Study, p study.Profile) error {
		added := map[string]string{}
		maps.Copy(added, p.Answers)
		for _, q := range p.Missing(st.Profile) {
			if answer, is := answers[q.Name]; is {
				added[q.Name] = answer
			}
		}
		p.Answers = added
		return putProfile(ctx, tx, k, p)
	})
}

// putProfile writes a profile.
func putProfile(ctx context.Context, tx Querier, k int64, p study.Profile) error {
	body, err := json.Marshal(p.Answers)
	if err != nil {
		return err
	}
	if p.Consent != "" {
		_, err = tx.Exec(ctx, `INSERT INTO consents (study, hash, text) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			k, study.ConsentID(p.Consent), p.Consent)
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO profiles (study, respondent, answers, consent, agreed) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (study, respondent) DO UPDATE
		SET answers = excluded.answers, consent = excluded.consent, agreed = excluded.agreed`,
		k, p.Respondent, string(body), study.ConsentID(p.Consent), p.Agreed)
	return err
}

// Agree stores the agreement of a respondent.
func (s *Store) Agree(ctx context.Context, id, respondent, text string, at time.Time) error {
	return s.withProfile(ctx, id, respondent, func(tx Querier, k int64, _ study.Study, p study.Profile) error {
		if p.Consent != "" {
			return nil
		}
		p.Consent, p.Agreed = text, at
		return putProfile(ctx, tx, k, p)
	})
}

// Hold reserves a place in each group of a respondent.
func (s *Store) Hold(ctx context.Context, id, respondent string, now, until time.Time) error {
	return s.withProfile(ctx, id, respondent, func(tx Querier, k int64, st study.Study, p study.Profile) error {
		for _, q := range st.ProfileQuestions(false) {
			if _, is := p.Answers[q.Name]; !is || len(q.Choices) == 0 {
				continue
			}
			if err := checkQuota(ctx, tx, k, q, p, now); err != nil {
				return err
			}
			if err := putPlace(ctx, tx, k, q, p, now, until); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkQuota returns ErrQuota if others have all places of a group, and the respondent has none.
func checkQuota(ctx context.Context, tx Querier, k int64, q study.ProfileQuestion, p study.Profile, now time.Time) error {
	quota := q.Quota(p.Answers[q.Name])
	if quota == 0 {
		return nil
	}
	var taken, own int
	err := tx.QueryRow(ctx, `
		SELECT count(*), count(CASE WHEN respondent = $4 THEN 1 END) FROM places
		WHERE study = $1 AND question = $2 AND answer = $3 AND until > $5`,
		k, q.Name, p.Answers[q.Name], p.Respondent, now).Scan(&taken, &own)
	if err == nil && own == 0 && taken >= quota {
		return study.ErrQuota
	}
	return err
}

// putPlace reserves the place of a profile in the group of its answer, or prolongs the reservation.
func putPlace(ctx context.Context, tx Querier, k int64, q study.ProfileQuestion, p study.Profile, now, until time.Time) error {
	if !until.After(now) {
		return nil
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO places (study, question, answer, respondent, until) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (study, respondent, question) DO UPDATE SET until = excluded.until WHERE places.until < excluded.until`,
		k, q.Name, p.Answers[q.Name], p.Respondent, until)
	return err
}

// Groups counts the places of each group.
func (s *Store) Groups(ctx context.Context, id string, now time.Time) ([]study.Group, error) {
	groups, err := list(ctx, s, id, func(row Row) (g study.Group, err error) {
		err = row.Scan(&g.Question, &g.Answer, &g.Answered, &g.Reserved)
		return g, err
	}, `
		SELECT question, answer, count(CASE WHEN until >= $3 THEN 1 END), count(CASE WHEN until < $3 THEN 1 END)
		FROM places WHERE study = `+KeyOf+` AND until > $2 GROUP BY question, answer`, now, study.Kept)
	slices.SortFunc(groups, func(a, b study.Group) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Answer, b.Answer))
	})
	return groups, err
}

// adoptProfiles writes the profiles of an archive. Respondents with an answer keep their places.
func adoptProfiles(ctx context.Context, tx Querier, k int64, w study.Archive) error {
	answered := map[string]bool{}
	for _, o := range w.Outcomes {
		answered[o.Respondent] = answered[o.Respondent] || o.Kind == study.Answered
	}
	for _, p := range w.Profiles {
		if err := putProfile(ctx, tx, k, p); err != nil {
			return err
		}
		for _, q := range w.Study.ProfileQuestions(false) {
			if _, is := p.Answers[q.Name]; !is || len(q.Choices) == 0 || !answered[p.Respondent] {
				continue
			}
			if err := putPlace(ctx, tx, k, q, p, time.Time{}, study.Kept); err != nil {
				return err
			}
		}
	}
	return nil
}

const selectProfiles = `
	SELECT respondent, answers, coalesce(text, ''), agreed
	FROM profiles LEFT JOIN consents ON consents.study = profiles.study AND hash = consent WHERE profiles.study = `

// Profile returns the profile of a respondent.
func (s *Store) Profile(ctx context.Context, id, respondent string) (study.Profile, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Profile{}, err
	}
	return profile(ctx, s.db, k, respondent)
}

func profile(ctx context.Context, q Querier, k int64, respondent string) (study.Profile, error) {
	if !study.IsText(respondent) {
		return study.Profile{Respondent: respondent}, nil
	}
	p, err := scanProfile(q.QueryRow(ctx, selectProfiles+`$1 AND respondent = $2`, k, respondent))
	if errors.Is(err, sql.ErrNoRows) {
		return study.Profile{Respondent: respondent}, nil
	}
	return p, err
}

// Profiles returns profiles in the order of their names.
func (s *Store) Profiles(ctx context.Context, id, after string, limit int) ([]study.Profile, error) {
	return list(ctx, s, id, scanProfile, selectProfiles+KeyOf+` AND respondent > $2 ORDER BY respondent LIMIT $3`,
		after, max(limit, 0))
}

func scanProfile(row Row) (p study.Profile, err error) {
	var body []byte
	if err := row.Scan(&p.Respondent, &body, &p.Consent, &p.Agreed); err != nil {
		return p, err
	}
	p.Agreed = utc(p.Agreed)
	return p, json.Unmarshal(body, &p.Answers)
}

// RemoveProfile deletes the profile of a respondent.
func (s *Store) RemoveProfile(ctx context.Context, id, respondent string) error {
	return s.transact(ctx, id, func(tx Querier, k int64) error {
		if _, err := s.d.studyForUpdate(ctx, tx, k); err != nil {
			return err
		}
		return eraseProfile(ctx, tx, k, respondent)
	})
}

// eraseProfile deletes the profile and the places of a respondent. The caller has locked the study.
func eraseProfile(ctx context.Context, tx Querier, k int64, respondent string) error {
	for _, table := range []string{"profiles", "places"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE study = $1 AND respondent = $2`, k, respondent); err != nil {
			return err
		}
	}
	return nil
}

// ChangePanel replaces a study whose panel has changed.
func (s *Store) ChangePanel(ctx context.Context, st study.Study, version int, change study.PanelChange) (study.Study, error) {
	if err := change.Check(); err != nil {
		return study.Study{}, err
	}
	names, err := json.Marshal(change.Remove)
	if err != nil {
		return study.Study{}, err
	}
	return s.change(ctx, st, version, func(ctx context.Context, tx Querier, k int64) error {
		if len(change.Remove) > 0 {
			if _, err := tx.Exec(ctx, `DELETE FROM members WHERE study = $1 AND name IN (`+s.d.Names+`)`, k, string(names)); err != nil {
				return err
			}
		}
		if len(change.Put) == 0 {
			return nil
		}
		return s.d.PutMembers(ctx, tx, k, change.Put, false)
	})
}

const selectMembers = `SELECT number, name, segment, key, added FROM members WHERE study = `

// Member returns the member whose key has the given hash.
func (s *Store) Member(ctx context.Context, id, hash string) (study.Member, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Member{}, err
	}
	if !study.IsText(hash) {
		return study.Member{}, study.ErrNoMember
	}
	m, err := scanMember(s.db.QueryRow(ctx, selectMembers+`$1 AND hash = $2`, k, hash))
	return m, instead(err, study.ErrNoMember)
}

// MembersNamed returns the members with the given names.
func (s *Store) MembersNamed(ctx context.Context, id string, names []string) ([]study.Member, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return nil, err
	}
	texts := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !study.IsText(name) })
	if len(texts) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query(ctx, selectMembers+`$1 AND name IN (`+s.d.Names+`)`, k, string(list))
	return Collect(rows, err, scanMember)
}

// Members returns members in the order in which they were added.
func (s *Store) Members(ctx context.Context, id string, after int64, limit int) ([]study.Member, error) {
	return list(ctx, s, id, scanMember, selectMembers+KeyOf+` AND number > $2 ORDER BY number LIMIT $3`, after, max(limit, 0))
}

func scanMember(row Row) (m study.Member, err error) {
	err = row.Scan(&m.Number, &m.Name, &m.Segment, &m.Key, &m.Added)
	m.Added = utc(m.Added)
	return m, err
}
