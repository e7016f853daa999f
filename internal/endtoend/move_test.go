package endtoend

import (
	"context"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// TestMove moves a study from SQLite to PostgreSQL and back between answers, and loses none of
// them.
func TestMove(t *testing.T) {
	places := []place{sqliteFile(t), postgresDatabase(t), sqliteFile(t)}
	world := someArms(t, 6, 0.01, 1)
	crowd := &people{studies: map[string]truth{}, acknowledged: map[string]said{}}
	var id string
	for i, at := range places {
		p := start(t, at, "")
		crowd.reach = func(int) *client.Client { return p.Client }
		if i == 0 {
			id = world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
			crowd.studies[id] = world
		} else if _, err := p.Open(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		had := len(crowd.acknowledged)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		crowd.answer(ctx, 8, strings.Repeat("r", i+1))
		cancel()
		if len(crowd.acknowledged) < had+20 {
			t.Errorf("%d answers were acknowledged, %d before", len(crowd.acknowledged), had)
		}
		if _, err := p.Pause(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		verified(t, p.Client, id)
		ran(t, "doctor", "--database", at.database, "--listen", "127.0.0.1:0") // while the database is in use
		p.stop(t)
		crowd.checked(t, at)
		if i+1 == len(places) {
			break
		}
		verdict := lastVerdict(t, at, id)
		ran(t, "move", id, "--from", at.database, "--to", places[i+1].database, "--delete")
		crowd.checked(t, places[i+1])
		if now := lastVerdict(t, places[i+1], id); now != verdict {
			t.Errorf("the verdict was %s, and is %s after the move", verdict, now)
		}
	}
}

// lastVerdict returns the verdict of a study's last plan.
func lastVerdict(t *testing.T, at place, id string) string {
	t.Helper()
	store, err := at.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	last, err := store.Last(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return string(last.Verdict)
}
