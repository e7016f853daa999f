package racing_test

import (
	"bytes"
	"errors"
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// snapshotted returns a snapshot of a strategy over three arms, with an answer told, a question
// lost and one outstanding.
func snapshotted(tb testing.TB, c *choice.Catalogue) []byte {
	tb.Helper()
	s := must(racing.New(c, racing.Settings{}))
	for i := range 9 {
		q, err := s.Ask()
		switch i {
		case 7:
			err = s.Lose(q)
		case 8: // outstanding
		default:
			err = s.Tell(choice.Answer{Question: q, Picks: []int{1}, Respondent: "r"})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return must(s.Snapshot())
}

func threeArms(tb testing.TB) *choice.Catalogue {
	tb.Helper()
	return must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {0.5, 0.5}}))
}

// TestRestoreRefusesChanges: one changed bit anywhere in a snapshot makes Restore return an error.
func TestRestoreRefusesChanges(t *testing.T) {
	c := threeArms(t)
	data := snapshotted(t, c)
	if _, err := racing.Restore(c, data); err != nil {
		t.Fatal(err)
	}
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1
		if _, err := racing.Restore(c, changed); !errors.Is(err, strategy.ErrSnapshot) {
			t.Fatalf("byte %d of %d was changed: %v", at, len(data), err)
		}
	}
}

// TestRestoreRefusesOthers: neither snapshots over another catalogue, nor of another version or of
// the version before envelopes are restored.
func TestRestoreRefusesOthers(t *testing.T) {
	c := threeArms(t)
	data := snapshotted(t, c)
	two := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}}))
	other := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{1}, {0}, {0.5}}))
	for name, c := range map[string]*choice.Catalogue{"two arms": two, "one feature": other} {
		if _, err := racing.Restore(c, data); !errors.Is(err, strategy.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		"", "{}", "null", `{"strategy":"racing","version":1}`, `{"name":"racing","settings":{"k":3},"state":{}}`,
		string(bytes.Replace(data, []byte(`"version":1`), []byte(`"version":2`), 1)),
	} {
		if r, err := racing.Restore(c, []byte(text)); !errors.Is(err, strategy.ErrSnapshot) || r != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// FuzzRestore: arbitrary bytes are refused, or give a strategy that can be asked and told without a
// panic.
func FuzzRestore(f *testing.F) {
	c := threeArms(f)
	data := snapshotted(f, c)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(`{"strategy":"racing","version":1,"sha256":"","state":null}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		s, err := racing.Restore(c, data)
		if err != nil {
			return
		}
		for range 3 {
			q, err := s.Ask()
			if err != nil {
				return
			}
			if err := s.Tell(choice.Answer{Question: q, Picks: []int{0}}); err != nil {
				return
			}
		}
		s.Verdict()
	})
}
