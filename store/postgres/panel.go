package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
)

// ChangePanel replaces a study with a panel that has changed.
func (s *Store) ChangePanel(ctx context.Context, st study.Study, version int, change study.PanelChange) (study.Study, error) {
	if err := change.Check(); err != nil {
		return study.Study{}, err
	}
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	return s.change(ctx, st, version, func(tx pgx.Tx, k int64) error {
		if _, err := tx.Exec(ctx, `DELETE FROM members WHERE study = $1 AND name = ANY ($2)`, k, change.Remove); err != nil {
			return err
		}
		return putMembers(ctx, tx, k, change.Put, `
			INSERT INTO members (study, number, name, segment, key, hash, added)
			SELECT $1, (SELECT coalesce(max(number), 0) FROM members WHERE study = $1) + place, name, segment, key, hash, added
			FROM `+newMembers+`
			ON CONFLICT (study, name) DO UPDATE SET segment = excluded.segment, key = excluded.key, hash = excluded.hash, added = excluded.added`)
	})
}

// adoptMembers writes a panel with the numbers that it had elsewhere.
func adoptMembers(ctx context.Context, tx pgx.Tx, k int64, members []study.Member) error {
	return putMembers(ctx, tx, k, members, `
		INSERT INTO members (study, number, name, segment, key, hash, added)
		SELECT $1, number, name, segment, key, hash, added FROM `+newMembers)
}

// newMembers are the rows of putMembers.
const newMembers = `unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
	WITH ORDINALITY AS new (number, name, segment, key, hash, added, place)`

func putMembers(ctx context.Context, tx pgx.Tx, k int64, members []study.Member, insert string) error {
	if len(members) == 0 {
		return nil
	}
	var numbers []int64
	var names, segments, keys, hashes []string
	var added []time.Time
	for _, m := range members {
		numbers, added = append(numbers, m.Number), append(added, m.Added)
		names, segments = append(names, m.Name), append(segments, m.Segment)
		keys, hashes = append(keys, m.Key), append(hashes, study.HashKey(m.Key))
	}
	_, err := tx.Exec(ctx, insert, k, numbers, names, segments, keys, hashes, added)
	return err
}

// selectMembers reads what scanMember takes.
const selectMembers = `SELECT number, name, segment, key, added FROM members WHERE study = $1 `

// Member returns the member whose key has a hash.
func (s *Store) Member(ctx context.Context, id, hash string) (study.Member, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return study.Member{}, err
	}
	if !isText(hash) {
		return study.Member{}, study.ErrNoMember
	}
	m, err := one(ctx, s.pool, scanMember, selectMembers+`AND hash = $2`, k, hash)
	if errors.Is(err, study.ErrNotFound) {
		err = study.ErrNoMember
	}
	return m, err
}

// MembersNamed returns the members that have one of some names.
func (s *Store) MembersNamed(ctx context.Context, id string, names []string) ([]study.Member, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isText(name) })
	return all(ctx, s.pool, scanMember, selectMembers+`AND name = ANY ($2)`, k, names)
}

// Members returns members in the order in which they were added.
func (s *Store) Members(ctx context.Context, id string, after int64, limit int) ([]study.Member, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return nil, err
	}
	return all(ctx, s.pool, scanMember, selectMembers+`AND number > $2 ORDER BY number LIMIT $3`, k, after, max(limit, 0))
}

func scanMember(row pgx.CollectableRow) (m study.Member, err error) {
	err = row.Scan(&m.Number, &m.Name, &m.Segment, &m.Key, &m.Added)
	m.Added = utc(m.Added)
	return m, err
}
