package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/jobs"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// A received is one request to a receiver.
type received struct {
	header   http.Header
	delivery string
	body     []byte
}

// A receiver records requests and replies to them.
type receiver struct {
	*httptest.Server

	mutex sync.Mutex
	got   []received
	now   map[string]int // requests in progress by delivery
	most  int            // concurrent requests for one delivery
}

// receive starts a receiver that replies with each handler once, and then with the last one.
func receive(t *testing.T, replies ...http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{now: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		delivery := request.Header.Get(webhook.IDHeader)
		r.mutex.Lock()
		reply := replies[min(len(r.got), len(replies)-1)]
		r.got = append(r.got, received{request.Header, delivery, body})
		r.now[delivery]++
		r.most = max(r.most, r.now[delivery])
		r.mutex.Unlock()
		reply(w, request)
		r.mutex.Lock()
		r.now[delivery]--
		r.mutex.Unlock()
	}))
	t.Cleanup(r.Close)
	return r
}

// with returns a handler that replies with a status.
func with(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func (r *receiver) all() []received {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]received(nil), r.got...)
}

// A stage is a store with senders and a test clock.
type stage struct {
	*testing.T

	path  string
	store *sqlite.Store
	now   time.Time
	told  []webhook.Hook
}

func begin(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, path: filepath.Join(t.TempDir(), "studies.db"), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	s.store = s.open()
	return s
}

// open opens the store like another process.
func (s *stage) open() *sqlite.Store {
	s.Helper()
	store, err := sqlite.Open(s.path)
	s.must(err)
	s.Cleanup(func() { s.must(store.Close()) })
	return store
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// done adds a finished study with a hook.
func (s *stage) done(id, url string) webhook.Hook {
	s.Helper()
	s.must(s.store.Create(s.Context(), study.Study{ID: id, State: study.Done, Reason: study.Certified, Version: 1}, nil))
	h := webhook.New(id, url, s.now)
	s.must(s.store.SetWebhook(s.Context(), h))
	return h
}

// sender returns a sender on a store, with the clock of the stage.
func (s *stage) sender(store webhook.Store) *webhook.Sender {
	sender := webhook.NewSender(webhook.Options{
		Store: store, Private: true, Clock: func() time.Time { return s.now },
		Notice: func(_ context.Context, id string) (wire.Notice, bool, error) {
			return wire.Notice{Study: id, State: "done", Reason: "certified", Verdict: wire.Verdict{Answers: 12}}, true, nil
		},
		Observe: func(h webhook.Hook, err error) {
			s.told = append(s.told, h)
			if err != nil && (strings.Contains(err.Error(), h.Secret) || strings.Contains(err.Error(), "http://")) {
				s.Errorf("the error contains a secret: %v", err)
			}
		},
	})
	sender.Hurry(200 * time.Millisecond)
	return sender
}

// step runs the job of a delivery that is due, and fails unless one is due as wanted. A job that is not done must run again
// when the next attempt is due.
func (s *stage) step(sender *webhook.Sender, want bool) webhook.Hook {
	s.Helper()
	again, err := s.try(sender, want)
	s.must(err)
	h, err := s.store.Webhook(s.Context(), "a")
	s.must(err)
	if want && (h.State == webhook.Waiting) == again.IsZero() || !again.IsZero() && !again.Equal(h.Next) {
		s.Errorf("the job runs again at %v: %+v", again, h)
	}
	return h
}

// try is step for jobs that may fail, or that choose when they run again.
func (s *stage) try(sender *webhook.Sender, want bool) (again time.Time, err error) {
	s.Helper()
	due, err := s.store.DueWebhooks(s.Context(), s.now, 2)
	s.must(err)
	if len(due) > 1 || len(due) > 0 != want {
		s.Fatalf("%d deliveries are due, want one: %v", len(due), want)
	}
	if !want {
		return again, nil
	}
	err = sender.Deliver(s.Context(), jobs.Delivery{Study: due[0].Study, Delivery: due[0].Delivery})
	if later, is := errors.AsType[jobs.AgainError](err); is {
		return later.At, nil
	}
	return again, err
}

// TestRetries: failed deliveries are retried unchanged, with exponential backoff, until one
// succeeds. Redirects are not followed.
func TestRetries(t *testing.T) {
	s := begin(t)
	elsewhere := receive(t, with(200))
	ended := make(chan struct{})
	defer close(ended)
	r := receive(t, with(500), func(w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, elsewhere.URL, http.StatusTemporaryRedirect)
	},
		func(http.ResponseWriter, *http.Request) { <-ended },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, with(204))
	made := s.done("a", r.URL+"/hook?key=1")
	sender := s.sender(s.store)
	for i, want := range []struct {
		status  int
		problem string
	}{{500, ""}, {307, ""}, {0, "there was no reply within 10 seconds"}, {0, "it cannot be reached"}} {
		h := s.step(sender, true)
		longest := jobs.MinWait << i
		if pause := h.Next.Sub(s.now); pause < longest/2 || pause > longest {
			t.Errorf("attempt %d: the next is after %v", i+1, pause)
		}
		if h.State != webhook.Waiting || h.Attempts != i+1 || h.Status != want.status || h.Problem != want.problem ||
			!h.Last.Equal(s.now) {
			t.Errorf("attempt %d: %+v", i+1, h)
		}
		s.step(sender, false)
		s.now = h.Next
	}
	h := s.step(sender, true)
	if h.State != webhook.Delivered || h.Attempts != 5 || h.Status != 204 || h.Problem != "" || h.First.Equal(h.Last) {
		t.Errorf("%+v", h)
	}
	s.now = s.now.Add(100 * time.Hour)
	s.step(sender, false)
	for i, got := range r.all() {
		if err := client.VerifyWebhook(made.Secret, got.header, got.body, s.told[i].Last, time.Second); err != nil ||
			got.delivery != made.Delivery {
			t.Errorf("%v of %s: %v", got.header, got.delivery, err)
		}
		var notice wire.Notice
		if err := json.Unmarshal(got.body, &notice); err != nil || notice.Delivery != made.Delivery || notice.Study != "a" ||
			notice.Verdict.Answers != 12 {
			t.Errorf("%s: %v", got.body, err)
		}
	}
	if len(r.all()) != 5 || len(elsewhere.all()) != 0 || len(s.told) != 5 {
		t.Errorf("%d requests, %d at the redirect, %d observed", len(r.all()), len(elsewhere.all()), len(s.told))
	}
}

