package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"bestpick/study"
	"bestpick/webhook"
)

// SetWebhook sets the hook of a study.
func (s *Store) SetWebhook(ctx context.Context, h webhook.Hook) error {
	if err := h.Check(); err != nil {
		return err
	}
	return changed(s.writer.ExecContext(ctx, `
		INSERT OR REPLACE INTO webhooks (study, url, secret, delivery, made, state, attempts, first, last, status, problem, next)
		SELECT key, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM studies WHERE id = ?`,
		h.URL, h.Secret, h.Delivery, moment(h.Made), string(h.State), h.Attempts, moment(h.First), moment(h.Last), h.Status, h.Problem, moment(h.Next), h.Study))
}

const webhookColumns = `id, url, secret, delivery, made, webhooks.state, attempts, first, last, status, problem, next`

// Webhook returns the hook of a study.
func (s *Store) Webhook(ctx context.Context, id string) (webhook.Hook, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return webhook.Hook{}, err
	}
	return scanWebhook(s.readers.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks JOIN studies ON key = study WHERE study = ?`, k))
}

// RemoveWebhook removes the hook of a study.
func (s *Store) RemoveWebhook(ctx context.Context, id string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		k, err := key(ctx, tx, id)
		if err != nil {
			return err
		}
		err = changed(tx.ExecContext(ctx, `DELETE FROM webhooks WHERE study = ?`, k))
		if errors.Is(err, study.ErrNotFound) {
			return webhook.ErrNone
		}
		return err
	})
}

// TakeWebhook returns a hook that is due, for this process alone. Whoever finds none has not kept anybody from writing.
func (s *Store) TakeWebhook(ctx context.Context, now, until time.Time) (h webhook.Hook, err error) {
	const due = `
		SELECT ` + webhookColumns + ` FROM webhooks JOIN studies ON key = study
		WHERE webhooks.state = 'waiting' AND next <= ? AND studies.state = 'done' ORDER BY next LIMIT 1`
	if h, err = scanWebhook(s.readers.QueryRowContext(ctx, due, moment(now))); err != nil {
		return h, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if h, err = scanWebhook(tx.QueryRowContext(ctx, due, moment(now))); err != nil {
			return err
		}
		h.Next = fromMoment(moment(until))
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET next = ? WHERE study = (SELECT key FROM studies WHERE id = ?)`, moment(until), h.Study)
		return err
	})
	return h, err
}

// FinishWebhook writes what became of a hook that was taken.
func (s *Store) FinishWebhook(ctx context.Context, h webhook.Hook, until time.Time) error {
	if err := h.Check(); err != nil {
		return err
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		k, err := key(ctx, tx, h.Study)
		if err != nil {
			return err
		}
		err = changed(tx.ExecContext(ctx, `
			UPDATE webhooks SET state = ?, attempts = ?, first = ?, last = ?, status = ?, problem = ?, next = ?
			WHERE study = ? AND delivery = ? AND next = ? AND state = 'waiting'`,
			string(h.State), h.Attempts, moment(h.First), moment(h.Last), h.Status, h.Problem, moment(h.Next), k, h.Delivery, moment(until)))
		if errors.Is(err, study.ErrNotFound) {
			return webhook.ErrLost
		}
		return err
	})
}

func scanWebhook(row scanner) (h webhook.Hook, err error) {
	var made, first, last, next int64
	err = row.Scan(&h.Study, &h.URL, &h.Secret, &h.Delivery, &made, &h.State, &h.Attempts, &first, &last, &h.Status, &h.Problem, &next)
	if errors.Is(err, sql.ErrNoRows) {
		return h, webhook.ErrNone
	}
	h.Made, h.First, h.Last, h.Next = fromMoment(made), fromMoment(first), fromMoment(last), fromMoment(next)
	return h, err
}
