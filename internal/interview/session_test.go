package interview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/terminal"
	"bestpick/internal/testsupport"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// lampSession opens a session about the lamps of the example.
func lampSession(t *testing.T, path string) (*Session, error) {
	t.Helper()
	arms := testsupport.Value(archive.Open("../../examples/lamps.csv", catalogue.Options{}, 0)).OrFail(t)
	session, err := Open(path, &arms.Catalogue, racing.Settings{K: 3, Seed: 1}.WithDefaults())
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// TestSessionGoesOn: after the user quits, and also after an incomplete line, the next session asks the question
// that this one would have asked; undoing all answers leads back to the beginning.
func TestSessionGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	session := testsupport.Value(lampSession(t, path)).OrFail(t)
	var asked [][]string
	for i := range 12 {
		asked = append(asked, session.ids())
		slot := i % 3
		if i%5 == 4 {
			slot = skipped
		}
		testsupport.NoError(t, session.tell(slot))
		if i%4 == 3 {
			file := testsupport.Value(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)).OrFail(t)
			if _, err := file.WriteString(`{"shown":["l0`); err != nil {
				t.Fatal(err)
			}
			_ = file.Close()
		}
		again := testsupport.Value(lampSession(t, path)).OrFail(t)
		if !slices.Equal(again.ids(), session.ids()) || again.Says() != session.Says() {
			t.Errorf("after %d answers it asks %v and says %q; before it was %v and %q", i+1, again.ids(), again.Says(), session.ids(),
				session.Says())
		}
		session = again
	}
	for _, want := range slices.Backward(asked) {
		testsupport.NoError(t, session.undo())
		if !slices.Equal(session.ids(), want) {
			t.Errorf("taken back, it asks %v, not %v", session.ids(), want)
		}
	}
	if err := session.undo(); err != nil {
		t.Errorf("nothing is left to take back: %v", err)
	}
}

// TestSessionOfOthers: answers about other options, or changed by hand, are refused in a line.
func TestSessionOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	session := testsupport.Value(lampSession(t, path)).OrFail(t)
	testsupport.NoError(t, session.tell(0))
	good := testsupport.Value(os.ReadFile(path)).OrFail(t)
	lines := strings.SplitAfter(string(good), "\n")
	for name, text := range map[string]string{
		"other options": strings.Replace(lines[0], `"about":"`, `"about":"x`, 1) + lines[1], "not ours": "id,price\n",
		"not JSON":   lines[0] + "{\n",
		"other arms": lines[0] + `{"shown":["l01","l02","l03"],"pick":"l01"}` + "\n", "nothing shown": lines[0] + "{}\n",
	} {
		testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := lampSession(t, path); err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s: the file became %q, %v", name, after, err)
		}
	}
}

// TestPage: the page fits the terminal, whatever its size.
func TestPage(t *testing.T) {
	session := testsupport.Value(lampSession(t, filepath.Join(t.TempDir(), "answers.jsonl"))).OrFail(t)
	for _, size := range [][2]int{{200, 50}, {80, 24}, {60, 30}, {40, 20}, {20, 10}} {
		page := terminal.Cut(session.page(size[0], 0), size[1])
		lines := strings.Split(page, "\n")
		if len(lines) >= size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		if size[1] >= 20 && !strings.Contains(page, "1  Pebble") {
			t.Errorf("%v: %s", size, page)
		}
	}
}

// TestNames: a list of names is enough, with and without a constant per option. The two are different settings.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.csv")
	testsupport.NoError(t, os.WriteFile(path, []byte("headline\nStop paying\nStart saving\nRent or buy\nFive habits\n"), 0o600))
	arms := testsupport.Value(archive.Open(path, catalogue.Options{}, 0)).OrFail(t)
	settings := racing.Settings{K: 2, Seed: 1}.WithDefaults()
	for _, perOption := range []bool{false, true} {
		answers := filepath.Join(t.TempDir(), "answers.jsonl")
		settings.Model.Intercepts = perOption
		session := testsupport.Value(Open(answers, &arms.Catalogue, settings)).OrFail(t)
		for n := 0; n < 500 && !session.Decided(); n++ {
			testsupport.NoError(t, session.tell(max(0, slices.Index(session.ids(), "4"))))
		}
		if card := session.card(session.racing.Verdict().Leader); !session.Decided() || card.Label != "Five habits" {
			t.Errorf("the favourite is %+v", card)
		}
		testsupport.NoError(t, session.Close())
		settings.Model.Intercepts = !perOption
		if _, err := Open(answers, &arms.Catalogue, settings); err == nil ||
			!strings.Contains(err.Error(), "other options or settings") {
			t.Error(err)
		}
	}
}

// TestUndoIsKept: what was taken back is out of the file at once, also for the next session, and another answer comes
// in its place.
func TestUndoIsKept(t *testing.T) {
	answered := func(path string, do func(s *Session, tell func(slot int))) string {
		t.Helper()
		session := testsupport.Value(lampSession(t, path)).OrFail(t)
		do(session, func(slot int) {
			testsupport.NoError(t, session.tell(slot))
		})
		text := testsupport.Value(os.ReadFile(path)).OrFail(t)
		return string(text)
	}
	undo := func(s *Session) {
		testsupport.NoError(t, s.undo())
	}
	folder := t.TempDir()
	regretted, straight := filepath.Join(folder, "regretted.jsonl"), filepath.Join(folder, "straight.jsonl")
	got := answered(regretted, func(s *Session, tell func(int)) {
		tell(0)
		tell(1)
		undo(s)
	})
	want := answered(straight, func(_ *Session, tell func(int)) { tell(0) })
	if got != want {
		t.Errorf("after an answer was taken back the file is\n%s, want\n%s", got, want)
	}
	got = answered(regretted, func(s *Session, tell func(int)) {
		tell(skipped)
		undo(s)
		tell(2)
		tell(0)
	})
	want = answered(straight, func(_ *Session, tell func(int)) {
		tell(2)
		tell(0)
	})
	if got != want {
		t.Errorf("another answer makes the file\n%s, want\n%s", got, want)
	}
}

// TestLikely: a forecast never says more than 10 million, and says nothing while it is unknown.
func TestLikely(t *testing.T) {
	for want, f := range map[string]strategy.Forecast{
		"; 140 to 1001 answers in all, four times of five": {Known: true, Low: 39.5, Median: 200, High: 900.1},
		"; at least 140 answers in all, probably":          {Known: true, Low: 40, Median: 2e6, High: 5e6},
		"; at least 4100 answers in all, probably":         {Known: true, Low: 4000},
		"; more than 10 million answers, probably":         {Known: true},
		"; they may be too close to tell apart":            {Hopeless: true, Epsilon: 0.1},
		"":                                                 {Epsilon: 0.1},
	} {
		if got := likely(f, 100); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
