package storetest

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/study"
)

// Upgraded tests a store that an earlier version has written. In every version the tests of a
// store have the same study on file, as it was written by:
//
//	Create(sample), Lead and Append of a plan with four questions, Claim(2),
//	Record(answer 0, answer 1, undone 1, skipped 2), SaveSnapshot(1, "state")
//
// and a secret of 32 bytes, each 7. It is all there, and goes on.
func Upgraded(t *testing.T, store study.Store) {
	t.Helper()
	s := &stage{T: t}
	ctx := s.Context()
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(sample("a"), st); diff != "" {
		s.Error(diff)
	}
	arms, err := store.Catalogue(ctx, "a")
	s.must(err)
	_, state, err := store.Snapshot(ctx, "a")
	s.must(err)
	if string(arms) != "arms" || string(state) != "state" {
		s.Errorf("the catalogue is %q, the snapshot %q", arms, state)
	}
	secret, err := store.Secret(ctx)
	s.must(err)
	if !bytes.Equal(secret, bytes.Repeat([]byte{7}, 32)) {
		s.Errorf("the secret is %x", secret)
	}

	outcomes := []study.Outcome{answer(0), answer(1), became(1, study.Undone), became(2, study.Skipped)}
	for i := range outcomes {
		outcomes[i].Number = int64(i) + 1
	}
	if diff := cmp.Diff(outcomes, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	plan := study.Plan{Number: 1, Questions: [][]int{question(0), question(1), question(2), question(3)}, Verdict: []byte(`{"leader":2}`), At: start}
	plans, err := store.Plans(ctx, "a", 0, 9)
	s.must(err)
	if diff := cmp.Diff([]study.Plan{plan}, plans); diff != "" {
		s.Error(diff)
	}
	positions, unclaimed, err := store.Overdue(ctx, "a", start.Add(time.Second), 9)
	s.must(err)
	if diff := cmp.Diff([]study.Position{1}, positions); diff != "" || unclaimed != 2 {
		s.Errorf("%d are unclaimed; %s", unclaimed, diff)
	}

	taken := study.ErrTaken
	s.recorded(store, "a", []error{taken, nil, taken}, answer(0), answer(1), answer(2))
	s.wants(study.ErrNotYours, store.Lead(ctx, "a", "other", start, start.Add(time.Minute)))
	s.must(store.Append(ctx, "a", planner, s.next(store, "a", 1)))
	c, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	want := study.Claim{First: 2, Questions: [][]int{question(2), question(3), question(4)}, At: start}
	if diff := cmp.Diff(want, c); diff != "" {
		s.Error(diff)
	}
}
