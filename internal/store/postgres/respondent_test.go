package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/study"
)

// TestHistoryIsNoScan tests that the outcomes of a respondent are found by an index.
func TestHistoryIsNoScan(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Create(t.Context(), study.Study{ID: "a"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, fill := range []string{
		`INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, asked, at, plan, note)
		SELECT 1, n, n, 'answered', '[1,2]', '[0]', 'respondent ' || n / 10, '', now(), now(), 1, ''
		FROM generate_series(1, 20000) AS n`,
		`INSERT INTO questions (study, position, number, stands) SELECT 1, n, n, true FROM generate_series(1, 20000) AS n`,
	} {
		if _, err := store.pool.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
	}
	noScan(t, store, dialect.History, int64(1), "respondent 77")
	noScan(t, store, dialect.Arrival, int64(1), "respondent 77")
	noScan(t, store, standingQuestions, []int64{1}, []string{"respondent 77"})
	h, err := store.Respondent(t.Context(), "a", "respondent 77")
	if err != nil || h.Questions != 10 || len(h.LastShown) != 2 {
		t.Errorf("%+v, %v", h, err)
	}
}

// noScan reports a query that PostgreSQL would answer by reading whole tables.
func noScan(t *testing.T, store *Store, query string, args ...any) {
	t.Helper()
	rows, err := store.pool.Query(t.Context(), `EXPLAIN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "outcomes_respondent") {
		t.Error(plan)
	}
}
