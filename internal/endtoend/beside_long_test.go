//go:build long

package endtoend

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
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
