package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/study"
	"bestpick/webhook"
)

// SetWebhook sets the hook of a study.
func (s *Store) SetWebhook(ctx context.Context, h webhook.Hook) error {
	if err := h.Check(); err != nil {
		return err
	}
	if !isText(h.Study) {
		return study.ErrNotFound
	}
	done, err := s.pool.Exec(ctx, `
		INSERT INTO webhooks (study, url, secret, delivery, made, state, attempts, first, last, status, problem, next)
		SELECT key, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM studies WHERE id = $12 FOR KEY SHARE
		ON CONFLICT (study) DO UPDATE SET url = excluded.url, secret = excluded.secret, delivery = excluded.delivery, made = excluded.made,
			state = excluded.state, attempts = excluded.attempts, first = excluded.first, last = excluded.last, status = excluded.status,
			problem = excluded.problem, next = excluded.next`,
		h.URL, h.Secret, h.Delivery, h.Made, h.State, h.Attempts, h.First, h.Last, h.Status, h.Problem, h.Next, h.Study)
	if err == nil && done.RowsAffected() == 0 {
		return study.ErrNotFound
	}
	return err
}

const webhookColumns = `id, url, secret, delivery, made, webhooks.state, attempts, first, last, status, problem, next`

// Webhook returns the hook of a study.
func (s *Store) Webhook(ctx context.Context, id string) (webhook.Hook, error) {
	k, err := s.key(ctx, id)
	if err != nil {
		return webhook.Hook{}, err
	}
	h, err := one(ctx, s.pool, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks JOIN studies ON key = study WHERE study = $1`, k)
	return h, instead(err, webhook.ErrNone)
}

// RemoveWebhook removes the hook of a study.
func (s *Store) RemoveWebhook(ctx context.Context, id string) error {
	k, err := s.key(ctx, id)
	if err != nil {
		return err
	}
	done, err := s.pool.Exec(ctx, `DELETE FROM webhooks WHERE study = $1`, k)
	if err == nil && done.RowsAffected() == 0 {
		return webhook.ErrNone
	}
	return err
}

// TakeWebhook returns a hook that is due, for this process alone.
func (s *Store) TakeWebhook(ctx context.Context, now, until time.Time) (h webhook.Hook, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		h, err = one(ctx, tx, scanWebhook, `
			SELECT `+webhookColumns+` FROM webhooks JOIN studies ON key = study
			WHERE webhooks.state = 'waiting' AND next <= $1 AND studies.state = 'done' ORDER BY next LIMIT 1 FOR UPDATE OF webhooks SKIP LOCKED`, now)
		if err != nil {
			return instead(err, webhook.ErrNone)
		}
		h.Next = utc(until)
		_, err := tx.Exec(ctx, `UPDATE webhooks SET next = $1 FROM studies WHERE key = study AND id = $2`, until, h.Study)
		return err
	})
	return h, err
}

// FinishWebhook writes what became of a hook that was taken.
func (s *Store) FinishWebhook(ctx context.Context, h webhook.Hook, until time.Time) error {
	if err := h.Check(); err != nil {
		return err
	}
	k, err := s.key(ctx, h.Study)
	if err != nil {
		return err
	}
	done, err := s.pool.Exec(ctx, `
		UPDATE webhooks SET state = $1, attempts = $2, first = $3, last = $4, status = $5, problem = $6, next = $7
		WHERE study = $8 AND delivery = $9 AND next = $10 AND state = 'waiting'`,
		h.State, h.Attempts, h.First, h.Last, h.Status, h.Problem, h.Next, k, h.Delivery, until)
	if err == nil && done.RowsAffected() == 0 {
		return webhook.ErrLost
	}
	return err
}

// instead replaces ErrNotFound.
func instead(err, other error) error {
	if errors.Is(err, study.ErrNotFound) {
		return other
	}
	return err
}

func scanWebhook(row pgx.CollectableRow) (h webhook.Hook, err error) {
	err = row.Scan(&h.Study, &h.URL, &h.Secret, &h.Delivery, &h.Made, &h.State, &h.Attempts, &h.First, &h.Last, &h.Status, &h.Problem, &h.Next)
	h.Made, h.First, h.Last, h.Next = utc(h.Made), utc(h.First), utc(h.Last), utc(h.Next)
	return h, err
}
