package checks

import (
	"fmt"
	"math"

	"bestpick/choice"
)

// A Response is an answer with its circumstances.
type Response struct {
	choice.Answer

	Seconds  float64 // from seeing the question to answering; 0 if unknown
	Identity string  // of the respondent, if the owner of the study knows it
}

// Rules specifies which respondents to exclude. Fix the rules before a study begins. No rule
// depends on which arms a respondent picks: excluding respondents who disagree with the leader
// would bias the result.
type Rules struct {
	// SameSlot excludes straight-lining: respondents who keep picking the same slot, whichever arm
	// it shows, once that is this many times as likely as picking by the arms. Slots are assigned
	// at random, so a respondent who picks by the arms prefers none. Defaults to 1,000; negative
	// disables the rule.
	SameSlot float64

	// Reading is the least time, in seconds, in which a question can be read. It excludes
	// respondents who are faster in more than half of their answers. Defaults to 0, which disables
	// the rule.
	Reading float64

	// Twins counts two names of one identity as two respondents. By default only the first name
	// counts.
	Twins bool
}

// An Exclusion is an excluded respondent with the reason.
type Exclusion struct {
	Respondent string
	Reason     string
}

// A Roster tracks the responses of each respondent. It is not safe for concurrent use.
type Roster struct {
	people []person
	index  map[string]int
	names  map[string]string // identity → its first name
}

// A person is a respondent.
type person struct {
	name, identity string
	answers        int
	slots          []float64 // log-likelihood ratio of keeping to each slot against picking by the arms
	seconds        []float64
}

// keeps is the probability that a straight-lining respondent picks the usual slot.
const keeps = 0.95

// NewRoster returns an empty Roster.
func NewRoster() *Roster { return &Roster{index: map[string]int{}, names: map[string]string{}} }

// Tell records a response. It ignores responses of unknown respondents.
func (r *Roster) Tell(a Response) {
	if a.Respondent == "" || len(a.Picks) == 0 {
		return
	}
	at, known := r.index[a.Respondent]
	if !known {
		at = len(r.people)
		r.index[a.Respondent] = at
		r.people = append(r.people, person{name: a.Respondent, identity: a.Identity})
		if _, taken := r.names[a.Identity]; a.Identity != "" && !taken {
			r.names[a.Identity] = a.Respondent
		}
	}
	p := &r.people[at]
	p.answers++
	k := len(a.Question)
	for len(p.slots) < k {
		p.slots = append(p.slots, 0)
	}
	for slot := range p.slots {
		switch {
		case slot >= k: // not on the screen: the same likelihood either way
		case slot == a.Picks[0]:
			p.slots[slot] += math.Log(keeps * float64(k))
		default:
			p.slots[slot] += math.Log((1 - keeps) / float64(k-1) * float64(k))
		}
	}
	if a.Seconds > 0 {
		p.seconds = append(p.seconds, a.Seconds)
	}
}

// sameSlot returns the log of the evidence that a respondent keeps to one slot: the mean of the
// likelihood ratios of keeping to each slot against picking by the arms, with weights
// 1/((s+1)(s+2)) for the slots s = 0, 1, …, which sum to 1. For a respondent who picks by the arms
// it ever reaches log(1/α) with probability at most α.
func (r *Roster) sameSlot(name string) float64 {
	at, known := r.index[name]
	if !known {
		return 0
	}
	var parts []float64
	for s, log := range r.people[at].slots {
		parts = append(parts, log-math.Log(float64((s+1)*(s+2))))
	}
	return choice.LogSumExp(append(parts, -math.Log(float64(len(parts)+1)))) // and slots never shown
}

// Excluded returns the excluded respondents in the order of their first responses.
func (r *Roster) Excluded(rules Rules) []Exclusion {
	odds := rules.SameSlot
	if odds == 0 {
		odds = 1000
	}
	var out []Exclusion
	for _, p := range r.people {
		fast := 0
		for _, seconds := range p.seconds {
			if seconds < rules.Reading {
				fast++
			}
		}
		switch first := r.names[p.identity]; {
		case p.identity != "" && first != p.name && !rules.Twins:
			out = append(out, Exclusion{p.name, "the same person as " + first})
		case odds > 0 && r.sameSlot(p.name) >= math.Log(odds):
			out = append(out, Exclusion{p.name, "picks the same slot whichever arm it shows"})
		case 2*fast > p.answers:
			out = append(out, Exclusion{p.name, fmt.Sprintf("answers %d of %d questions faster than they can be read", fast, p.answers)})
		}
	}
	return out
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
