package endtoend

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// answered creates a study in which two respondents have answered.
func answered(t *testing.T, p *process) (id string) {
	t.Helper()
	world := someArms(t, 6, 0.3, 2)
	id = world.newStudy(t, p.Client, wire.Settings{K: 3, Grace: -1})
	for _, who := range []string{"Zoe", "Ann"} {
		q := testsupport.Value(p.Ask(t.Context(), id, wire.Ask{Respondent: who})).OrFail(t)
		testsupport.NoError(t, p.Answer(t.Context(), id, q.Token, q.Arms[0].ID))
	}
	return id
}

// respondents returns whether the log of a study names Zoe and Ann.
func respondents(t *testing.T, at place, id string) (zoe, ann bool) {
	t.Helper()
	store := testsupport.Value(at.open(t.Context())).OrFail(t)
	defer func() { _ = store.Close() }()
	for o, err := range study.Log(t.Context(), store, id, 0, 100) {
		testsupport.NoError(t, err)
		zoe, ann = zoe || o.Respondent == "Zoe", ann || o.Respondent == "Ann"
	}
	return zoe, ann
}

// erased waits until the data of Zoe is gone, and checks that nothing names her and that Ann's is there.
func erased(t *testing.T, at place, id string, p *process) {
	t.Helper()
	eventually(t, "the respondent is erased", 3*time.Minute, func() bool {
		zoe, ann := respondents(t, at, id)
		if !ann {
			t.Fatal("the data of another respondent is gone")
		}
		return !zoe
	})
	if strings.Contains(p.log.String(), "Zoe") {
		t.Errorf("the log names the respondent\n%s", p.log)
	}
}

// TestErasureResumed: an erasure that a killed process has left in the queue is completed.
func TestErasureResumed(t *testing.T) {
	at := sqliteFile(t)
	p := start(t, at, "")
	id := answered(t, p)
	p.kill()
	db := testsupport.Value(sql.Open("sqlite", at.database)).OrFail(t)
	defer db.Close()
	const job = `INSERT INTO jobs (kind, args, due, attempts) VALUES ('erasure', json_object('study', ?, 'respondent', 'Zoe'), 0, 0)`
	testsupport.Value(db.ExecContext(context.WithoutCancel(t.Context()), job, id)).OrFail(t)
	next := start(t, at, p.Token)
	erased(t, at, id, next)
	next.stop(t)
	var left int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM jobs`).Scan(&left); err != nil || left > 0 {
		t.Errorf("%d jobs are left, error %v", left, err)
	}
}

// TestWebhook: if a delivery fails and the process is killed, the next process retries it.
func TestWebhook(t *testing.T) {
	t.Parallel()
	type message struct {
		header http.Header
		body   []byte
	}
	came := make(chan message, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(came) == 0 {
			w.WriteHeader(http.StatusBadGateway)
		}
		came <- message{r.Header, body}
	}))
	defer receiver.Close()
	at := sqliteFile(t)
	p := start(t, at, "", "--webhooks-to-private")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	set := testsupport.Value(p.SetWebhook(t.Context(), id, receiver.URL+"/secret-path")).OrFail(t)
	testsupport.Value(p.Close(t.Context(), id)).OrFail(t)
	state := func(p *process, until func(w wire.Webhook) bool) (w wire.Webhook) {
		t.Helper()
		// A process killed just after the first attempt keeps the lease of the job for a minute.
		eventually(t, "the webhook changes its state", jobs.Lease+30*time.Second, func() bool {
			w = testsupport.Value(p.Webhook(t.Context(), id)).OrFail(t)
			return until(w)
		})
		return w
	}
	failed := state(p, func(w wire.Webhook) bool { return w.Attempts > 0 })
	if failed.State != "waiting" || failed.Attempts != 1 || failed.Status != 502 || !failed.Next.After(failed.Last) {
		t.Errorf("%+v", failed)
	}
	p.kill()
	next := start(t, at, p.Token, "--webhooks-to-private")
	told := state(next, func(w wire.Webhook) bool { return w.State == "delivered" })
	if told.Attempts != 2 || told.Status != 200 || told.Delivery != set.Delivery || told.Last.Before(failed.Next) {
		t.Errorf("%+v", told)
	}
	next.stop(t)
	if len(came) != 2 {
		t.Fatalf("got %d requests", len(came))
	}
	for range 2 {
		m := testsupport.Receive(t, "the deliveries", came)
		var notice wire.Notice
		if err := json.Unmarshal(m.body, &notice); err != nil || notice.Study != id || notice.Delivery != set.Delivery ||
			notice.Reason != "stopped" {
			t.Errorf("%s: %v", m.body, err)
		}
		if err := client.VerifyWebhook(set.Secret, m.header, m.body, time.Now(), time.Minute); err != nil {
			t.Error(err)
		}
	}
	for _, log := range []string{p.log.String(), next.log.String()} {
		if strings.Contains(log, set.Secret) || strings.Contains(log, "secret-path") || strings.Contains(log, id) ||
			!strings.Contains(log, set.Delivery) {
			t.Error(log)
		}
	}
}
