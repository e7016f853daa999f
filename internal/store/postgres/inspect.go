package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"bestpick/internal/store/sqlstore"
)

// Inspect reports on the contents of a database. It does not upgrade it.
func Inspect(ctx context.Context, url string) (r sqlstore.Report, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if r.Newest, err = newest(conn.Config()); err != nil {
		return r, err
	}
	asked := time.Now()
	var tables int
	var old bool
	if err := conn.QueryRow(ctx, isOld).Scan(&old); err != nil {
		return r, err
	}
	if old {
		return r, sqlstore.ErrOld
	}
	err = conn.QueryRow(ctx, `
		SELECT clock_timestamp(), pg_database_size(current_database()),
			count(to_regclass(name)) FROM unnest(ARRAY['`+sqlstore.VersionTable+`', 'studies', 'progress', 'outcomes']) AS name`).
		Scan(&r.Now, &r.Bytes, &tables)
	if err != nil {
		return r, err
	}
	r.Now = r.Now.Add(time.Since(asked) / 2) // half of the round trip
	switch tables {
	case 0:
		return r, nil
	case 4:
		return r, read(ctx, conn, &r)
	}
	return r, sqlstore.ErrForeign
}

// read reports on the tables.
func read(ctx context.Context, conn *pgx.Conn, r *sqlstore.Report) error {
	var last *time.Time
	err := conn.QueryRow(ctx, `
		SELECT
			(SELECT max(version_id) FROM `+sqlstore.VersionTable+` WHERE is_applied),
			(SELECT count(*) FROM studies),
			(SELECT coalesce(sum(outcomes), 0)::bigint FROM progress),
			(SELECT max(at) FROM progress AS p JOIN outcomes AS o ON o.study = p.study AND o.number > p.outcomes - 100
				WHERE kind <> 'imported')`).
		Scan(&r.Version, &r.Studies, &r.Outcomes, &last)
	if last != nil {
		r.Last = last.UTC()
	}
	return err
}

// newest returns the latest version that this program knows.
func newest(config *pgx.ConnConfig) (version int64, err error) {
	db := stdlib.OpenDB(*config) // connects lazily, so not at all
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := migrator(db)
	if err != nil {
		return 0, err
	}
	return sqlstore.Newest(m), nil
}

// TryWrite returns an error if the database is not writable. It changes nothing.
func TryWrite(ctx context.Context, url string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `CREATE TABLE doctor (none integer)`)
	if err == nil {
		_, err = tx.Exec(ctx, `DO $$ BEGIN IF to_regclass('progress') IS NOT NULL THEN UPDATE progress
			SET outcomes = outcomes WHERE false; END IF; END $$`)
	}
	return errors.Join(err, tx.Rollback(ctx))
}

// channel carries the studies that have work for their planners. A payload has one id per line.
const channel = "bestpick_work"

const maxPayload = 7500 // bytes of a notification; PostgreSQL allows 7,999

// Wake notifies the processes that listen. Commits with a notification exclude each other, so they do not wait for the disk.
func (s *Store) Wake(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		n, bytes := 1, len(ids[0])
		for ; n < len(ids) && bytes+len("\n")+len(ids[n]) <= maxPayload; n++ {
			bytes += len("\n") + len(ids[n])
		}
		err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL synchronous_commit = off"},
			func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `
				SELECT pg_notify($1, string_agg(id, E'\n'))
				FROM studies WHERE id = ANY ($2) HAVING count(*) > 0`, channel, ids[:n])
				return err
			})
		if err != nil {
			return classify(err)
		}
		ids = ids[n:]
	}
	return nil
}

// Listen receives notifications on its own connection.
func (s *Store) Listen(ctx context.Context, woken func(id string)) (err error) {
	config := s.pool.Config().ConnConfig
	config.OnNotification = nil // WaitForNotification returns them
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return classify(err)
	}
	defer func() { err = classify(errors.Join(err, conn.Close(context.WithoutCancel(ctx)))) }()
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return err
	}
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		for id := range strings.SplitSeq(notification.Payload, "\n") {
			woken(id)
		}
	}
}
