package dispatch

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"bestpick/internal/study"
)

// asked returns an open question that shows some arms.
func asked(p study.Position, arms string) held { return held{card: card{position: p, set: arms}} }

// TestRecent tests that a desk remembers recent respondents in bounded memory.
func TestRecent(t *testing.T) {
	var r recent
	if got := r.shown("anna"); got != "" {
		t.Errorf("an unknown respondent was shown %s", got)
	}
	for i := range 2*minRecent + 1000 {
		r.note(strconv.Itoa(i), asked(study.Position(i), fmt.Sprint("arms ", i)))
		if i%1000 != 0 {
			continue
		}
		for _, ago := range []int{0, 1, minRecent - 1} {
			if who := i - ago; who >= 0 && r.shown(strconv.Itoa(who)) != fmt.Sprint("arms ", who) {
				t.Fatalf("after %d respondents, respondent %d is forgotten", i, who)
			}
		}
		bounded(t, &r)
	}
	r.note("anna", asked(1, "one"))
	r.note("anna", asked(2, "two"))
	if got := r.shown("anna"); got != "two" {
		t.Errorf("got %s, want two", got)
	}
	r.forget("anna")
	if got := r.shown("anna"); got != "" {
		t.Errorf("a forgotten respondent was shown %s", got)
	}
	bounded(t, &r)
}

// bounded checks that the size of a cache is bounded and counted correctly.
func bounded(t *testing.T, r *recent) {
	t.Helper()
	sizeOf := func(generation map[string]visit) (size int) {
		for _, v := range generation {
			size += v.size()
		}
		return size
	}
	if got := sizeOf(r.young); got != r.size {
		t.Fatalf("the size is %d, counted as %d", got, r.size)
	}
	if size := r.size + sizeOf(r.old); size > 4*minRecent+2*maxOpen {
		t.Fatalf("%d respondents and open questions are remembered", size)
	}
}

// TestRecentOpen tests that open questions repeat in turn, and that memory stays bounded with many
// respondents who have many open questions, some of them settled.
func TestRecentOpen(t *testing.T) {
	none := func(held) bool { return false }
	at := func(p study.Position) func(held) bool { return func(h held) bool { return h.position == p } }
	var r recent
	for p := range study.Position(3) {
		if _, full := r.again("anna", 3, none); full {
			t.Errorf("with %d open questions the limit is reached", p)
		}
		r.note("anna", asked(p, fmt.Sprint(p)))
	}
	for _, want := range []study.Position{0, 1, 2, 0} {
		if got, full := r.again("anna", 3, none); !full || got.position != want {
			t.Errorf("got question %d again, want %d", got.position, want)
		}
	}
	r.drop("anna", at(1))
	if _, full := r.again("anna", 3, none); full {
		t.Error("a settled question counts as open")
	}
	if got, full := r.again("anna", 1, at(2)); !full || got.position != 0 {
		t.Errorf("got question %d again", got.position)
	}

	for i := range 3 * minRecent {
		who := strconv.Itoa(i % 2000)
		if _, full := r.again(who, maxOpen, none); !full {
			r.note(who, held{card: card{position: study.Position(i)}, asked: time.Unix(int64(i), 0)})
		}
		if i%3 == 0 {
			r.drop(who, at(study.Position(i)))
		}
		if i%1000 == 0 {
			bounded(t, &r)
		}
	}
}