// TestGivenUp: the sender gives up after a day.
func TestGivenUp(t *testing.T) {
	s := begin(t)
	r := receive(t, with(503))
	s.done("a", r.URL)
	sender := s.sender(s.store)
	begun := s.now
	h := webhook.Hook{}
	for range 100 {
		if h = s.step(sender, true); h.State != webhook.Waiting {
			break
		}
		s.now = h.Next
	}
	if took := s.now.Sub(begun); h.State != webhook.GivenUp || took < 22*time.Hour || took > webhook.GiveUp || len(r.all()) < 20 {
		t.Errorf("%s after %d attempts and %v", h.State, len(r.all()), took)
	}
	s.now = s.now.Add(100 * time.Hour)
	s.step(sender, false)
}

// TestEndless: an endless response body counts as a reply.
func TestEndless(t *testing.T) {
	s := begin(t)
	r := receive(t, func(w http.ResponseWriter, request *http.Request) {
		for request.Context().Err() == nil {
			_, _ = w.Write(make([]byte, 1<<10))
		}
	})
	s.done("a", r.URL)
	sender := s.sender(s.store)
	sender.Hurry(10 * time.Second)
	if h := s.step(sender, true); h.State != webhook.Delivered {
		t.Errorf("%+v", h)
	}
}

// TestNotFinal: nothing is sent before the verdict is final, and waiting for it is not an attempt.
func TestNotFinal(t *testing.T) {
	s := begin(t)
	r := receive(t, with(200))
	s.done("a", r.URL)
	sender := s.sender(s.store)
	notice := sender.Notice
	sender.Notice = func(context.Context, string) (wire.Notice, bool, error) {
		return wire.Notice{State: "done"}, false, nil
	}
	if again, err := s.try(sender, true); err != nil || !again.Equal(s.now.Add(webhook.Soon)) {
		t.Errorf("again at %v, error %v", again, err)
	}
	if h, err := s.store.Webhook(t.Context(), "a"); err != nil || h.Attempts != 0 || h.State != webhook.Waiting || len(r.all()) > 0 {
		t.Errorf("%+v, %v", h, err)
	}
	sender.Notice, s.now = notice, s.now.Add(webhook.Soon)
	if h := s.step(sender, true); h.State != webhook.Delivered {
		t.Errorf("%+v", h)
	}
}

