package checks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/choice"
)

func respond(name string, slot int, seconds float64, identity string) Response {
	return Response{
		Answer:  choice.Answer{Question: choice.Question{0, 1, 2}, Picks: []int{slot}, Respondent: name},
		Seconds: seconds, Identity: identity,
	}
}

// TestExcluded: the rules exclude respondents who straight-line, answer faster than they can read,
// or come twice, and no others.
func TestExcluded(t *testing.T) {
	r := NewRoster()
	for i := range 12 {
		r.Tell(respond("left", 0, 3, ""))
		r.Tell(respond("hasty", i%3, 0.5, ""))
		r.Tell(respond("ann", (i*i)%3, 4, "id1"))
		r.Tell(respond("ann again", (i+1)%3, 4, "id1"))
		r.Tell(respond("bob", i%3, 0, "id2"))
		r.Tell(respond("", 0, 1, ""))
	}
	const sameSlot = "picks the same slot whichever arm it shows"
	for name, c := range map[string]struct {
		rules Rules
		want  []Exclusion
	}{
		"by default": {Rules{}, []Exclusion{
			{"left", sameSlot}, {"ann again", "the same person as ann"},
		}},
		"all": {Rules{Reading: 1}, []Exclusion{
			{"left", sameSlot},
			{"hasty", "answers 12 of 12 questions faster than they can be read"},
			{"ann again", "the same person as ann"},
		}},
		"none": {Rules{SameSlot: -1, Twins: true}, nil},
	} {
		if diff := cmp.Diff(c.want, r.Excluded(c.rules)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSameSlotIsFair: of 20,000 people who look, with 30 answers each, at most one of 20 ever
// reaches odds of 20; a share of exactly that would show as 0.05 ± 0.0015.
func TestSameSlotIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	r := NewRoster()
	const people = 20_000
	reached := 0
	for i := range people {
		name, ever := strconv.Itoa(i), false
		for range 30 {
			r.Tell(respond(name, rng.IntN(3), 0, ""))
			ever = ever || r.sameSlot(name) >= math.Log(20)
		}
		if ever {
			reached++
		}
	}
	if reached > people/20 {
		t.Errorf("%d of %d", reached, people)
	}
}

// TestClicking: the log-odds are high for a respondent who clicks at random, and low for others.
func TestClicking(t *testing.T) {
	s := must(NewStudy(arms(t)))
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 3000 {
		q := choice.Question(rng.Perm(6)[:3])
		utilities := s.arms.Utilities(nil, q, []float64{2, -1})
		name := fmt.Sprint("r", i%30)
		if name == "r7" {
			clear(utilities)
		}
		if err := s.Tell(choice.Answer{Question: q, Picks: []int{choice.SamplePick(rng, utilities)}, Respondent: name}); err != nil {
			t.Fatal(err)
		}
	}
	if random, other := s.monitor.clicking("r7"), s.monitor.clicking("r8"); !(random > 3 && other < -3) ||
		s.monitor.clicking("absent") != 0 {
		t.Errorf("%v for who clicks, %v for another", random, other)
	}
}
