package endtoend

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestBurst lets a hundred people arrive in a new study at the same time. Everyone is dealt a hand soon, although the deck
// has few questions at first.
func TestBurst(t *testing.T) {
	const people, limit = 100, 5 * time.Second
	p := start(t, sqliteFile(t), "")
	id := someArms(t, 6, 0.2, 1).newStudy(t, p.Client, wire.Settings{Assume: "majority"})
	waited, errs := make([]time.Duration, people), make([]error, people)
	var all sync.WaitGroup
	began := time.Now()
	for i := range people {
		all.Go(func() {
			_, errs[i] = p.Ask(t.Context(), id, wire.Ask{Respondent: fmt.Sprint("r", i)})
			waited[i] = time.Since(began)
		})
	}
	testsupport.Wait(t, "questions", all.Wait)
	longest := time.Duration(0)
	for i, err := range errs {
		testsupport.NoError(t, err)
		longest = max(longest, waited[i])
	}
	t.Logf("the last of %d people was asked after %v", people, longest)
	if longest > limit {
		t.Errorf("the last of %d people was asked after %v", people, longest)
	}
	p.stop(t)
}