// TestOpen: the job of a study that is not done, because it was opened again or the hook was set before its end, does
// nothing and is done.
func TestOpen(t *testing.T) {
	s := begin(t)
	r := receive(t, with(200))
	h := s.done("a", r.URL)
	sender := s.sender(s.store)
	sender.Notice = func(context.Context, string) (wire.Notice, bool, error) {
		return wire.Notice{State: "open"}, false, nil
	}
	s.must(sender.Deliver(t.Context(), jobs.Delivery{Study: "a", Delivery: h.Delivery}))
	if got, err := s.store.Webhook(t.Context(), "a"); err != nil || got != h || len(r.all()) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOutdated: jobs of hooks that were replaced, removed, delivered or deleted with their study do nothing and are done.
// A job that runs too early waits.
func TestOutdated(t *testing.T) {
	s := begin(t)
	r := receive(t, with(200))
	h := s.done("a", r.URL)
	sender := s.sender(s.store)
	s.must(sender.Deliver(t.Context(), jobs.Delivery{Study: "a", Delivery: "another"}))
	s.must(sender.Deliver(t.Context(), jobs.Delivery{Study: "b", Delivery: h.Delivery}))
	h.Next = s.now.Add(time.Minute)
	s.must(s.store.SetWebhook(t.Context(), h))
	if err := sender.Deliver(t.Context(), jobs.Delivery{Study: "a", Delivery: h.Delivery}); !errors.Is(err,
		jobs.AgainError{At: h.Next}) {
		t.Errorf("got %v", err)
	}
	h.State, h.Next = webhook.Delivered, s.now
	s.must(s.store.SetWebhook(t.Context(), h))
	s.must(sender.Deliver(t.Context(), jobs.Delivery{Study: "a", Delivery: h.Delivery}))
	s.must(s.store.RemoveWebhook(t.Context(), "a"))
	s.must(sender.Deliver(t.Context(), jobs.Delivery{Study: "a", Delivery: h.Delivery}))
	if len(r.all()) > 0 || len(s.told) > 0 {
		t.Errorf("%d requests, %d attempts", len(r.all()), len(s.told))
	}
}

// TestKilled: if the result of an attempt is not stored, another process makes the attempt again, with the same ID.
func TestKilled(t *testing.T) {
	s := begin(t)
	r := receive(t, with(200))
	s.done("a", r.URL)
	dies := s.sender(s.store)
	dies.Store = dead{s.store}
	if _, err := s.try(dies, true); !errors.Is(err, errDead) {
		t.Errorf("got %v", err)
	}
	other := s.sender(s.open())
	if h := s.step(other, true); h.State != webhook.Delivered || len(r.all()) != 2 || r.all()[0].delivery != r.all()[1].delivery {
		t.Errorf("%+v, %d requests", h, len(r.all()))
	}
}

// dead is the store of a process that dies before it stores the result of an attempt.
type dead struct{ webhook.Store }

var errDead = errors.New("the process is dead")

func (dead) SaveAttempt(context.Context, webhook.Hook) error { return errDead }

// TestReplaced: the result of an attempt does not change a hook that was replaced meanwhile.
func TestReplaced(t *testing.T) {
	s := begin(t)
	var again webhook.Hook
	r := receive(t, func(w http.ResponseWriter, request *http.Request) {
		if again.Study == "" {
			again = webhook.New("a", "http://"+s.Name(), s.now)
			s.must(s.store.SetWebhook(request.Context(), again))
		}
		w.WriteHeader(http.StatusOK)
	})
	s.done("a", r.URL)
	if later, err := s.try(s.sender(s.store), true); err != nil || !later.IsZero() {
		t.Errorf("again at %v, error %v", later, err)
	}
	if h, err := s.store.Webhook(t.Context(), "a"); err != nil || h != again {
		t.Errorf("%+v, want %+v, error %v", h, again, err)
	}
}

// run runs the jobs of stores, one process each, until a number of requests has come to a receiver.
func (s *stage) run(r *receiver, requests int, stores ...*sqlite.Store) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	var running sync.WaitGroup
	for _, store := range stores {
		sender := s.sender(store)
		sender.Clock, sender.Observe = time.Now, func(webhook.Hook, error) {}
		sender.Hurry(10 * time.Second)
		running.Go(func() { sender.Recover(ctx) })
		running.Go(func() {
			store.RunJobs(ctx, jobs.Workers{Deliver: sender.Deliver, Log: slog.New(slog.DiscardHandler)})
		})
	}
	for deadline := time.Now().Add(20 * time.Second); len(r.all()) < requests && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	testsupport.Wait(s, "running", running.Wait)
}

