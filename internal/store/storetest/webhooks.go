package storetest

import (
	"time"

	"bestpick/internal/webhook"
)

// hook returns a webhook with all fields set.
func hook(id string) webhook.Hook {
	return webhook.Hook{
		Study: id, URL: "https://example.com/“hook”?a=1", Secret: "secret of a hook", Delivery: "delivery", Made: start,
		State: webhook.Waiting, Attempts: 3, First: start.Add(time.Microsecond), Last: start.Add(time.Second), Status: 500,
		Problem: "“Zoë” '%\\", Next: start.Add(time.Minute),
	}
}

// newHook returns a webhook before the first attempt.
func newHook(id string) webhook.Hook {
	return webhook.Hook{
		Study: id, URL: "https://example.com", Secret: "secret of a hook", Delivery: "delivery",
		Made: start, State: webhook.Waiting, Next: start,
	}
}
