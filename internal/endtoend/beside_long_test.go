//go:build long

package endtoend

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// Limits of what respondents of one study notice while another study is busy.
const (
	besidePeople  = 40
	besideThink   = time.Second
	besideLatency = 200 * time.Millisecond // p99
	besideMemory  = 300 << 20              // per replica
)

// TestLongImportBesideAnswers imports a million answers into one study while people answer another one.
func TestLongImportBesideAnswers(t *testing.T) {
	const rows, arms, k = 1_000_000, 100, 4
	f := newFleet(t, postgresDatabase(t), haproxy(), time.Second)
	people := f.respondents(besideThink)
	id := someArms(t, arms, 0.05, 3).newStudy(t, f.Client, wire.Settings{K: k, Grace: -1})
	file := manyAnswers(t, rows, arms, k)
	owner := &client.Client{URL: f.URL, Token: f.Token, HTTP: &http.Client{Transport: f.HTTP.Transport, Timeout: 10 * time.Minute}}
	f.while(people, besidePeople, func() {
		f.ready(func() {
			began := time.Now()
			f.importFile(owner, id, file)
			t.Logf("imported after %v", time.Since(began).Round(time.Second))
			f.counted(id, rows)
			t.Logf("counted after %v", time.Since(began).Round(time.Second))
		})
	})
	f.beside(people)
}

// TestLongLockedStudy locks one study for 14 seconds while people answer it and another one.
func TestLongLockedStudy(t *testing.T) {
	const lockedPeople, locked = 5, 14 * time.Second
	f := newFleet(t, postgresDatabase(t), haproxy(), time.Second)
	people, others := f.respondents(besideThink), f.respondents(besideThink)
	f.while(people, besidePeople, func() {
		f.while(others, lockedPeople, func() {
			for id := range others.studies {
				f.ready(func() { f.lock(id, locked) })
			}
		})
		time.Sleep(5 * time.Second)
	})
	f.beside(people)
	others.exported(t, f.Client)
}

// beside checks that respondents hardly notice work on another study.
func (f *fleet) beside(people *people) {
	f.Helper()
	f.unharmed(people)
	if p99 := people.quantile(0.99); p99 > besideLatency {
		f.Errorf("p99 is %v, want at most %v", p99, besideLatency)
	}
	for i, replica := range f.replicas {
		peak := replica.memory(f.T)
		f.Logf("replica %d used at most %d MB", i, peak>>20)
		if peak > besideMemory {
			f.Errorf("replica %d used %d MB, want at most %d", i, peak>>20, besideMemory>>20)
		}
	}
}

// ready runs do. Meanwhile both replicas must report that they are ready, without the balancer.
func (f *fleet) ready(do func()) {
	f.Helper()
	const interval = 200 * time.Millisecond
	ctx, stop := context.WithCancel(f.Context())
	var asking sync.WaitGroup
	defer testsupport.Wait(f.T, "asking", asking.Wait)
	defer stop()
	for i, replica := range f.replicas {
		asking.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(interval) {
				reply, err := replica.HTTP.Get(replica.URL + "/readyz") //nolint:noctx // the client has a timeout
				if err != nil {
					f.Errorf("replica %d: %v", i, err)
					return
				}
				_ = reply.Body.Close()
				if reply.StatusCode != http.StatusOK {
					f.Errorf("/readyz of replica %d: %s", i, reply.Status)
				}
			}
		})
	}
	do()
}

// manyAnswers writes a file of answers by different people about arms named like those of someArms.
func manyAnswers(t *testing.T, rows, arms, k int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "answers.csv")
	file := testsupport.Value(os.Create(path)).OrFail(t)
	w := bufio.NewWriter(file)
	for slot := range k {
		fmt.Fprintf(w, "shown_%d,", slot+1)
	}
	fmt.Fprintln(w, "pick_1")
	for rng := rand.New(rand.NewPCG(8, 8)); rows > 0; rows-- {
		shown := rng.Perm(arms)[:k]
		for _, arm := range shown {
			fmt.Fprintf(w, "a%d,", arm)
		}
		fmt.Fprintf(w, "a%d\n", shown[rng.IntN(k)])
	}
	testsupport.NoError(t, w.Flush())
	testsupport.NoError(t, file.Close())
	return path
}

// importFile imports a file of answers into a study.
func (f *fleet) importFile(owner *client.Client, id, path string) {
	f.Helper()
	file := testsupport.Value(os.Open(path)).OrFail(f.T)
	defer file.Close()
	if _, err := owner.Import(f.Context(), id, "", client.File{Name: "answers.csv", Contents: file}); err != nil {
		f.Error(err)
	}
}

// counted waits until the verdict of a study rests on the given number of answers.
func (f *fleet) counted(id string, answers int) {
	f.Helper()
	const longest = 8 * time.Minute
	for began := time.Now(); ; time.Sleep(time.Second) {
		verdict, err := f.Verdict(f.Context(), id)
		if err != nil {
			f.Errorf("reading the verdict: %v", err)
		}
		if verdict.Answers >= answers {
			return
		}
		if time.Since(began) > longest {
			f.Errorf("%d of %d answers are counted after %v", verdict.Answers, answers, longest)
			return
		}
	}
}

