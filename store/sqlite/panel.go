package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"bestpick/study"
)

// ChangePanel replaces a study with a panel that has changed.
func (s *Store) ChangePanel(ctx context.Context, st study.Study, version int, change study.PanelChange) (study.Study, error) {
	if err := change.Check(); err != nil {
		return study.Study{}, err
	}
	return s.change(ctx, st, version, func(tx *sql.Tx, k int64) error {
		for _, name := range change.Remove {
			if _, err := tx.ExecContext(ctx, `DELETE FROM members WHERE study = ? AND name = ?`, k, name); err != nil {
				return err
			}
		}
		return putMembers(ctx, tx, k, change.Put, `
			INSERT INTO members (study, number, name, segment, key, hash, added)
			VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM members WHERE study = ?1), ?3, ?4, ?5, ?6, ?7)
			ON CONFLICT (study, name) DO UPDATE SET segment = ?4, key = ?5, hash = ?6, added = ?7`)
	})
}

// adoptMembers writes a panel with the numbers that it had elsewhere.
func adoptMembers(ctx context.Context, tx *sql.Tx, k int64, members []study.Member) error {
	return putMembers(ctx, tx, k, members, `
		INSERT INTO members (study, number, name, segment, key, hash, added) VALUES (?, ?, ?, ?, ?, ?, ?)`)
}

func putMembers(ctx context.Context, tx *sql.Tx, k int64, members []study.Member, insert string) (err error) {
	if len(members) == 0 {
		return nil
	}
	statement, err := tx.PrepareContext(ctx, insert)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for _, m := range members {
		_, err := statement.ExecContext(ctx, k, m.Number, m.Name, m.Segment, m.Key, study.HashKey(m.Key), moment(m.Added))
		if err != nil {
			return err
		}
	}
	return nil
}

// selectMembers reads what scanMember takes.
const selectMembers = `SELECT number, name, segment, members.key, added FROM members `

// Member returns the member whose key has a hash.
func (s *Store) Member(ctx context.Context, id, hash string) (study.Member, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return study.Member{}, err
	}
	return scanMember(s.readers.QueryRowContext(ctx, selectMembers+`WHERE study = ? AND hash = ?`, k, hash))
}

// MembersNamed returns the members that have one of some names.
func (s *Store) MembersNamed(ctx context.Context, id string, names []string) (members []study.Member, err error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		m, err := scanMember(s.readers.QueryRowContext(ctx, selectMembers+`WHERE study = ? AND name = ?`, k, name))
		if errors.Is(err, study.ErrNoMember) {
			continue
		}
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// Members returns members in the order in which they were added.
func (s *Store) Members(ctx context.Context, id string, after int64, limit int) ([]study.Member, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, selectMembers+`WHERE study = ? AND number > ? ORDER BY number LIMIT ?`, k, after, max(limit, 0))
	return collect(rows, err, scanMember)
}

func scanMember(row scanner) (m study.Member, err error) {
	var added int64
	err = row.Scan(&m.Number, &m.Name, &m.Segment, &m.Key, &added)
	if errors.Is(err, sql.ErrNoRows) {
		return m, study.ErrNoMember
	}
	m.Added = fromMoment(added)
	return m, err
}
