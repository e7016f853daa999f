package sqlite

import (
	"context"

	"bestpick/access"
)

// AddEntry adds what somebody did.
func (s *Store) AddEntry(ctx context.Context, e access.Entry) error {
	if err := e.Check(); err != nil {
		return err
	}
	_, err := s.writer.ExecContext(ctx, `INSERT INTO audit (at, actor, operation, about, detail) VALUES (?, ?, ?, ?, ?)`,
		moment(e.At), e.By, e.Operation, e.Study, e.Detail)
	return err
}

// Entries returns what was done, newest first.
func (s *Store) Entries(ctx context.Context, before int64, limit int) ([]access.Entry, error) {
	rows, err := s.readers.QueryContext(ctx, `
		SELECT number, at, actor, operation, about, detail FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?`, before, max(limit, 0))
	return collect(rows, err, func(row scanner) (e access.Entry, err error) {
		var at int64
		err = row.Scan(&e.Number, &at, &e.By, &e.Operation, &e.Study, &e.Detail)
		e.At = fromMoment(at)
		return e, err
	})
}
