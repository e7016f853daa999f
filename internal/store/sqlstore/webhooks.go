package sqlstore

import (
	"context"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// SetWebhook sets the hook of a study.
func (s *Store) SetWebhook(ctx context.Context, h webhook.Hook) error {
	if err := h.Check(); err != nil {
		return err
	}
	if !study.IsText(h.Study) {
		return study.ErrNotFound
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		n, err := tx.Exec(ctx, `
			INSERT INTO webhooks (study, url, secret, delivery, made, state, attempts, first, last, status, problem, next)
			SELECT key, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM studies WHERE id = $12 `+s.d.ForKeyShare+`
			ON CONFLICT (study) DO UPDATE SET url = excluded.url, secret = excluded.secret, delivery = excluded.delivery,
				made = excluded.made,
				state = excluded.state, attempts = excluded.attempts, first = excluded.first, last = excluded.last, status = excluded.status,
				problem = excluded.problem, next = excluded.next`,
			h.URL, h.Secret, h.Delivery, h.Made, string(h.State), h.Attempts, h.First, h.Last, h.Status, h.Problem, h.Next, h.Study)
		return changed(n, err, study.ErrNotFound)
	})
}

const selectWebhooks = `
	SELECT id, url, secret, delivery, made, webhooks.state, attempts, first, last, status, problem, next
	FROM webhooks JOIN studies ON key = study JOIN progress USING (study) `

// Webhook returns the hook of a study.
func (s *Store) Webhook(ctx context.Context, id string) (webhook.Hook, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return webhook.Hook{}, err
	}
	return scanWebhook(s.db.QueryRow(ctx, selectWebhooks+`WHERE key = $1`, k))
}

// RemoveWebhook removes the hook of a study.
func (s *Store) RemoveWebhook(ctx context.Context, id string) error {
	return s.transact(ctx, id, func(tx Querier, k int64) error {
		n, err := tx.Exec(ctx, `DELETE FROM webhooks WHERE study = $1`, k)
		return changed(n, err, webhook.ErrNone)
	})
}

// DueWebhooks returns the hooks that are due.
func (s *Store) DueWebhooks(ctx context.Context, now time.Time, limit int) ([]webhook.Hook, error) {
	rows, err := s.db.Query(ctx, selectWebhooks+`
		WHERE webhooks.state = 'waiting' AND next <= $1 AND progress.state = 'done' ORDER BY next LIMIT $2`, now, limit)
	return Collect(rows, err, scanWebhook)
}

// SaveAttempt writes the result of an attempt.
func (s *Store) SaveAttempt(ctx context.Context, h webhook.Hook) error {
	if err := h.Check(); err != nil {
		return err
	}
	return s.transact(ctx, h.Study, func(tx Querier, k int64) error {
		n, err := tx.Exec(ctx, `
			UPDATE webhooks SET state = $1, attempts = $2, first = $3, last = $4, status = $5, problem = $6, next = $7
			WHERE study = $8 AND delivery = $9 AND state = 'waiting'`,
			string(h.State), h.Attempts, h.First, h.Last, h.Status, h.Problem, h.Next, k, h.Delivery)
		return changed(n, err, webhook.ErrLost)
	})
}

func scanWebhook(row Row) (h webhook.Hook, err error) {
	err = row.Scan(&h.Study, &h.URL, &h.Secret, &h.Delivery, &h.Made, &h.State, &h.Attempts, &h.First, &h.Last,
		&h.Status, &h.Problem, &h.Next)
	h.Made, h.First, h.Last, h.Next = utc(h.Made), utc(h.First), utc(h.Last), utc(h.Next)
	return h, instead(err, webhook.ErrNone)
}

// AddDelivery adds an attempt to the log of a study.
func (s *Store) AddDelivery(ctx context.Context, id string, d webhook.Delivery) error {
	return s.transact(ctx, id, func(tx Querier, k int64) error {
		if err := s.d.lock(ctx, tx, "deliveries"); err != nil {
			return err
		}
		var last int64
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(number), 0) FROM deliveries WHERE study = $1`, k).Scan(&last); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM deliveries WHERE study = $1 AND number <= $2`, k,
			last+1-webhook.MaxDeliveries); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO deliveries (study, number, at, test, status, problem, took)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			k, last+1, d.At, d.Test, d.Status, d.Problem, int64(d.Took))
		return err
	})
}

// Deliveries returns the log of a study.
func (s *Store) Deliveries(ctx context.Context, id string) ([]webhook.Delivery, error) {
	return list(ctx, s, id, func(row Row) (d webhook.Delivery, err error) {
		var took int64
		err = row.Scan(&d.At, &d.Test, &d.Status, &d.Problem, &took)
		d.At, d.Took = utc(d.At), time.Duration(took)
		return d, err
	}, `SELECT at, test, status, problem, took FROM deliveries WHERE study = `+KeyOf+` ORDER BY number DESC`)
}
