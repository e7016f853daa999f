package endtoend

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestWebhook: if a delivery fails and the process is killed, the next process retries it.
func TestWebhook(t *testing.T) {
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
		eventually(t, "the webhook changes its state", 30*time.Second, func() bool {
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
		if err := json.Unmarshal(m.body, &notice); err != nil || notice.Study != id || notice.Delivery != set.Delivery || notice.Reason != "stopped" {
			t.Errorf("%s: %v", m.body, err)
		}
		if err := client.VerifyWebhook(set.Secret, m.header, m.body, time.Now(), time.Minute); err != nil {
			t.Error(err)
		}
	}
	for _, log := range []string{p.log.String(), next.log.String()} {
		if strings.Contains(log, set.Secret) || strings.Contains(log, "secret-path") || strings.Contains(log, id) || !strings.Contains(log, set.Delivery) {
			t.Error(log)
		}
	}
}
