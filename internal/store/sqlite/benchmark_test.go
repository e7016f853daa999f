package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"

	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

func BenchmarkRecord(b *testing.B) { benchmark(b, study.NoLimit) }

// BenchmarkRecordLimited is BenchmarkRecord in a study with a limit of questions per respondent.
func BenchmarkRecordLimited(b *testing.B) { benchmark(b, 20) }

func benchmark(b *testing.B, each int) {
	b.Helper()
	store, err := Open(filepath.Join(b.TempDir(), "studies.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	storetest.Benchmark(b, store, each, func(rows int) error { return insertPlainly(b, store, rows) })
}

// insertPlainly inserts rows into a table like that of outcomes, in successive transactions.
func insertPlainly(b *testing.B, s *Store, rows int) error {
	b.Helper()
	ctx := b.Context()
	_, err := s.writer.ExecContext(ctx, `
		CREATE TABLE plain (
			study INTEGER NOT NULL, number INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL,
			shown TEXT NOT NULL, picks TEXT NOT NULL, respondent TEXT NOT NULL, segment TEXT NOT NULL, plan INTEGER NOT NULL,
			asked INTEGER NOT NULL, at INTEGER NOT NULL, undoes INTEGER, PRIMARY KEY (study, number)
		) WITHOUT ROWID`)
	if err != nil {
		return err
	}
	insert, err := s.writer.PrepareContext(ctx, `INSERT INTO plain
		VALUES (1, ?, ?, 'answered', '[1,2,3]', '[2,0]', 'respondent', 'north', 1, ?, ?, NULL)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for n := 0; n < rows; {
		err := s.transact(ctx, func(tx *sql.Tx) error {
			statement := tx.StmtContext(ctx, insert)
			defer statement.Close()
			for range min(storetest.AtOnce, rows-n) {
				n++
				if _, err := statement.ExecContext(ctx, n, n, n, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	_, err = s.writer.ExecContext(ctx, `DROP TABLE plain`)
	return err
}
