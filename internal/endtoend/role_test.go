package endtoend

import (
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
)

// TestOwnRole: the SQL statements in docs/operations.md create a role and a database with which
// bestpick runs, and the pool has the size given in the address.
func TestOwnRole(t *testing.T) {
	const pool = 2
	at := postgresDatabase(t)
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(contents(t, "../../docs/operations.md")), -1)
	if len(blocks) != 1 {
		t.Fatalf("docs/operations.md has %d blocks of SQL, want 1", len(blocks))
	}
	db := testsupport.Value(sql.Open("pgx", at.database)).OrFail(t)
	defer db.Close()
	for statement := range strings.Lines(blocks[0][1]) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	address := regexp.MustCompile(`/test\d+\?user=postgres&`).ReplaceAllString(at.database, "/bestpick?user=bestpick&pool_max_conns=2&")
	if address == at.database {
		t.Fatal(at.database)
	}
	s := try(t, databaseAt(address, at.server), 1)
	s.round(func() {
		if all, _ := at.server.Connections(t, address); all < 1 || all > pool+2 { // two listen
			t.Errorf("got %d connections, want at most %d", all, pool+2)
		}
	})
	for _, p := range s.processes {
		p.stop(t)
	}
}
