package recording_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/group"
	"bestpick/store/recording"
	"bestpick/study"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func answer(p study.Position) study.Outcome {
	return study.Outcome{Position: p, Kind: study.Answered, Shown: []int{3, 1}, Picks: []int{0}}
}

func TestRecord(t *testing.T) {
	w := recording.New(func(requests []*recording.Request) error {
		for _, r := range requests {
			if e := r.Entries[0]; r.Study != "a" || e.ShownJSON != "[3,1]" || e.PicksJSON != "[0]" {
				t.Errorf("%q, %+v", r.Study, e)
			}
			r.Refused = []error{nil, study.ErrTaken}
		}
		return nil
	})
	defer w.Close()
	refused, err := w.Record(t.Context(), "a", study.NoLimit, answer(1), answer(1))
	if err != nil || len(refused) != 2 || refused[0] != nil || !errors.Is(refused[1], study.ErrTaken) {
		t.Errorf("got %v, %v", refused, err)
	}
}

// TestFailed: when the transaction fails, nothing that was said in it counts.
func TestFailed(t *testing.T) {
	full := errors.New("the disk is full")
	w := recording.New(func(requests []*recording.Request) error {
		requests[0].Refused, requests[0].Err = []error{nil}, study.ErrNotFound
		return full
	})
	defer w.Close()
	if refused, err := w.Record(t.Context(), "a", study.NoLimit, answer(1)); refused != nil || !errors.Is(err, full) {
		t.Errorf("got %v, %v", refused, err)
	}
}

func TestNothingBad(t *testing.T) {
	w := recording.New(func([]*recording.Request) error {
		t.Error("it was written")
		return nil
	})
	imported := study.Outcome{Position: study.Elsewhere, Kind: study.Imported}
	for _, bad := range []study.Outcome{imported, {Position: 1, Kind: study.Erased}, answer(-1), {Kind: "guessed"}} {
		if _, err := w.Record(t.Context(), "a", study.NoLimit, answer(0), bad); err == nil {
			t.Errorf("%+v was recorded", bad)
		}
	}
	w.Close()
	if _, err := w.Record(t.Context(), "a", study.NoLimit, answer(0)); !errors.Is(err, group.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestGoneAway: one who goes away does not wait for what is being written, which is written still.
func TestGoneAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release, written := make(chan struct{}), false
	w := recording.New(func([]*recording.Request) error {
		cancel()
		<-release
		written = true
		return nil
	})
	if _, err := w.Record(ctx, "a", study.NoLimit, answer(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	w.Close()
	if !written {
		t.Error("it was not written")
	}
}

func TestImport(t *testing.T) {
	good := study.Outcome{Position: study.Elsewhere, Kind: study.Imported, Shown: []int{1, 2}}
	entries, err := recording.Import("survey", []study.Outcome{good, good})
	if err != nil || len(entries) != 2 || entries[1].ShownJSON != "[1,2]" || entries[1].PicksJSON != "null" {
		t.Errorf("got %+v, %v", entries, err)
	}
	ofTheDeck := good
	ofTheDeck.Position = 3
	for want, bad := range map[string]study.Outcome{
		`recording: batch "survey", outcome 2: it is "answered", not imported`:                                         answer(1),
		`recording: batch "survey", outcome 2: study: question 3: an imported answer is to a question asked elsewhere`: ofTheDeck,
	} {
		if _, err := recording.Import("survey", []study.Outcome{good, bad}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := recording.Import("\xff", nil); err == nil || err.Error() != `recording: "\xff" does not do as the name of a batch` {
		t.Errorf("got %v", err)
	}
}
