package endtoend

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

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
