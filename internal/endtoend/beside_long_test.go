//go:build long

package endtoend

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
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
	besideMemory  = 350 << 20              // per replica
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
	result, err := transaction.ExecContext(f.Context(),
		`SELECT FROM progress JOIN studies ON studies.key = progress.study WHERE studies.id = $1 FOR UPDATE OF progress`, id)
	testsupport.NoError(f.T, err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		f.Fatalf("%d rows are locked: %v", n, err)
	}
	time.Sleep(long)
}

var manyStudies = flag.Int("studies", 20_000, "number of open studies in TestLongManyStudies")

// TestLongManyStudies: one replica that starts with 20,000 open studies without a plan has planned all of them within 60
// seconds. Then three plan all of them again, and one of them is killed meanwhile. During that time first questions come
// within a second, and after it an idle replica uses less than 2% of a core and 20 transactions per second.
func TestLongManyStudies(t *testing.T) {
	within := max(time.Minute, time.Duration(*manyStudies)*3*time.Millisecond)
	at := postgresDatabase(t)
	first := start(t, at, "")
	template := someArms(t, 8, 0.05, 1).newStudy(t, first.Client, wire.Settings{K: 3, Assume: "majority"})
	first.stop(t)
	m := many{T: t, at: at, db: testsupport.Value(sql.Open("pgx", at.database)).OrFail(t)}
	defer m.db.Close()
	for _, table := range []string{
		`studies (id, version, body) SELECT 'study-' || n, version, replace(body, id, 'study-' || n) FROM studies, generate_series(1, $2::int) n WHERE id = $1`,
		`catalogues SELECT s.key, c.bytes FROM studies s, catalogues c JOIN studies o ON o.key = c.study WHERE o.id = $1 AND s.id LIKE 'study-%' AND $2::int > 0`,
		`progress (study, version, state, budget, deadline) SELECT s.key, p.version, p.state, p.budget, p.deadline
			FROM studies s, progress p JOIN studies o ON o.key = p.study WHERE o.id = $1 AND s.id LIKE 'study-%' AND $2::int > 0`,
	} {
		testsupport.Value(m.db.ExecContext(t.Context(), "INSERT INTO "+table, template, *manyStudies)).OrFail(t)
	}
	testsupport.Value(m.db.ExecContext(t.Context(), "ANALYZE")).OrFail(t)
	one := start(t, at, first.Token, "--no-study-metrics")
	m.settles("one replica", within, []*process{one}, func() {})
	m.idle("one replica", []*process{one})
	one.stop(t)
	testsupport.Value(m.db.ExecContext(t.Context(), "UPDATE progress SET seen = 0")).OrFail(t) // all are due
	var three []*process
	for range 3 {
		three = append(three, start(t, at, first.Token, "--no-study-metrics"))
	}
	m.settles("three replicas, one of them killed", within, three[:2], func() {
		time.Sleep(2 * time.Second)
		three[2].kill()
	})
	m.idle("two replicas", three[:2])
}

// many are many studies in a database.
type many struct {
	*testing.T

	at    place
	db    *sql.DB
	asked int // first questions so far
}

// settles waits until no study is due, while people ask for first questions.
func (m *many) settles(what string, within time.Duration, replicas []*process, meanwhile func()) {
	m.Helper()
	began := time.Now()
	var asking sync.WaitGroup
	asking.Go(meanwhile)
	var took []time.Duration
	for due := -1; due != 0; time.Sleep(500 * time.Millisecond) {
		testsupport.NoError(m.T, m.db.QueryRowContext(m.Context(), // half a second after a person has come
			`SELECT count(*) FROM progress WHERE version > seen OR plans = 0 OR outcomes > told`).Scan(&due))
		m.asked++
		id, asked := fmt.Sprintf("study-%d", 1+m.asked*7919%*manyStudies), time.Now()
		if _, err := replicas[m.asked%len(replicas)].Ask(m.Context(), id, wire.Ask{Respondent: "anna"}); err != nil {
			m.Errorf("%s: the first question of %s after %v: %v", what, id, time.Since(asked), err)
		}
		took = append(took, time.Since(asked))
		if time.Since(began) > 10*within {
			m.Fatalf("%s: %d studies are due after %v", what, due, time.Since(began))
		}
	}
	settled := time.Since(began).Round(100 * time.Millisecond)
	asking.Wait()
	slices.Sort(took)
	slowest := took[len(took)-1].Round(time.Millisecond)
	m.Logf("%s: %d studies have settled after %v; of %d first questions the slowest took %v, the median %v", what,
		*manyStudies, settled,
		len(took), slowest, took[len(took)/2].Round(time.Millisecond))
	for i, r := range replicas {
		m.Logf("replica %d used at most %d MB, and %.1f s of CPU since its start", i, r.memory(m.T)>>20, r.cpu(m.T))
	}
	if settled > within || slowest > time.Second {
		m.Errorf("%s: settled after %v, want at most %v; the slowest question took %v, want at most 1s", what, settled, within, slowest)
	}
}

// idle measures replicas without anything to do.
func (m *many) idle(what string, replicas []*process) {
	m.Helper()
	// Idle connections report their transactions to PostgreSQL up to ten seconds late.
	const settle, measured, maxTransactions, maxCPU = 15 * time.Second, 20 * time.Second, 20, 0.02
	time.Sleep(settle)
	transactions, cpu := m.at.server.Transactions(m.T, m.at.database), make([]float64, len(replicas))
	for i, r := range replicas {
		cpu[i] = r.cpu(m.T)
	}
	time.Sleep(measured)
	rate := float64(m.at.server.Transactions(m.T, m.at.database)-transactions) / measured.Seconds() / float64(len(replicas))
	m.Logf("%s, idle: %.1f transactions per second and replica", what, rate)
	if rate > maxTransactions {
		m.Errorf("%s: %.1f transactions per second and replica, want at most %d", what, rate, maxTransactions)
	}
	for i, r := range replicas {
		share := (r.cpu(m.T) - cpu[i]) / measured.Seconds()
		m.Logf("%s, idle: replica %d used %.2f%% of a core, and %d MB at most", what, i, 100*share, r.memory(m.T)>>20)
		if share > maxCPU {
			m.Errorf("%s: replica %d used %.2f%% of a core, want at most %.0f%%", what, i, 100*share, 100*maxCPU)
		}
	}
}

// cpu returns the seconds of CPU time that the process has used.
func (s *process) cpu(t *testing.T) float64 {
	t.Helper()
	return s.metric(t, "process_cpu_seconds_total")
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
		testsupport.NoError(t, db.QueryRowContext(t.Context(),
			`SELECT count(*) FROM bestpick_jobs.river_job WHERE args::text LIKE '%Zoe%'`).Scan(&n))
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
