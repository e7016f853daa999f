package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"             // the driver of SQLite

	"bestpick/internal/store"
)

// A size is that of a table, or of an index.
type size struct {
	name  string
	bytes int64
}

// The sizes of all tables and indexes by name. Those of a partition count for the partitioned one, and a table of
// PostgreSQL includes its oversized values. Free space that later rows can use does not count.
const (
	sqliteSizes   = `SELECT name, sum(pgsize) FROM dbstat GROUP BY name`
	postgresSizes = `
		SELECT coalesce((SELECT relname FROM pg_class WHERE oid = inhparent), relname), sum(pg_table_size(pg_class.oid))::bigint
		FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
		WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace GROUP BY 1`
)

// sizes returns the sizes of all tables and indexes of a database. It removes free space from the files of a PostgreSQL
// database before.
func sizes(ctx context.Context, place string) (all map[string]int64, err error) {
	driver, query := "sqlite", sqliteSizes
	if store.IsPostgres(place) {
		driver, query = "pgx", postgresSizes
	}
	db, err := sql.Open(driver, place)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if driver == "pgx" {
		if _, err := db.ExecContext(ctx, `VACUUM FULL`); err != nil {
			return nil, err
		}
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all = map[string]int64{}
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.name, &s.bytes); err != nil {
			return nil, err
		}
		all[s.name] = s.bytes
	}
	return all, rows.Err()
}

// growth returns by how much tables and indexes have grown, largest first.
func growth(before, after map[string]int64) (grown []size) {
	for name, bytes := range after {
		if more := bytes - before[name]; more != 0 {
			grown = append(grown, size{name, more})
		}
	}
	slices.SortFunc(grown, func(a, b size) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
	})
	return grown
}
