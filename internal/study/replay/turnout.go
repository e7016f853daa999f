package replay

import (
	"math/rand/v2"
	"slices"
	"time"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// A turnout counts the people who have answered, and the days, as far as a study needs a minimum of them
// before it ends with a certificate. It depends on the log alone.
type turnout struct {
	Names  []string  `json:"names,omitempty"`  // sorted; none once there are enough
	People int       `json:"people,omitempty"` // also those without a name
	Days   int       `json:"days,omitempty"`
	Last   time.Time `json:"last,omitzero"` // the last of these days

	// Further has the questions without an outcome that the study has asked after its strategy stopped.
	Further []study.Position `json:"further,omitempty"`
}

// add counts an outcome. Without a name, every answer is another person's.
func (t *turnout) add(o study.Outcome, s study.Settings) {
	if o.Kind != study.Answered {
		return
	}
	if day := o.At.UTC().Truncate(24 * time.Hour); t.Days < s.LeastDays && day.After(t.Last) {
		t.Days, t.Last = t.Days+1, day
	}
	at, known := slices.BinarySearch(t.Names, o.Respondent)
	if t.People >= s.LeastPeople || known {
		return
	}
	if t.People++; o.Respondent != "" {
		t.Names = slices.Insert(t.Names, at, o.Respondent)
	}
	if t.People == s.LeastPeople {
		t.Names = nil
	}
}

// settle removes a question from the further ones, and reports whether it was one.
func (t *turnout) settle(p study.Position) bool {
	at, is := slices.BinarySearch(t.Further, p)
	if is {
		t.Further = slices.Delete(t.Further, at, at+1)
	}
	return is
}

// isEarly reports whether the study has too few people or days for a certificate. What its strategy has
// certified stays so: certificates hold at all later times.
func (r *Replayer) isEarly() bool {
	s, t := r.settings, r.State.Turnout
	return t.Days < s.LeastDays || !s.Judges && t.People < s.LeastPeople
}

// status returns the status of a study, or of one of its segments, given that of the strategy.
func (r *Replayer) status(s strategy.Status) strategy.Status {
	if (s == strategy.Certified || s == strategy.Cyclic) && r.isEarly() {
		return strategy.Asking
	}
	return s
}

// further returns a question of a study whose strategy has stopped too early: the leader among others, which
// are drawn with the numbers of answers and questions.
func (r *Replayer) further() choice.Question {
	r.State.Turnout.Further = append(r.State.Turnout.Further, r.State.Next)
	rng := rand.New(rand.NewPCG(uint64(r.State.Answers), uint64(r.State.Next-r.State.Began)))
	q := choice.Question{r.strategy.Verdict().Leader}
	for len(q) < r.settings.Strategy.K { // at least K arms remain
		if arm := rng.IntN(r.State.Arms); !slices.Contains(q, arm) && !slices.Contains(r.State.Withdrawn, arm) {
			q = append(q, arm)
		}
	}
	rng.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] })
	return q
}

// teller returns how to tell the strategy an answer: a further question is not one of its own.
func (r *Replayer) teller(further bool) func(choice.Answer) error {
	if further {
		return r.strategy.Recount
	}
	return r.strategy.Tell
}