// TestReplicas: two processes deliver each verdict once, and slow receivers do not delay others.
func TestReplicas(t *testing.T) {
	s := begin(t)
	s.now = time.Now()
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		w.WriteHeader(http.StatusOK)
	})
	const studies = 12
	for i := range studies {
		h := s.done(strconv.Itoa(i), r.URL)
		s.must(s.sender(s.store).Set(t.Context(), h))
	}
	s.run(r, studies, s.store, s.open())
	times := map[string]int{}
	for _, got := range r.all() {
		times[got.delivery]++
	}
	if len(r.all()) != studies || len(times) != studies || r.most != 1 {
		t.Errorf("%v, at most %d at a time", times, r.most)
	}
	for i := range studies {
		if h, err := s.store.Webhook(t.Context(), strconv.Itoa(i)); err != nil || h.State != webhook.Delivered {
			t.Errorf("%+v, %v", h, err)
		}
	}
}

// TestRecovered: hooks without a job, as a killed process leaves them, are delivered.
func TestRecovered(t *testing.T) {
	s := begin(t)
	s.now = time.Now()
	r := receive(t, with(200))
	h := s.done("a", r.URL)
	s.run(r, 1, s.store)
	if got := r.all(); len(got) != 1 || got[0].delivery != h.Delivery {
		t.Errorf("%+v", got)
	}
}

// TestSet: a hook that is set again while its verdict is posted is delivered as well.
func TestSet(t *testing.T) {
	s := begin(t)
	s.now = time.Now()
	var first, second webhook.Hook
	var r *receiver
	r = receive(t, func(w http.ResponseWriter, request *http.Request) {
		if second.Study == "" {
			second = webhook.New("a", r.URL, time.Now())
			s.must(s.sender(s.store).Set(request.Context(), second))
		}
		w.WriteHeader(http.StatusOK)
	})
	first = s.done("a", r.URL)
	s.must(s.sender(s.store).Set(t.Context(), first))
	s.run(r, 2, s.store)
	if got := r.all(); len(got) != 2 || got[0].delivery != first.Delivery || got[1].delivery != second.Delivery {
		t.Errorf("%+v", got)
	}
}

// TestSetWhileOpen: a hook that is set in an open study gets its job when the study ends, so that no earlier job, which may
// be running at that moment, takes its place.
func TestSetWhileOpen(t *testing.T) {
	s := begin(t)
	added := &adder{Store: s.store}
	sender := s.sender(added)
	state := study.Open
	sender.Notice = func(context.Context, string) (wire.Notice, bool, error) {
		return wire.Notice{State: string(state)}, false, nil
	}
	h := s.done("a", "http://"+s.Name())
	s.must(sender.Set(t.Context(), h))
	if len(added.jobs) > 0 {
		t.Errorf("open: %v", added.jobs)
	}
	state = study.Done
	s.must(sender.Set(t.Context(), h))
	if want := []jobs.Args{jobs.Delivery{Study: "a", Delivery: h.Delivery}}; !slices.Equal(added.jobs, want) {
		t.Errorf("done: %v, want %v", added.jobs, want)
	}
}

