package sqlstore

import (
	"context"
	"encoding/json"
	"slices"

	"bestpick/internal/study"
)

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
