package storetest

import (
	"time"

	"bestpick/internal/study"
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

// done creates a study that is done.
func (s *stage) done(store Store, id string) {
	s.Helper()
	st := sample(id)
	st.State, st.Reason = study.Done, study.Spent
	s.must(store.Create(s.Context(), st, nil))
}

// deliveries tests that the log keeps the last attempts of each study, until the study is deleted.
func deliveries(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.done(store, "other")
	delivery := func(i int) webhook.Delivery {
		return webhook.Delivery{
			At: start.Add(time.Duration(i) * time.Second), Test: i%2 > 0, Status: i,
			Problem: "“Zoë” '%", Took: time.Duration(i),
		}
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
	same(s, want)(store.Deliveries(ctx, "a"))
	same(s, []webhook.Delivery{delivery(3)})(store.Deliveries(ctx, "other"))
	s.wants(study.ErrNotFound, store.AddDelivery(ctx, "none", delivery(1)))
	_, err := store.Deliveries(ctx, "none")
	s.wants(study.ErrNotFound, err)
	s.must(store.Delete(ctx, "a"))
	s.must(store.Create(ctx, sample("a"), nil))
	same[[]webhook.Delivery](s, nil, sameWhenEmpty())(store.Deliveries(ctx, "a"))
}
