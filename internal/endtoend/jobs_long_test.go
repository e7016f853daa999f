//go:build long

package endtoend

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestLongErasureKilled: a process is killed after it has accepted an erasure, and before it has deleted anything: another
// transaction holds the lock of the study. The next process completes the erasure.
func TestLongErasureKilled(t *testing.T) {
	at := postgresDatabase(t)
	p := start(t, at, "")
	id := answered(t, p)
	db := testsupport.Value(sql.Open("pgx", at.database)).OrFail(t)
	defer db.Close()
	lock := testsupport.Value(db.BeginTx(t.Context(), nil)).OrFail(t)
	testsupport.Value(lock.ExecContext(t.Context(), `SELECT FROM studies WHERE id = $1 FOR UPDATE`, id)).OrFail(t)
	erasing := make(chan error)
	go func() {
		_, err := p.Erase(context.WithoutCancel(t.Context()), id, "Zoe")
		erasing <- err
	}()
	jobs := func() (n int) {
		t.Helper()
		testsupport.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM bestpick_jobs.river_job WHERE args::text LIKE '%Zoe%'`).Scan(&n))
		return n
	}
	eventually(t, "the erasure is accepted", 20*time.Second, func() bool { return jobs() > 0 })
	p.kill()
	if err := testsupport.Receive(t, "the erasure of the killed process", erasing); err == nil {
		t.Fatal("the erasure was completed before the process was killed")
	}
	testsupport.NoError(t, lock.Rollback())
	if zoe, _ := respondents(t, at, id); !zoe {
		t.Fatal("the respondent was erased before the process was killed")
	}
	next := start(t, at, p.Token)
	erased(t, at, id, next)
	eventually(t, "no job names the respondent", 3*time.Minute, func() bool { return jobs() == 0 })
	next.stop(t)
}

// TestLongWebhookKilledOnSQLite and TestLongWebhookKilledOnPostgreSQL: a process is killed while it posts a verdict. The
// next process posts it again.
func TestLongWebhookKilledOnSQLite(t *testing.T)     { webhookKilled(t, sqliteFile(t)) }
func TestLongWebhookKilledOnPostgreSQL(t *testing.T) { webhookKilled(t, postgresDatabase(t)) }

func webhookKilled(t *testing.T, at place) {
	t.Helper()
	var requests atomic.Int32
	posting, ids := make(chan struct{}), make(chan string, 9)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		ids <- r.Header.Get("Webhook-Id")
		if requests.Add(1) == 1 {
			close(posting)
			<-r.Context().Done() // until the process is killed
		}
	}))
	defer receiver.Close()
	p := start(t, at, "", "--webhooks-to-private")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	set := testsupport.Value(p.SetWebhook(t.Context(), id, receiver.URL)).OrFail(t)
	testsupport.Value(p.Close(t.Context(), id)).OrFail(t)
	testsupport.Receive(t, "the first delivery", posting)
	p.kill()
	next := start(t, at, p.Token, "--webhooks-to-private")
	eventually(t, "the verdict is delivered", 3*time.Minute, func() bool {
		w := testsupport.Value(next.Webhook(t.Context(), id)).OrFail(t)
		return w.State == "delivered"
	})
	next.stop(t)
	if len(ids) != 2 || <-ids != set.Delivery || <-ids != set.Delivery {
		t.Errorf("there were %d requests", requests.Load())
	}
}
