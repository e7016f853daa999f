package main

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/serve"
	"bestpick/strategy"
	"bestpick/strategy/strategytest"
	"bestpick/wire"
)

// TestRounds: the strategy passes the conformance suite.
func TestRounds(t *testing.T) {
	strategytest.Run(t, strategytest.Subject{
		New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
			return newRounds(c, strategy.Settings{K: k, Seed: seed})
		},
		Restore: restoreRounds, K: []int{2, 3}, Questions: 100,
	})
}

// TestLiveRounds: a live study runs the strategy until it decides. Adding and withdrawing arms, which
// it does not support, is refused, and so is a strategy that the program does not have.
func TestLiveRounds(t *testing.T) {
	ctx := t.Context()
	owner := served(t)
	letters := func() client.File {
		return client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")}
	}
	if _, err := owner.Create(ctx, client.NewStudy{Name: "Letters", Settings: wire.Settings{Strategy: "unknown"}, Catalogue: letters()}); !client.Is(err, wire.Invalid) {
		t.Errorf("an unknown strategy: %v", err)
	}
	created, err := owner.Create(ctx, client.NewStudy{Name: "Letters", Settings: wire.Settings{Strategy: "rounds", K: 2, Grace: -1}, Catalogue: letters()})
	must(t, err)
	id := created.Study.ID
	opened, err := owner.Open(ctx, id)
	must(t, err)
	if opened.Settings.Strategy != "rounds" {
		t.Errorf("the strategy is %q", opened.Settings.Strategy)
	}
	if _, err := owner.AddArms(ctx, id, 0, client.File{Name: "more.csv", Contents: strings.NewReader("id,x\nd,4\n")}, nil); !client.Is(err, wire.Invalid) {
		t.Errorf("adding arms: %v", err)
	}
	answers := 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		question, err := owner.Ask(ctx, id, wire.Ask{Respondent: "anna"})
		if client.Is(err, wire.StudyDone) {
			break
		}
		if client.Is(err, wire.NoQuestion) {
			continue // all are asked, and not all are counted
		}
		must(t, err)
		best := question.Arms[0].ID
		if best == "a" || question.Arms[1].ID == "c" {
			best = question.Arms[1].ID
		}
		must(t, owner.Answer(ctx, id, question.Token, best))
		answers++
	}
	verdict, err := owner.Verdict(ctx, id)
	must(t, err)
	if verdict.State != "done" || verdict.Reason != "decided" || verdict.Leader == nil || verdict.Leader.ID != "c" || verdict.Answers != 30 || answers != 30 {
		t.Errorf("after %d answers the verdict is %+v", answers, verdict)
	}
}

// served returns an owner's client of a server with the strategy.
func served(t *testing.T) *client.Client {
	t.Helper()
	store, err := serve.OpenSQLite(filepath.Join(t.TempDir(), "studies.db"))
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	studies, err := serve.New(ctx, store, serve.Options{
		Strategies: map[string]strategy.Kind{"rounds": {New: newRounds, Restore: restoreRounds}},
	})
	must(t, err)
	var running sync.WaitGroup
	running.Go(func() { studies.Run(ctx) })
	server := httptest.NewServer(studies)
	t.Cleanup(func() {
		server.Close()
		stop()
		running.Wait()
		must(t, store.Close())
	})
	token, err := studies.AddFirstOwner(ctx)
	must(t, err)
	return &client.Client{URL: server.URL, Token: token}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
