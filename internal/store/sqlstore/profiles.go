package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"bestpick/internal/study"
)

// Admit stores answers of a respondent, unless a quota is full. The lock of the study keeps concurrent calls from
// exceeding a quota.
func (s *Store) Admit(ctx context.Context, id, respondent string, answers map[string]string) error {
	refused := false
	err := s.transact(ctx, id, func(tx Querier, k int64) error {
		st, err := s.d.studyForUpdate(ctx, tx, k)
		if err != nil {
			return err
		}
		p, err := profile(ctx, tx, k, respondent)
		if err != nil {
			return err
		}
		added := study.Profile{Respondent: respondent, Answers: map[string]string{}, Refused: p.Refused}
		for _, q := range p.Missing(st.Profile) {
			answer, is := answers[q.Name]
			if !is {
				continue
			}
			added.Answers[q.Name] = answer
			full, err := isFull(ctx, tx, k, q, answer)
			if err != nil {
				return err
			}
			added.Refused = added.Refused || full
		}
		if refused = added.Refused; p.Refused {
			return nil
		}
		return addProfile(ctx, tx, k, p, added)
	})
	if err == nil && refused {
		return study.ErrQuota
	}
	return err
}

// isFull reports whether the quota of an answer is full.
func isFull(ctx context.Context, tx Querier, k int64, q study.ProfileQuestion, answer string) (bool, error) {
	quota := q.Quota(answer)
	if quota == 0 {
		return false, nil
	}
	var count int
	err := tx.QueryRow(ctx, `SELECT respondents FROM profile_counts WHERE study = $1 AND question = $2 AND answer = $3`,
		k, q.Name, answer).Scan(&count)
	return count >= quota, instead(err, nil)
}

// addProfile adds answers to the profile of a respondent, and counts them unless the respondent is refused.
func addProfile(ctx context.Context, tx Querier, k int64, before, added study.Profile) error {
	all := map[string]string{}
	for _, p := range []study.Profile{before, added} {
		maps.Copy(all, p.Answers)
	}
	body, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO profiles (study, respondent, refused, answers) VALUES ($1, $2, $3, $4)
		ON CONFLICT (study, respondent) DO UPDATE SET refused = excluded.refused, answers = excluded.answers`,
		k, added.Respondent, added.Refused, string(body))
	if err != nil || added.Refused {
		return err
	}
	return countProfile(ctx, tx, k, added.Answers, 1)
}

// countProfile adds to the number of respondents with each answer.
func countProfile(ctx context.Context, tx Querier, k int64, answers map[string]string, step int) error {
	for question, answer := range answers {
		_, err := tx.Exec(ctx, `
			INSERT INTO profile_counts (study, question, answer, respondents) VALUES ($1, $2, $3, $4)
			ON CONFLICT (study, question, answer) DO UPDATE SET respondents = profile_counts.respondents + excluded.respondents`,
			k, question, answer, step)
		if err != nil {
			return err
		}
	}
	return nil
}

const selectProfiles = `SELECT respondent, refused, answers FROM profiles WHERE study = $1 `

// Profile returns the profile of a respondent.
func (s *Store) Profile(ctx context.Context, id, respondent string) (study.Profile, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Profile{}, err
	}
	return profile(ctx, s.db, k, respondent)
}

func profile(ctx context.Context, q Querier, k int64, respondent string) (study.Profile, error) {
	if !IsText(respondent) {
		return study.Profile{Respondent: respondent}, nil
	}
	p, err := scanProfile(q.QueryRow(ctx, selectProfiles+`AND respondent = $2`, k, respondent))
	if errors.Is(err, sql.ErrNoRows) {
		return study.Profile{Respondent: respondent}, nil
	}
	return p, err
}

// Profiles returns profiles in the order of their names.
func (s *Store) Profiles(ctx context.Context, id, after string, limit int) ([]study.Profile, error) {
	return list(ctx, s, id, scanProfile, selectProfiles+`AND respondent > $2 ORDER BY respondent LIMIT $3`, after, max(limit, 0))
}

func scanProfile(row Row) (p study.Profile, err error) {
	var body []byte
	if err := row.Scan(&p.Respondent, &p.Refused, &body); err != nil {
		return p, err
	}
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

// eraseProfile deletes the profile of a respondent, who no longer counts for quotas. The caller has locked the study.
func eraseProfile(ctx context.Context, tx Querier, k int64, respondent string) error {
	p, err := profile(ctx, tx, k, respondent)
	if err != nil {
		return err
	}
	if !p.Refused {
		if err := countProfile(ctx, tx, k, p.Answers, -1); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM profiles WHERE study = $1 AND respondent = $2`, k, respondent)
	return err
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

const selectMembers = `SELECT number, name, segment, key, added FROM members WHERE study = $1 `

// Member returns the member whose key has the given hash.
func (s *Store) Member(ctx context.Context, id, hash string) (study.Member, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Member{}, err
	}
	if !IsText(hash) {
		return study.Member{}, study.ErrNoMember
	}
	m, err := scanMember(s.db.QueryRow(ctx, selectMembers+`AND hash = $2`, k, hash))
	return m, instead(err, study.ErrNoMember)
}

// MembersNamed returns the members with the given names.
func (s *Store) MembersNamed(ctx context.Context, id string, names []string) ([]study.Member, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return nil, err
	}
	texts := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !IsText(name) })
	if len(texts) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query(ctx, selectMembers+`AND name IN (`+s.d.Names+`)`, k, string(list))
	return Collect(rows, err, scanMember)
}

// Members returns members in the order in which they were added.
func (s *Store) Members(ctx context.Context, id string, after int64, limit int) ([]study.Member, error) {
	return list(ctx, s, id, scanMember, selectMembers+`AND number > $2 ORDER BY number LIMIT $3`, after, max(limit, 0))
}

func scanMember(row Row) (m study.Member, err error) {
	err = row.Scan(&m.Number, &m.Name, &m.Segment, &m.Key, &m.Added)
	m.Added = utc(m.Added)
	return m, err
}
