package checks

import (
	"math"

	"bestpick/choice"
)

// Rules say what is no evidence in a study. They are fixed before it begins, and never depend on which arms
// a person picks: excluding people who disagree with the leader would bias the result. The zero value
// excludes nothing.
type Rules struct {
	// Reading is the least time in seconds in which a question can be read. A faster answer is no evidence,
	// as if its question was skipped. Defaults to 0, for no limit.
	Reading float64 `json:"reading,omitempty"`

	// Network is how many people of one network count in an hour. Others are no evidence. Defaults to 0, for
	// no limit.
	Network int `json:"network,omitempty"`

	// Straight excludes straight-lining: people who keep picking the same slot, see [Lining.IsStraight].
	Straight bool `json:"straight,omitempty"`
}

// UsualRules are those of a study that anyone with its link may answer.
func UsualRules() Rules { return Rules{Reading: 1, Network: 8, Straight: true} }

// IsFast reports whether an answer is faster than its question can be read. An unknown time is 0.
func (r Rules) IsFast(seconds float64) bool { return seconds > 0 && seconds < r.Reading }

// IsCrowded reports whether the nth person of a network in an hour is one too many. It is 0 if unknown.
func (r Rules) IsCrowded(nth int) bool { return r.Network > 0 && nth > r.Network }

// A Lining is evidence that a person keeps to one slot, whichever arm it shows: for each slot the log of
// the likelihood ratio of keeping to it against picking by the arms. Slots are assigned at random, so a
// person who picks by the arms prefers none.
type Lining []float64

const (
	keeps        = 0.95 // the probability that a straight-lining person picks the usual slot
	straightOdds = 1000 // at which a person is straight-lining
)

// Add returns the evidence after an answer that picks a slot of a number of slots. Picks that are no slots
// say nothing.
func (l Lining) Add(slots, pick int) Lining {
	if pick < 0 || slots < 2 {
		return l
	}
	for len(l) < slots {
		l = append(l, 0)
	}
	for slot := range l {
		switch {
		case slot >= slots: // not on the screen: the same likelihood either way
		case slot == pick:
			l[slot] += math.Log(keeps * float64(slots))
		default:
			l[slot] += math.Log((1 - keeps) / float64(slots-1) * float64(slots))
		}
	}
	return l
}

// log returns the log of the mean of the likelihood ratios, with weights 1/((s+1)(s+2)) for the slots
// s = 0, 1, …, which sum to 1. For a person who picks by the arms it ever reaches log(1/α) with
// probability at most α.
func (l Lining) log() float64 {
	var parts []float64
	for s, log := range l {
		parts = append(parts, log-math.Log(float64((s+1)*(s+2))))
	}
	return choice.LogSumExp(append(parts, -math.Log(float64(len(parts)+1)))) // and slots never shown
}

// IsStraight reports whether keeping to one slot is 1,000 times as likely as picking by the arms. That
// takes 12 answers in a row of two arms, and 8 of three.
func (l Lining) IsStraight() bool { return l.log() >= math.Log(straightOdds) }

// Straight returns the names of straight-lining respondents, in the order of their first answers. It
// ignores answers without a name.
func Straight(answers []choice.Answer) []string {
	lines := map[string]Lining{}
	var names, found []string
	for _, a := range answers {
		if a.Respondent == "" || len(a.Picks) == 0 {
			continue
		}
		if _, known := lines[a.Respondent]; !known {
			names = append(names, a.Respondent)
		}
		lines[a.Respondent] = lines[a.Respondent].Add(len(a.Question), a.Picks[0])
	}
	for _, name := range names {
		if lines[name].IsStraight() {
			found = append(found, name)
		}
	}
	return found
}

// maxRespondents is the number of respondents that a Monitor remembers. It bounds the cost of a
// look and of a snapshot. Beyond it a new respondent replaces the oldest, who is then unknown. A
// bet that knows less about a respondent is still fair, because it predicts before the pick.
const maxRespondents = 4096

// meet returns the place of a respondent among the remembered ones. It adds a new respondent.
func (m *Monitor) meet(name string) int {
	if at, known := m.index[name]; known {
		return at
	}
	at := m.state.Met % m.capacity
	m.state.Met++
	if at == len(m.state.Respondents) {
		m.state.Respondents = append(m.state.Respondents, name)
	} else {
		delete(m.index, m.state.Respondents[at])
		m.state.Respondents[at] = name
		m.state.Clicks.forget(at)
		m.state.People.forget(at)
	}
	m.index[name] = at
	return at
}

// forget clears the place of a respondent.
func (c *clicks) forget(at int) {
	if at < len(c.Clicking) {
		clear(c.Clicking[at])
	}
}

// forget clears the place of a respondent.
func (c *people) forget(at int) {
	if at < len(c.Residuals) {
		clear(c.Residuals[at])
		c.Known[at] = 0
	}
}