// TestEnded: the end of a study adds a job if its hook is waiting.
func TestEnded(t *testing.T) {
	s := begin(t)
	added := &adder{Store: s.store}
	sender := s.sender(added)
	h := s.done("a", "http://"+s.Name())
	sender.Ended(t.Context(), "a")
	sender.Ended(t.Context(), "unknown")
	h.State, h.Attempts = webhook.GivenUp, 1
	s.must(s.store.SetWebhook(t.Context(), h))
	sender.Ended(t.Context(), "a")
	if want := []jobs.Args{jobs.Delivery{Study: "a", Delivery: h.Delivery}}; !slices.Equal(added.jobs, want) || len(s.told) > 0 {
		t.Errorf("%v, want %v", added.jobs, want)
	}
}

// An adder keeps the jobs that are added.
type adder struct {
	webhook.Store

	jobs []jobs.Args
}

func (a *adder) AddJob(_ context.Context, args jobs.Args, _ time.Duration) error {
	a.jobs = append(a.jobs, args)
	return nil
}

// TestLog: attempts and tests are in the log of the study, with status, problem and duration. A test has its own ID,
// is signed, and does not change the state of the hook.
func TestLog(t *testing.T) {
	s := begin(t)
	r := receive(t, with(500), with(204))
	made := s.done("a", r.URL)
	sender := s.sender(s.store)
	s.step(sender, true)
	before, err := s.store.Webhook(t.Context(), "a")
	s.must(err)
	s.must(sender.Test(t.Context(), before))
	after, err := s.store.Webhook(t.Context(), "a")
	s.must(err)
	if after != before {
		t.Errorf("the test has changed the hook: %+v", after)
	}
	got := r.all()
	last := got[len(got)-1]
	if err := client.VerifyWebhook(made.Secret, last.header, last.body, s.now, time.Minute); err != nil ||
		last.delivery == made.Delivery {
		t.Errorf("delivery %s: %v", last.delivery, err)
	}
	var notice wire.Notice
	s.must(json.Unmarshal(last.body, &notice))
	if !notice.Test || notice.Study != "a" || notice.State != "done" || notice.Verdict.Answers != 12 {
		t.Errorf("%+v", notice)
	}
	deliveries, err := s.store.Deliveries(t.Context(), "a")
	s.must(err)
	if tested := deliveries[0]; tested.Status != http.StatusNoContent || !tested.Test || tested.Problem != "" {
		t.Errorf("%+v", tested)
	}
	if len(deliveries) != 2 || deliveries[1].Status != http.StatusInternalServerError || deliveries[1].Test {
		t.Errorf("%+v", deliveries)
	}
}

// TestMailed: a notice to an e-mail address is sent once; a failure is retried.
func TestMailed(t *testing.T) {
	s := begin(t)
	s.done("a", "mailto:anna@example.com")
	sender := s.sender(s.store)
	var sent []string
	failure := errors.New("the mail server is away")
	sender.Mail = func(_ context.Context, to string, n wire.Notice) error {
		sent = append(sent, to+" "+n.Study)
		return failure
	}
	if h := s.step(sender, true); h.State != webhook.Waiting || h.Problem != "it cannot be reached" {
		t.Errorf("%+v", h)
	}
	s.now, failure = s.now.Add(time.Hour), nil
	if h := s.step(sender, true); h.State != webhook.Delivered || h.Status != 250 {
		t.Errorf("%+v", h)
	}
	sender.Ended(t.Context(), "a")
	s.now = s.now.Add(time.Hour)
	s.step(sender, false)
	if !slices.Equal(sent, []string{"anna@example.com a", "anna@example.com a"}) {
		t.Errorf("%q", sent)
	}
	for _, wrong := range []string{
		"mailto:", "mailto:anna", "mailto:Anna <anna@example.com>",
		"mailto:a@example.com\r\nBcc: b@example.com",
	} {
		if sender.CheckURL(wrong) == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
