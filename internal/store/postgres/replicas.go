package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
)

// channel carries the studies that have work for their planners. A payload has one line per study: shard and id.
const channel = "bestpick_work"

const (
	maxPayload = 7500           // bytes of a notification; PostgreSQL allows 7,999
	besidesID  = len("1023 \n") // bytes of a line
)

// Wake notifies the processes that listen. Commits with a notification exclude each other, so they do not wait for the disk.
func (s *Store) Wake(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		n, bytes := 1, len(ids[0])+besidesID
		for ; n < len(ids) && bytes <= maxPayload-len(ids[n])-besidesID; n++ {
			bytes += len(ids[n]) + besidesID
		}
		err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL synchronous_commit = off"},
			func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `
				SELECT pg_notify($1, string_agg(`+sqlstore.Shard+` || ' ' || id, E'\n'))
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
func (s *Store) Listen(ctx context.Context, woken func(id string, shard int)) (err error) {
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
		for line := range strings.Lines(notification.Payload) {
			shard, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if number, err := strconv.Atoi(shard); err == nil { // other programs may use the channel
				woken(id, number)
			}
		}
	}
}
