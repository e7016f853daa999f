package postgres

import (
	"strings"
	"testing"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// TestLogIsNoScan: a page of the log is found by an index, for any number of imported outcomes.
func TestLogIsNoScan(t *testing.T) {
	store := openWith(t, server.Database(t), "a")
	for _, fill := range []string{
		`INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, asked, at, plan, note)
		SELECT 1, n, n, 'answered', '[1,2]', '[0]', '', '', now(), now(), 1, '' FROM generate_series(1, 20000) AS n`,
		`INSERT INTO imports (study, after, rows) VALUES (1, 20000, 20000), (1, NULL, 0)`,
		`INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note)
		SELECT key, n, 'imported', '[1,2]', '[0]', '', '', now(), now(), '' FROM imports, generate_series(1, 20000) AS n`,
		`UPDATE progress SET outcomes = 40000`,
		`ANALYZE`,
	} {
		if _, err := store.pool.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
	}
	for _, after := range []int64{100, 19_995, 30_000} {
		rows, err := querier{store.pool}.Query(t.Context(), `EXPLAIN `+dialect.Log, int64(1), after, after+10)
		lines, err := sqlstore.Collect(rows, err, sqlstore.Column[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan on imported") || strings.Contains(plan,
			"Seq Scan on outcomes") {
			t.Error(plan)
		}
		log, err := store.Log(t.Context(), "a", after, 10)
		if err != nil || len(log) != 10 || log[0].Number != after+1 || log[9].Number != after+10 ||
			(log[9].Kind == study.Imported) != (after > 19_000) {
			t.Errorf("after %d: %+v, %v", after, log, err)
		}
	}
}
