package hostile_test

import (
	"context"
	"database/sql"
	"testing"

	_ "modernc.org/sqlite" // the database
)

// A looker looks at a database past the store: whether anybody has written to it.
type looker struct {
	db      *sql.DB
	version int
}

func newLooker(t testing.TB, path string) *looker {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	must(t, err)
	db.SetMaxOpenConns(1) // versions can be compared on one connection only
	l := &looker{db: db}
	l.changed(t)
	return l
}

// changed reports whether anything was written since it was called last.
func (l *looker) changed(t testing.TB) bool {
	t.Helper()
	before := l.version
	must(t, l.db.QueryRowContext(context.WithoutCancel(t.Context()), "PRAGMA data_version").Scan(&l.version))
	return l.version != before
}
