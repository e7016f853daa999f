package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"bestpick/internal/store/sqlstore"
)

// Inspect checks the integrity of a file and reports on its contents. Other processes may use the
// file meanwhile.
func Inspect(ctx context.Context, path string) (sqlstore.Report, error) {
	report, err := inspect(ctx, path, "mode=rw&_pragma=query_only(1)") // a read-write connection removes the log when it closes
	if err != nil {
		return report, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}

func inspect(ctx context.Context, path, mode string) (r sqlstore.Report, err error) {
	file, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	r.Bytes = file.Size()
	db, err := connect(path, mode)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := migrator(db)
	if err != nil {
		return r, err
	}
	r.Newest = sqlstore.Newest(m)
	if err := sound(ctx, db); err != nil {
		return r, err
	}
	r.Sound = true
	tables, err := ours(ctx, db)
	if err != nil || tables == 0 {
		return r, err
	}
	var last sql.NullInt64
	err = db.QueryRowContext(ctx, `
		SELECT
			(SELECT max(version_id) FROM `+sqlstore.VersionTable+` WHERE is_applied),
			(SELECT count(*) FROM studies),
			(SELECT coalesce(sum(outcomes), 0) FROM progress),
			(SELECT max(at) FROM progress AS p JOIN outcomes AS o ON o.study = p.study AND o.number > p.outcomes - 100
				WHERE kind <> 'imported')`).
		Scan(&r.Version, &r.Studies, &r.Outcomes, &last)
	if last.Valid {
		r.Last = fromMoment(last.Int64)
	}
	return r, err
}

// ours returns the number of tables, ErrOld if an earlier version has made them, or ErrForeign if they belong to
// another program.
func ours(ctx context.Context, db *sql.DB) (tables int, err error) {
	const all = 4
	var known, old int
	err = db.QueryRowContext(ctx, `
		SELECT count(*), count(*) FILTER (WHERE name IN ('`+sqlstore.VersionTable+`', 'studies', 'progress', 'outcomes')),
			count(*) FILTER (WHERE name IN ('goose_db_version', 'studies', 'progress', 'outcomes'))
		FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &known, &old)
	switch {
	case err != nil || tables == 0 || known == all:
		return tables, err
	case old == all:
		return tables, sqlstore.ErrOld
	}
	return tables, sqlstore.ErrForeign
}

// sound checks the integrity of the whole file.
func sound(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("the database is damaged: %s", found)
	}
	var lost int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_foreign_key_check`).Scan(&lost)
	if err == nil && lost > 0 {
		err = fmt.Errorf("the database is damaged: %d rows violate a foreign key", lost)
	}
	return err
}

// TryWrite returns an error if the file is not writable. It changes nothing.
func TryWrite(ctx context.Context, path string) (err error) {
	db, err := connect(path, "mode=rw&_txlock=immediate")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `CREATE TABLE doctor (none INTEGER)`)
	return errors.Join(err, tx.Rollback())
}
