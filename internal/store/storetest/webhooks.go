package storetest

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
		if store.FinishWebhook(s.Context(), bad, start) == nil {
			s.Errorf("%s: it was written", name)
		}
	}
	_, err := store.Webhook(s.Context(), "a")
	s.wants(webhook.ErrNone, err)
	s.hooked(store, newHook("done"))
}

// takeWebhooks tests that due webhooks are leased one by one, the longest waiting first, and again
// when the lease expires.
func takeWebhooks(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	until := start.Add(time.Minute)
	s.must(store.SetWebhook(ctx, newHook("a"))) // its study is open
	_, err := store.TakeWebhook(ctx, start, until)
	s.wants(webhook.ErrNone, err)
	for i, id := range []string{"later", "first", "second", "told", "lost"} {
		s.done(store, id)
		h := newHook(id)
		h.Next = start.Add([]time.Duration{time.Microsecond, -time.Second, 0, 0, 0}[i])
		h.State = []webhook.State{webhook.Waiting, webhook.Waiting, webhook.Waiting, webhook.Delivered, webhook.GivenUp}[i]
		s.must(store.SetWebhook(ctx, h))
	}
	for _, id := range []string{"first", "second"} {
		got, err := store.TakeWebhook(ctx, start, until)
		s.must(err)
		want := newHook(id)
		want.Next = until
		if diff := cmp.Diff(want, got); diff != "" {
			s.Error(diff)
		}
		s.hooked(store, want)
	}
	_, err = store.TakeWebhook(ctx, start, until)
	s.wants(webhook.ErrNone, err)
	got, err := store.TakeWebhook(ctx, start.Add(time.Microsecond), until)
	s.must(err)
	if got.Study != "later" {
		s.Errorf("%s was taken", got.Study)
	}
	_, err = store.TakeWebhook(ctx, until.Add(-time.Microsecond), until.Add(time.Hour))
	s.wants(webhook.ErrNone, err)
	_, err = store.TakeWebhook(ctx, until, until.Add(time.Hour))
	s.must(err)
}

// finishWebhooks tests that only the lease holder may record the result of an attempt.
func finishWebhooks(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.done(store, "a")
	until, late := start.Add(time.Minute), start.Add(time.Hour)
	s.must(store.SetWebhook(ctx, newHook("a")))
	taken, err := store.TakeWebhook(ctx, start, until)
	s.must(err)
	after := hook("a")
	after.URL, after.Next = taken.URL, until
	s.wants(webhook.ErrLost, store.FinishWebhook(ctx, after, start))
	other := after
	other.Delivery = "another"
	s.wants(webhook.ErrLost, store.FinishWebhook(ctx, other, until))
	s.hooked(store, taken)
	s.must(store.FinishWebhook(ctx, after, until))
	s.hooked(store, after)

	_, err = store.TakeWebhook(ctx, until, late)
	s.must(err)
	s.wants(webhook.ErrLost, store.FinishWebhook(ctx, after, until)) // by the previous lease holder
	after.State, after.Next = webhook.Delivered, late
	s.must(store.FinishWebhook(ctx, after, late))
	s.wants(webhook.ErrLost, store.FinishWebhook(ctx, after, late))
	_, err = store.TakeWebhook(ctx, late, late)
	s.wants(webhook.ErrNone, err)
	s.hooked(store, after)
}

// webhooksAtOnce tests that concurrent takers get different webhooks.
func webhooksAtOnce(s *stage) {
	const hooks = 12
	stores := []Store{s.store(), s.store()}
	for i := range hooks {
		s.done(stores[0], strconv.Itoa(i))
		s.must(stores[0].SetWebhook(s.Context(), newHook(strconv.Itoa(i))))
	}
	var taken sync.Map
	var n atomic.Int32
	var takers sync.WaitGroup
	for g := range 8 {
		takers.Go(func() {
			for n.Load() < hooks {
				h, err := stores[g%2].TakeWebhook(s.Context(), start, start.Add(time.Minute))
				if errors.Is(err, webhook.ErrNone) {
					continue // others hold the remaining ones
				}
				if err != nil {
					s.Error(err)
					return
				}
				if _, again := taken.LoadOrStore(h.Study, g); again {
					s.Errorf("%s was taken twice", h.Study)
				}
				n.Add(1)
			}
		})
	}
	takers.Wait()
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
