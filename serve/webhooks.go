package serve

import (
	"context"
	"log/slog"

	"bestpick/internal/api"
	"bestpick/internal/metrics"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// webhooks returns the sender of webhooks. It logs neither their secrets nor their addresses, which may be secret.
func (s *Service) webhooks(ctx context.Context) *webhook.Sender {
	return webhook.NewSender(webhook.Options{
		Store: s.store, Private: s.PrivateWebhooks,
		Notice: func(ctx context.Context, id string) (wire.Notice, bool, error) { return api.Notice(ctx, s.studies, id) },
		Observe: func(h webhook.Hook, err error) {
			if h.Study == "" {
				s.Log.Error("webhooks failed; they are retried", "error", err)
				return
			}
			s.metrics.WebhookAttempt(string(h.State))
			level := slog.LevelWarn
			if h.State == webhook.Delivered {
				level = slog.LevelInfo
			}
			s.Log.Log(ctx, level, "webhook", "study", metrics.Name(h.Study), "delivery", h.Delivery, "state", h.State,
				"attempts", h.Attempts, "status", h.Status, "error", err)
		},
	})
}
