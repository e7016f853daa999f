package main

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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

// TestLiveRounds: a live study runs the strategy until it decides. Adding arms, which the strategy does
// not support, is refused, and so is a strategy that the program does not have.
func TestLiveRounds(t *testing.T) {
	live(t, func(owner *client.Client, id string) {
		if _, err := owner.Create(t.Context(), letters("unknown")); !client.Is(err, wire.Invalid) {
			t.Errorf("an unknown strategy: %v", err)
		}
		if _, err := owner.AddArms(t.Context(), id, 0, client.File{Name: "more.csv", Contents: strings.NewReader("id,x\nd,4\n")}, nil); !client.Is(err, wire.Invalid) {
			t.Errorf("adding arms: %v", err)
		}
		answer(t, owner, id, 30)
	})
}

// live opens a study and calls begin. Then it restarts the server, and answers until the study is done.
func live(t *testing.T, begin func(owner *client.Client, id string)) {
	t.Helper()
	database := filepath.Join(t.TempDir(), "studies.db")
	var id, token string
	run(t, database, func(url string, studies *serve.Service) {
		var err error
		token, err = studies.AddFirstOwner(t.Context())
		must(t, err)
		owner := &client.Client{URL: url, Token: token}
		created, err := owner.Create(t.Context(), letters("rounds"))
		must(t, err)
		id = created.Study.ID
		opened, err := owner.Open(t.Context(), id)
		must(t, err)
		if opened.Settings.Strategy != "rounds" {
			t.Errorf("the strategy is %q", opened.Settings.Strategy)
		}
		begin(owner, id)
	})
	run(t, database, func(url string, _ *serve.Service) {
		owner := &client.Client{URL: url, Token: token}
		answer(t, owner, id, 100)
		verdict, err := owner.Verdict(t.Context(), id)
		must(t, err)
		if verdict.State != "done" || verdict.Reason != "decided" || verdict.Leader == nil || verdict.Leader.ID != "c" || verdict.Answers != 30 {
			t.Errorf("the verdict is %+v", verdict)
		}
	})
}

// letters describes a study of three arms.
func letters(kind string) client.NewStudy {
	return client.NewStudy{
		Name: "Letters", Settings: wire.Settings{Strategy: kind, K: 2, Grace: -1, Lease: 1},
		Catalogue: client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")},
	}
}

// answer answers questions until the study is done, but at most some, with the last letter.
func answer(t *testing.T, owner *client.Client, id string, most int) {
	t.Helper()
	for answers := 0; answers < most; {
		question, err := owner.Ask(t.Context(), id, wire.Ask{Respondent: "anna"})
		if client.Is(err, wire.StudyDone) {
			return
		}
		if client.Is(err, wire.NoQuestion) {
			continue // all are asked, and not all are counted
		}
		must(t, err)
		must(t, owner.Answer(t.Context(), id, question.Token, max(question.Arms[0].ID, question.Arms[1].ID)))
		answers++
	}
}

// run serves the studies of a database while do runs.
func run(t *testing.T, database string, do func(url string, studies *serve.Service)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	studies, err := serve.New(ctx, database, serve.Options{
		Strategies: map[string]strategy.Kind{"rounds": {New: newRounds, Restore: restoreRounds}},
	})
	must(t, err)
	var running sync.WaitGroup
	running.Go(func() { studies.Run(ctx) })
	server := httptest.NewServer(studies)
	do(server.URL, studies)
	server.Close()
	stop()
	running.Wait()
	must(t, studies.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
