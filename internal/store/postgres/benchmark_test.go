package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

func BenchmarkRecord(b *testing.B) { benchmark(b, study.NoLimit) }

// BenchmarkRecordLimited is BenchmarkRecord in a study with a limit of questions per respondent.
func BenchmarkRecordLimited(b *testing.B) { benchmark(b, 20) }

func benchmark(b *testing.B, each int) {
	b.Helper()
	store, err := Open(b.Context(), server.Database(b))
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
	_, err := s.pool.Exec(ctx, `
		CREATE TABLE plain (
			study bigint NOT NULL, number bigint NOT NULL, position bigint NOT NULL, kind text NOT NULL,
			shown json NOT NULL, picks json NOT NULL, respondent text NOT NULL, segment text NOT NULL, plan bigint NOT NULL,
			asked timestamptz NOT NULL, at timestamptz NOT NULL, undoes bigint, PRIMARY KEY (study, number)
		)`)
	if err != nil {
		return err
	}
	at := time.Unix(0, 0)
	for n := 0; n < rows; {
		var inserts pgx.Batch
		for range min(storetest.AtOnce, rows-n) {
			n++
			inserts.Queue(`INSERT INTO plain VALUES (1, $1, $2, 'answered', '[1,2,3]', '[2,0]', 'respondent', 'north', 1, $3,
				$4, NULL)`, n, n, at, at)
		}
		err := s.transact(ctx, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &inserts).Close() })
		if err != nil {
			return err
		}
	}
	_, err = s.pool.Exec(ctx, `DROP TABLE plain`)
	return err
}