// lock locks the row of a study's progress for a while.
func (f *fleet) lock(id string, long time.Duration) {
	f.Helper()
	db := testsupport.Value(sql.Open("pgx", f.at.database)).OrFail(f.T)
	defer db.Close()
	transaction := testsupport.Value(db.BeginTx(context.WithoutCancel(f.Context()), nil)).OrFail(f.T)
	defer func() { _ = transaction.Rollback() }() // it has changed nothing
	result, err := transaction.ExecContext(f.Context(), `SELECT FROM progress JOIN studies ON studies.key = progress.study WHERE studies.id = $1 FOR UPDATE OF progress`, id)
	testsupport.NoError(f.T, err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		f.Fatalf("%d rows are locked: %v", n, err)
	}
	time.Sleep(long)
}

// TestLongIdleStudies measures what a thousand open studies cost each of two replicas without answers.
func TestLongIdleStudies(t *testing.T) {
	const (
		studies          = 1000
		settle, measured = 40 * time.Second, 30 * time.Second
		maxTransactions  = 20   // per second and replica
		maxCPU           = 0.02 // of a core
	)
	f := newFleet(t, postgresDatabase(t), haproxy(), time.Second)
	world := someArms(t, 20, 0.05, 1)
	for range studies {
		world.newStudy(t, f.Client, wire.Settings{K: 3})
	}
	time.Sleep(settle)
	transactions, cpu := f.at.server.Transactions(t, f.at.database), [2]float64{}
	for i, replica := range f.replicas {
		cpu[i] = replica.cpu(t)
	}
	time.Sleep(measured)
	rate := float64(f.at.server.Transactions(t, f.at.database)-transactions) / measured.Seconds() / float64(len(f.replicas))
	t.Logf("%.1f transactions per second and replica", rate)
	if rate > maxTransactions {
		t.Errorf("%.1f transactions per second and replica, want at most %d", rate, maxTransactions)
	}
	for i, replica := range f.replicas {
		share := (replica.cpu(t) - cpu[i]) / measured.Seconds()
		t.Logf("replica %d used %.2f%% of a core and at most %d MB", i, 100*share, replica.memory(t)>>20)
		if share > maxCPU {
			t.Errorf("replica %d used %.2f%% of a core, want at most %.0f%%", i, 100*share, 100*maxCPU)
		}
	}
}

// cpu returns the seconds of CPU time that the process has used.
func (s *process) cpu(t *testing.T) float64 {
	t.Helper()
	return s.metric(t, "process_cpu_seconds_total")
}

// TestLongSharedStudies: three replicas plan 5,000 studies, and settle within a minute after a restart. When one is
// killed, the others count the answers to all studies within 5 seconds.
func TestLongSharedStudies(t *testing.T) {
	const (
		studies = 5000
		within  = 5 * time.Second
		probes  = 60
	)
	at := postgresDatabase(t)
	first := start(t, at, "")
	world := someArms(t, 6, 0.05, 1)
	ids := make([]string, studies)
	for i := range ids {
		ids[i] = world.newStudy(t, first.Client, wire.Settings{K: 2, Grace: -1, Delta: 1e-9})
	}
	first.stop(t)
	db := testsupport.Value(sql.Open("pgx", at.database)).OrFail(t)
	defer db.Close()
	testsupport.Value(db.ExecContext(t.Context(), `UPDATE progress SET seen = 0`)).OrFail(t) // all studies are due
	replicas := []*process{start(t, at, first.Token), start(t, at, first.Token), start(t, at, first.Token)}
	settled := awaited(t, time.Minute, func() bool {
		var due int
		testsupport.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM progress WHERE seen = 0`).Scan(&due))
		return due == 0
	})
	t.Logf("three replicas have planned %d studies after %v", studies, settled)
	for _, r := range replicas {
		t.Logf("one attends %v", r.metric(t, "bestpick_studies_attended"))
	}
	measure := func(what string, replicas []*process, ids []string) {
		var took []time.Duration
		for i, id := range ids {
			took = append(took, counted(t, replicas[i%len(replicas)].Client, id))
		}
		slices.Sort(took)
		t.Logf("%s: an answer was counted after %v in the median, at most %v", what, took[len(took)/2], took[len(took)-1])
		if most := took[len(took)-1]; most > within {
			t.Errorf("%s: an answer was counted after %v, want at most %v", what, most, within)
		}
	}
	measure("with three replicas", replicas, ids[:probes])
	replicas[2].kill()
	measure("right after one was killed", replicas[:2], ids[:probes])
	for _, r := range replicas[:2] {
		r.stop(t)
	}
}

// counted answers a question, and returns how long it takes until the answer is counted.
func counted(t *testing.T, c *client.Client, id string) time.Duration {
	t.Helper()
	before := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
	question := testsupport.Value(c.Ask(t.Context(), id, wire.Ask{Respondent: id})).OrFail(t)
	testsupport.NoError(t, c.Answer(t.Context(), id, question.Token, question.Arms[0].ID))
	return awaited(t, time.Minute, func() bool {
		verdict := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
		return verdict.Answers > before.Answers
	})
}

// awaited returns how long it takes until a condition holds.
func awaited(t *testing.T, most time.Duration, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for ; !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > most {
			t.Fatalf("the condition does not hold after %v", most)
		}
	}
	return time.Since(began).Round(time.Millisecond)
}

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
