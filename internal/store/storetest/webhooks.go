package storetest

import (
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// hook returns a webhook with all fields set.
func hook(id string) webhook.Hook {
	return webhook.Hook{
		Study: id, URL: "https://example.com/“hook”?a=1", Secret: "secret of a hook", Delivery: "delivery", Made: start, State: webhook.Waiting,
		Attempts: 3, First: start.Add(time.Microsecond), Last: start.Add(time.Second), Status: 500, Problem: "“Zoë” '%\\", Next: start.Add(time.Minute),
	}
}

// newHook returns a webhook before the first attempt.
func newHook(id string) webhook.Hook {
	return webhook.Hook{Study: id, URL: "https://example.com", Secret: "secret of a hook", Delivery: "delivery", Made: start, State: webhook.Waiting, Next: start}
}

// hooked compares the webhook of a study.
func (s *stage) hooked(store Store, want webhook.Hook) {
	s.Helper()
	got, err := store.Webhook(s.Context(), want.Study)
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
}

// done creates a study that is done.
func (s *stage) done(store Store, id string) {
	s.Helper()
	st := sample(id)
	st.State, st.Reason = study.Done, study.Spent
	s.must(store.Create(s.Context(), st, nil))
}

func webhooks(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	_, err := store.Webhook(ctx, "a")
	s.wants(webhook.ErrNone, err)
	s.wants(webhook.ErrNone, store.RemoveWebhook(ctx, "a"))
	s.must(store.SetWebhook(ctx, hook("a")))
	s.hooked(store, hook("a"))
	s.must(store.SetWebhook(ctx, newHook("a")))
	s.hooked(s.store(), newHook("a"))
	s.must(store.RemoveWebhook(ctx, "a"))
	s.wants(webhook.ErrNone, store.RemoveWebhook(ctx, "a"))
	_, err = store.Webhook(ctx, "a")
	s.wants(webhook.ErrNone, err)

	s.must(store.SetWebhook(ctx, hook("a")))
	s.must(store.Delete(ctx, "a"))
	s.must(store.Create(ctx, sample("a"), nil))
	_, err = store.Webhook(ctx, "a")
	s.wants(webhook.ErrNone, err)
}

func webhooksNothingBad(s *stage) {
	store := s.withStudy()
	s.done(store, "done")
	s.must(store.SetWebhook(s.Context(), newHook("done")))
	for name, spoil := range map[string]func(*webhook.Hook){
		"no address":    func(h *webhook.Hook) { h.URL = "" },
		"no secret":     func(h *webhook.Hook) { h.Secret = "" },
		"no id":         func(h *webhook.Hook) { h.Delivery = "" },
		"no state":      func(h *webhook.Hook) { h.State = "" },
		"a zero":        func(h *webhook.Hook) { h.URL = "a\x00" },
		"no text":       func(h *webhook.Hook) { h.Problem = "\xff" },
		"very long one": func(h *webhook.Hook) { h.Problem = strings.Repeat("x", 100_000) },
	} {
		bad := newHook("a")
		spoil(&bad)
		if store.SetWebhook(s.Context(), bad) == nil {
			s.Errorf("%s: it was set", name)
		}
		bad.Study = "done"
		if store.SaveAttempt(s.Context(), bad) == nil {
			s.Errorf("%s: it was written", name)
		}
	}
	_, err := store.Webhook(s.Context(), "a")
	s.wants(webhook.ErrNone, err)
	s.hooked(store, newHook("done"))
}

// dueWebhooks tests that due webhooks of studies that are done are listed, the longest waiting first.
func dueWebhooks(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.SetWebhook(ctx, newHook("a"))) // its study is open
	s.due(store, start, 9)
	for i, id := range []string{"later", "first", "second", "told", "lost"} {
		s.done(store, id)
		h := newHook(id)
		h.Next = start.Add([]time.Duration{time.Microsecond, -time.Second, 0, 0, 0}[i])
		h.State = []webhook.State{webhook.Waiting, webhook.Waiting, webhook.Waiting, webhook.Delivered, webhook.GivenUp}[i]
		s.must(store.SetWebhook(ctx, h))
	}
	s.due(store, start, 9, "first", "second")
	s.due(store, start.Add(time.Microsecond), 9, "first", "second", "later")
	s.due(store, start.Add(time.Microsecond), 1, "first")
	due, err := store.DueWebhooks(ctx, start, 1)
	s.must(err)
	want := newHook("first")
	want.Next = start.Add(-time.Second)
	if diff := cmp.Diff([]webhook.Hook{want}, due); diff != "" {
		s.Error(diff)
	}
}

// due compares the studies whose webhooks are due.
func (s *stage) due(store Store, now time.Time, limit int, want ...string) {
	s.Helper()
	due, err := store.DueWebhooks(s.Context(), now, limit)
	s.must(err)
	var got []string
	for _, h := range due {
		got = append(got, h.Study)
	}
	if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
		s.Error(diff)
	}
}

// saveAttempts tests that the result of an attempt is written unless the hook was replaced, or was received or given up.
func saveAttempts(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.done(store, "a")
	s.must(store.SetWebhook(ctx, newHook("a")))
	after := hook("a")
	after.URL = newHook("a").URL
	other := after
	other.Delivery = "another"
	s.wants(webhook.ErrLost, store.SaveAttempt(ctx, other))
	s.hooked(store, newHook("a"))
	s.must(store.SaveAttempt(ctx, after))
	s.hooked(store, after)
	for _, final := range []webhook.State{webhook.Delivered, webhook.GivenUp} {
		again := newHook("a")
		s.must(store.SetWebhook(ctx, again))
		after.State = final
		s.must(store.SaveAttempt(ctx, after))
		s.wants(webhook.ErrLost, store.SaveAttempt(ctx, after))
		s.hooked(store, after)
		s.due(store, start.Add(time.Hour), 9)
	}
	s.must(store.RemoveWebhook(ctx, "a"))
	s.wants(webhook.ErrLost, store.SaveAttempt(ctx, after))
}

// deliveries tests that the log keeps the last attempts of each study, until the study is deleted.
func deliveries(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.done(store, "other")
	delivery := func(i int) webhook.Delivery {
		return webhook.Delivery{At: start.Add(time.Duration(i) * time.Second), Test: i%2 > 0, Status: i, Problem: "“Zoë” '%", Took: time.Duration(i)}
	}
	var want []webhook.Delivery
	const added = webhook.MaxDeliveries + 5
	for i := range added {
		s.must(store.AddDelivery(ctx, "a", delivery(i)))
	}
	for i := added - 1; i >= added-webhook.MaxDeliveries; i-- {
		want = append(want, delivery(i))
	}
	s.must(store.AddDelivery(ctx, "other", delivery(3)))
	s.logged(store, "a", want...)
	s.logged(store, "other", delivery(3))
	s.wants(study.ErrNotFound, store.AddDelivery(ctx, "none", delivery(1)))
	_, err := store.Deliveries(ctx, "none")
	s.wants(study.ErrNotFound, err)
	s.must(store.Delete(ctx, "a"))
	s.must(store.Create(ctx, sample("a"), nil))
	s.logged(store, "a")
}

// logged compares the log of deliveries.
func (s *stage) logged(store Store, id string, want ...webhook.Delivery) {
	s.Helper()
	got, err := store.Deliveries(s.Context(), id)
	s.must(err)
	if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
		s.Error(diff)
	}
}
